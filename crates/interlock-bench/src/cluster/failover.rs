//! How long nobody answers after the node that serves a namespace was killed.

use crate::nodes::{Cluster, LEASE, Wires};
use crate::report::{Figure, Unit};
use interlock_api::kind::KindPolicy;

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let rounds = if quick { 2 } else { 20 };
    let mut cluster = Cluster::start(None, 3, Wires::None).await?;
    let client = cluster.client_of_all()?;
    client.kinds().set("sync", &KindPolicy::default()).await?;
    let mut seconds = Vec::new();
    for _ in 0..rounds {
        let owner = cluster.owner("default").await?;
        cluster.nodes.end(owner, "KILL");
        let others = [(owner + 1) % 3, (owner + 2) % 3];
        seconds.push(cluster.answers_again(&others).await?.as_secs_f64());
        cluster.nodes.begin(owner);
        cluster.until_alive(3).await?;
    }
    seconds.sort_by(f64::total_cmp);
    let most = LEASE.as_secs_f64() + 5.0;
    let over =
        |what: &str| format!("without an answer after kill -9 of the owner, {what} of {rounds}");
    Ok(vec![
        Figure::info(over("p50"), seconds[seconds.len() / 2], Unit::Seconds),
        Figure::at_most(over("max"), seconds[seconds.len() - 1], Unit::Seconds, most),
    ])
}

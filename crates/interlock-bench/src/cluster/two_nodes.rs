//! Two namespaces on two nodes, beside one on one.

use crate::load::rate;
use crate::measure::median;
use crate::nodes::{Cluster, Wires};
use crate::report::{Figure, Unit};
use crate::tasks::submission;
use crate::wire::post_in;
use interlock_api::kind::KindPolicy;
use interlock_api::namespace::NamespacePolicy;
use interlock_api::node::MoveNamespace;
use std::net::SocketAddr;
use std::time::Duration;

const CLIENTS: usize = 32;
const SPACES: [&str; 2] = ["east", "west"];
const SETTLE: Duration = Duration::from_secs(1);

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let (turns, time) = match quick {
        true => (1, Duration::from_millis(500)),
        false => (3, Duration::from_secs(3)),
    };
    let cluster = Cluster::start(None, 2, Wires::None).await?;
    for (at, space) in SPACES.into_iter().enumerate() {
        prepare(&cluster, space, at).await?;
    }
    let addresses = [cluster.address(0)?, cluster.address(1)?];
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for turn in 0..=turns {
        let first = turn * 2_000_000_000;
        let alone = submit(addresses[0], SPACES[0], first, time).await?;
        tokio::time::sleep(SETTLE).await;
        let first = first + 1_000_000_000;
        let (east, west) = tokio::join!(
            submit(addresses[0], SPACES[0], first, time),
            submit(addresses[1], SPACES[1], first, time)
        );
        tokio::time::sleep(SETTLE).await;
        // The first turn is to warm up.
        if turn > 0 {
            one.push(alone);
            two.push(east? + west?);
        }
    }
    let gains = two.iter().zip(&one).map(|(two, one)| two / one).collect();
    Ok(vec![
        Figure::info(
            "single submissions, one namespace on one node",
            median(one),
            Unit::PerSecond,
        ),
        Figure::info(
            "single submissions, two namespaces on two nodes",
            median(two),
            Unit::PerSecond,
        ),
        Figure::info("two nodes ÷ one", median(gains), Unit::Ratio),
    ])
}

/// Makes a namespace that is served by a certain node.
async fn prepare(cluster: &Cluster, space: &str, at: usize) -> anyhow::Result<()> {
    let client = cluster.client_of_all()?;
    let namespaces = client.namespaces();
    namespaces.set(space, &NamespacePolicy::default()).await?;
    let name = interlock_pgtest::Nodes::name(at);
    let to = MoveNamespace {
        to: Some(name.clone()),
    };
    namespaces.move_to(space, &to).await?;
    cluster
        .find(|nodes| {
            let node = nodes.iter().find(|node| node.name == name)?;
            node.namespaces
                .iter()
                .any(|one| one.name == space)
                .then_some(())
        })
        .await?;
    let inside = client.in_namespace(space)?;
    inside.kinds().set("sync", &KindPolicy::default()).await?;
    Ok(())
}

async fn submit(
    address: SocketAddr,
    space: &'static str,
    first: u64,
    time: Duration,
) -> anyhow::Result<f64> {
    let make = move |n| post_in(space, "/v1/tasks", &submission(first + n));
    let (answered, took) = rate(address, CLIENTS, time, make).await?;
    Ok(answered as f64 / took.as_secs_f64())
}

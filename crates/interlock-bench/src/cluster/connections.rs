//! Connections to the database with many workers.

use crate::nodes::{Cluster, Wires};
use crate::report::{Figure, Unit};
use crate::tasks::Session;
use std::time::Duration;

/// What docs/postgresql.md says of one node.
const DOCUMENTED: f64 = 7.0;

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let workers = if quick { 100 } else { 1_000 };
    let cluster = Cluster::start(None, 1, Wires::None).await?;
    let address = cluster.address(0)?;
    let mut parked = Vec::new();
    for number in 0..workers {
        let mut session = Session::register(address, &format!("w{number}")).await?;
        parked.push(tokio::spawn(async move {
            session.take(1, "10m", &[]).await.map(drop)
        }));
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let count = cluster.database.sql(
        "postgres",
        "SELECT count(*) FROM pg_stat_activity WHERE usename = 'interlock'",
    );
    parked.iter().for_each(tokio::task::JoinHandle::abort);
    Ok(vec![Figure::at_most(
        format!("connections to the database, {workers} workers"),
        count.parse()?,
        Unit::Count,
        DOCUMENTED,
    )])
}

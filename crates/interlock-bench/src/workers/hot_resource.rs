//! One resource that everybody wants: its tasks run in series, and each hand-over waits for a commit
//! of its own.

use super::sdk::{Working, client};
use crate::host::Host;
use crate::report::{Figure, Unit};
use crate::tasks::{BATCH, ask, submit};
use crate::wire::{Connection, get};
use anyhow::Context;
use interlock_api::kind::KindPolicy;
use std::net::SocketAddr;
use std::time::Instant;

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let count: u64 = if quick { 500 } else { 30_000 };
    let data = tempfile::tempdir()?;
    let host = Host::start(None, &data.path().join("data")).await?;
    let kinds = client(host.address)?;
    kinds.kinds().set("sync", &KindPolicy::default()).await?;
    submit(host.address, count.next_multiple_of(BATCH), |_| 0).await?;
    host.settle().await?;

    let commits = commits(host.address).await?;
    let begun = Instant::now();
    Working::start(host.address, (1, 1), count)?
        .finish()
        .await?;
    let took = begun.elapsed();
    let commits = self::commits(host.address).await? - commits;
    host.stop()?;
    Ok(vec![
        Figure::at_least(
            "hand-overs of one resource, in series",
            count as f64 / took.as_secs_f64(),
            Unit::PerSecond,
            4_000.0,
        ),
        Figure::at_least(
            "commits for each hand-over",
            commits / count as f64,
            Unit::Ratio,
            1.0,
        ),
    ])
}

/// How many commits the server has made.
async fn commits(address: SocketAddr) -> anyhow::Result<f64> {
    let mut connection = Connection::open(address).await?;
    let metrics =
        String::from_utf8_lossy(ask(&mut connection, &get("/metrics")).await?).into_owned();
    let count =
        (metrics.lines()).find_map(|line| line.strip_prefix("interlock_commit_seconds_count "));
    Ok(count.context("the server counts its commits")?.parse()?)
}

//! Tasks through their whole life: submitted in batches while workers take 64 and finish 64 in one
//! call; and the drain of a backlog by itself.

use crate::host::Host;
use crate::report::{Figure, Unit};
use crate::tasks::{BATCH, Session, submit};
use crate::work::{self, AT_ONCE};
use std::net::SocketAddr;
use std::time::Instant;

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let count: u64 = if quick { 20_000 } else { 500_000 };
    let data = tempfile::tempdir()?;
    let host = Host::start(None, &data.path().join("data")).await?;
    Session::register(host.address, "first").await?;

    let life = rate(host.address, "life", count).await?;
    submit(host.address, count, ten_on_each).await?;
    let begun = Instant::now();
    work::off(host.address, "drain", count).await?;
    let drain = count as f64 / begun.elapsed().as_secs_f64();
    host.stop()?;
    Ok(vec![
        Figure::at_least(
            format!(
                "whole lives: batches of {BATCH}, take {AT_ONCE} and finish {AT_ONCE} in one call"
            ),
            life,
            Unit::PerSecond,
            70_000.0,
        ),
        Figure::info(format!("drain of {count} tasks"), drain, Unit::PerSecond),
    ])
}

/// Tasks through their whole life, per second.
pub(crate) async fn rate(address: SocketAddr, name: &str, count: u64) -> anyhow::Result<f64> {
    let begun = Instant::now();
    let (submitted, worked) = tokio::join!(
        submit(address, count, ten_on_each),
        work::off(address, name, count)
    );
    submitted?;
    worked?;
    Ok(count as f64 / begun.elapsed().as_secs_f64())
}

/// Ten tasks on each resource.
fn ten_on_each(number: u64) -> u64 {
    number / 10
}

//! Tasks through their whole life: submitted in batches while workers take 64 and finish 64 in one
//! call; and the drain of a backlog by itself.

use crate::host::Host;
use crate::report::{Figure, Unit};
use crate::tasks::{BATCH, Session, submit};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const WORKERS: u64 = 16;
/// Tasks in one call of a worker.
const AT_ONCE: usize = 64;

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let count: u64 = if quick { 20_000 } else { 500_000 };
    let data = tempfile::tempdir()?;
    let host = Host::start(None, &data.path().join("data")).await?;
    Session::register(host.address, "first").await?;

    let life = rate(host.address, "life", count).await?;
    submit(host.address, count, ten_on_each).await?;
    let begun = Instant::now();
    work(host.address, "drain", count).await?;
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
        work(address, name, count)
    );
    submitted?;
    worked?;
    Ok(count as f64 / begun.elapsed().as_secs_f64())
}

/// Ten tasks on each resource.
fn ten_on_each(number: u64) -> u64 {
    number / 10
}

/// Workers that go on until so many tasks have been done.
async fn work(address: SocketAddr, name: &str, count: u64) -> anyhow::Result<()> {
    let done = Arc::new(AtomicU64::new(0));
    let workers = (0..WORKERS).map(|number| {
        let (done, name) = (done.clone(), format!("{name}-{number}"));
        tokio::spawn(async move {
            let mut session = Session::register(address, &name).await?;
            let mut running = Vec::new();
            let begun = Instant::now();
            while done.load(Ordering::Relaxed) < count {
                anyhow::ensure!(begun.elapsed() < Duration::from_secs(300), "it is stuck");
                let taken = session.take(AT_ONCE, "100ms", &running).await?;
                done.fetch_add(running.len() as u64, Ordering::Relaxed);
                running = taken;
            }
            session.leave(&running).await
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await??;
    }
    Ok(())
}

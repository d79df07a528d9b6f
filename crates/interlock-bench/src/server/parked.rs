//! Ten thousand parked takes: what they cost while nothing happens, and how many of them one task
//! wakes.

use crate::host::Host;
use crate::report::{Figure, Unit};
use crate::tasks::{Session, ask, submission};
use crate::wire::{Connection, post};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let (workers, tasks, idle) = match quick {
        true => (500, 100, Duration::from_secs(1)),
        false => (10_000, 2_000, Duration::from_secs(10)),
    };
    let data = tempfile::tempdir()?;
    let host = Host::start(None, &data.path().join("data")).await?;
    let answered = Arc::new(AtomicU64::new(0));
    let mut parked = Vec::new();
    for number in 0..workers {
        let session = Session::register(host.address, &format!("w{number}")).await?;
        parked.push(tokio::spawn(keep_taking(session, answered.clone())));
    }
    tokio::time::sleep(Duration::from_secs(1)).await;

    let before = host.cpu()?;
    tokio::time::sleep(idle).await;
    let cpu = (host.cpu()?.saturating_sub(before)).as_secs_f64() / idle.as_secs_f64();
    let memory = host.memory()?;

    let mut submitter = Connection::open(host.address).await?;
    for number in 0..tasks {
        ask(&mut submitter, &post("/v1/tasks", &submission(number))).await?;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let wakes = answered.load(Ordering::Relaxed) as f64 / tasks as f64;
    for take in &parked {
        take.abort();
    }
    host.stop()?;
    Ok(vec![
        Figure::at_most(
            format!("memory of the server, {workers} parked takes"),
            memory as f64 / f64::from(1 << 20),
            Unit::Mebibytes,
            400.0,
        ),
        Figure::at_most(
            format!("its share of a core, {workers} parked takes"),
            cpu,
            Unit::Share,
            0.05,
        ),
        Figure::at_most("takes woken per task", wakes, Unit::Ratio, 1.05),
    ])
}

/// Takes again and again, and counts the answers.
async fn keep_taking(mut session: Session, answered: Arc<AtomicU64>) -> anyhow::Result<Infallible> {
    let mut running = Vec::new();
    loop {
        running = session.take(1, "10m", &running).await?;
        answered.fetch_add(1, Ordering::Relaxed);
    }
}

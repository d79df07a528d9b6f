//! A million tasks that wait: the memory they need, and how long a restart takes, with nothing and
//! with ten million ended tasks in the history, and after a crash right after the last submission.

use crate::host::Host;
use crate::measure::median;
use crate::report::{Figure, Unit};
use crate::tasks::{Idle, ask, submit};
use crate::wire::{Connection, get};
use interlock_store::{HistoryRow, SqliteStore, Store};
use std::path::Path;
use std::time::{Duration, Instant};

/// Ids of made-up ended tasks begin here, far above those that the server gives.
const HISTORY_FROM: u64 = 1 << 40;

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let (waiting, history, restarts) = match quick {
        true => (20_000, 20_000, 1),
        false => (1_000_000, 10_000_000, 3),
    };
    let data = tempfile::tempdir()?;
    let data = data.path().join("data");
    let mut host = Host::start(None, &data).await?;
    let _worker = Idle::register(host.address, "w").await?;
    // Ten on each resource.
    submit(host.address, waiting, |number| number / 10).await?;
    // Until everything is checkpointed.
    tokio::time::sleep(Duration::from_secs(if quick { 1 } else { 12 })).await;
    let memory = host.memory()?;
    let without = restart_several(&mut host, restarts).await?;
    host.stop()?;

    fill_history(&data, history)?;
    let mut host = Host::start(None, &data).await?;
    let with = restart_several(&mut host, restarts).await?;
    host.stop()?;

    let crashed = restart_after_crash(waiting).await?;

    let waiting = waiting as f64 / 1e6;
    Ok(vec![
        Figure::at_most(
            format!("memory of the server, {waiting} million tasks wait"),
            memory as f64 / f64::from(1 << 20),
            Unit::Mebibytes,
            700.0,
        ),
        Figure::at_most(
            format!("restart to first answer, {waiting} million tasks wait"),
            without,
            Unit::Seconds,
            5.0,
        ),
        Figure::at_most(
            "the same after a crash right after the last submission",
            crashed,
            Unit::Seconds,
            5.0,
        ),
        Figure::at_least(
            format!(
                "restart without history ÷ with {} million ended tasks",
                history as f64 / 1e6
            ),
            without / with,
            Unit::Ratio,
            0.9,
        ),
    ])
}

/// Most of these tasks are in the log only, if so many come before the next checkpoint.
async fn restart_after_crash(waiting: u64) -> anyhow::Result<f64> {
    let data = tempfile::tempdir()?;
    let mut host = Host::start(None, &data.path().join("data")).await?;
    let _worker = Idle::register(host.address, "w").await?;
    submit(host.address, waiting, |number| number / 10).await?;
    let begun = Instant::now();
    host.kill_and_restart().await?;
    ask(
        &mut Connection::open(host.address).await?,
        &get("/v1/tasks/1"),
    )
    .await?;
    let took = begun.elapsed();
    host.stop()?;
    Ok(took.as_secs_f64())
}

/// The median of several restarts, in seconds: from the start of the process to an answer about a
/// task.
async fn restart_several(host: &mut Host, times: usize) -> anyhow::Result<f64> {
    let mut took = Vec::new();
    for _ in 0..times {
        let starting = host.restart().await?;
        let begun = Instant::now();
        let mut connection = Connection::open(host.address).await?;
        ask(&mut connection, &get("/v1/tasks/1")).await?;
        took.push((starting + begun.elapsed()).as_secs_f64());
    }
    Ok(median(took))
}

/// Writes ended tasks by the store's own means, since they would take long to run.
fn fill_history(data: &Path, count: u64) -> anyhow::Result<()> {
    const SLICE: u64 = 50_000;
    let mut store = SqliteStore::open(data)?;
    let namespace = store.namespaces()?.first().map(|namespace| namespace.id);
    let namespace = namespace.ok_or_else(|| anyhow::anyhow!("there is no namespace"))?;
    for first in (0..count).step_by(SLICE as usize) {
        let rows: Vec<HistoryRow> = (first..(first + SLICE).min(count)).map(ended).collect();
        store.record(namespace, &rows)?;
        store.tend()?;
    }
    Box::new(store).stop()?;
    Ok(())
}

fn ended(number: u64) -> HistoryRow {
    let at_ms = 1_700_000_000_000 + number;
    HistoryRow {
        task: HISTORY_FROM + number,
        kind: "sync".into(),
        outcome: "succeeded".into(),
        resources: vec![format!("repository:{}", number % 100_000)],
        submitted_ms: at_ms,
        ended_ms: at_ms + 5,
        worker: Some("w".into()),
        groups: Vec::new(),
        schedule: None,
        parent: None,
        tags: Vec::new(),
        error: None,
        aliases: Vec::new(),
        expires_ms: u64::MAX,
        body: vec![7; 200],
    }
}

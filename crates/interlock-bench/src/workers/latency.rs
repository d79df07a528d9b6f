//! From the call that submits a task to the start of its handler, on an idle system.

use super::sdk::{Payload, client};
use crate::host::Host;
use crate::measure::percentile;
use crate::report::{Figure, Unit};
use crate::tasks::submission;
use interlock_client::worker::{KindPolicy, Run, Worker};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Rounds that don't count.
const WARM_UP: u64 = 20;

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let rounds = if quick { 50 } else { 1_000 };
    let data = tempfile::tempdir()?;
    let host = Host::start(None, &data.path().join("data")).await?;
    let client = client(host.address)?;
    let (started, mut starts) = mpsc::unbounded_channel();
    let worker = Worker::new(client.clone())
        .name("bench")
        .concurrency(4)
        .without_signals()
        .handler(
            "sync",
            KindPolicy::default(),
            move |_run: Run, payload: Payload| {
                let sent = started.send((payload.number, Instant::now()));
                async move { Ok(sent.is_ok()) }
            },
        );
    let stop = worker.stop();
    let worker = tokio::spawn(worker.run());
    // Time for it to arrive.
    tokio::time::sleep(Duration::from_millis(300)).await;

    let mut micros = Vec::new();
    for round in 0..rounds + WARM_UP {
        // Time for the server and the worker to be idle.
        tokio::time::sleep(Duration::from_millis(10)).await;
        let submission = serde_json::from_str(&submission(round))?;
        let begun = Instant::now();
        let submitting = client.tasks();
        let (answer, start) = tokio::join!(submitting.submit(&submission), starts.recv());
        answer?;
        let (number, at) = start.ok_or_else(|| anyhow::anyhow!("the worker has ended"))?;
        anyhow::ensure!(
            number.parse() == Ok(round),
            "{number} ran instead of {round}"
        );
        if round >= WARM_UP {
            micros.push((at - begun).as_secs_f64() * 1e6);
        }
    }
    stop.drain();
    worker.await??;
    host.stop()?;
    micros.sort_by(f64::total_cmp);
    let figure = |name: &str, share: f64, most: f64| {
        let name = format!("submit call to handler, idle system, {name}");
        Figure::at_most(name, percentile(&micros, share), Unit::Micros, most)
    };
    Ok(vec![
        figure("p50", 0.5, 1_000.0),
        figure("p99", 0.99, 5_000.0),
    ])
}

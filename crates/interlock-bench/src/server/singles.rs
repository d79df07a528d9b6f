//! Single submissions, 64 at a time, beside an echo on the same server; and batches of 100.

use crate::host::Host;
use crate::load::rate;
use crate::measure::median;
use crate::report::{Figure, Unit};
use crate::tasks::{BATCH, Idle, batch, submission};
use crate::wire::post;
use std::time::Duration;

const CLIENTS: usize = 64;
const BATCH_CLIENTS: usize = 16;

/// How many requests per second, and the server's CPU time for each.
struct Share {
    rate: f64,
    micros: f64,
}

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let (turns, time) = match quick {
        true => (1, Duration::from_millis(500)),
        false => (8, Duration::from_secs(2)),
    };
    let data = tempfile::tempdir()?;
    let host = Host::start(None, &data.path().join("data")).await?;
    let _worker = Idle::register(host.address, "w").await?;
    let mut pairs = Vec::new();
    let mut batches = Vec::new();
    // The first turn is to warm up.
    for turn in 0..=turns {
        let pair = echo_and_single(&host, turn, time).await?;
        if turn > 0 {
            pairs.push(pair);
        }
    }
    for turn in 0..=turns / 2 {
        let batch = batch_of_many(&host, turn, time).await?;
        if turn > 0 || quick {
            batches.push(batch);
        }
    }
    host.stop()?;
    Ok(show(&pairs, &batches))
}

/// One right after the other, since the machine's own speed changes within seconds. Every submission
/// has a resource of its own, so that it is accepted: the echo's answer is as long.
async fn echo_and_single(host: &Host, turn: u64, time: Duration) -> anyhow::Result<(Share, Share)> {
    let first = turn * 1_000_000_000;
    let echo = share(host, CLIENTS, time, move |n| {
        post("/v1/echo", &submission(first + n))
    });
    let echo = echo.await?;
    let single = share(host, CLIENTS, time, move |n| {
        post("/v1/tasks", &submission(first + n))
    });
    Ok((echo, single.await?))
}

/// Per task.
async fn batch_of_many(host: &Host, turn: u64, time: Duration) -> anyhow::Result<Share> {
    let first = 5_000_000 + turn * 10_000_000;
    let share = share(host, BATCH_CLIENTS, time, move |n| {
        batch(first + n, |number| number)
    });
    let share = share.await?;
    Ok(Share {
        rate: share.rate * BATCH as f64,
        micros: share.micros / BATCH as f64,
    })
}

async fn share(
    host: &Host,
    clients: usize,
    time: Duration,
    make: impl Fn(u64) -> Vec<u8> + Send + Sync + 'static,
) -> anyhow::Result<Share> {
    host.settle().await?;
    let before = host.cpu()?;
    let (answered, took) = rate(host.address, clients, time, make).await?;
    let cpu = host.cpu()?.saturating_sub(before);
    Ok(Share {
        rate: answered as f64 / took.as_secs_f64(),
        micros: cpu.as_secs_f64() * 1e6 / answered as f64,
    })
}

fn show(pairs: &[(Share, Share)], batches: &[Share]) -> Vec<Figure> {
    let echo =
        |value: fn(&Share) -> f64| median(pairs.iter().map(|(echo, _)| value(echo)).collect());
    let single =
        |value: fn(&Share) -> f64| median(pairs.iter().map(|(_, single)| value(single)).collect());
    let batch = |value: fn(&Share) -> f64| median(batches.iter().map(value).collect());
    let ratios = pairs.iter().map(|(echo, single)| single.rate / echo.rate);
    let at_a_time = |text: &str| format!("{text}, {CLIENTS} at a time");
    let (rate, micros) = (|share: &Share| share.rate, |share: &Share| share.micros);
    vec![
        Figure::info(at_a_time("echo"), echo(rate), Unit::PerSecond),
        Figure::info(
            at_a_time("single submissions"),
            single(rate),
            Unit::PerSecond,
        ),
        Figure::at_least(
            "single submissions ÷ echo",
            median(ratios.collect()),
            Unit::Ratio,
            0.7,
        ),
        Figure::info("the server's CPU time per echo", echo(micros), Unit::Micros),
        Figure::info(
            "the server's CPU time per single submission",
            single(micros),
            Unit::Micros,
        ),
        Figure::info(
            format!("tasks in batches of {BATCH}, {BATCH_CLIENTS} at a time"),
            batch(rate),
            Unit::PerSecond,
        ),
        Figure::at_least(
            "tasks in batches ÷ single",
            batch(rate) / single(rate),
            Unit::Ratio,
            5.0,
        ),
        Figure::info(
            "the server's CPU time per task of a batch",
            batch(micros),
            Unit::Micros,
        ),
    ]
}

//! Single submissions, 64 at a time, beside an echo on the same server, and one that is only kept; and
//! batches of 100.

use crate::host::Host;
use crate::load::rate;
use crate::measure::median;
use crate::report::{Figure, Unit};
use crate::tasks::{BATCH, Idle, batch, submission};
use crate::wire::post;
use std::time::Duration;

const CLIENTS: usize = 64;

/// How many requests per second, and the server's CPU time for each.
struct Share {
    rate: f64,
    micros: f64,
}

/// The same submissions in one turn.
struct Turn {
    /// Kept, and nothing decided.
    kept: Share,
    /// Neither.
    echo: Share,
    single: Share,
}

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let (turns, time) = match quick {
        true => (1, Duration::from_millis(500)),
        false => (8, Duration::from_secs(2)),
    };
    let data = tempfile::tempdir()?;
    let host = Host::start(None, &data.path().join("data")).await?;
    let _worker = Idle::register(host.address, "w").await?;
    let mut shares = Vec::new();
    let mut batches = Vec::new();
    // The first turn is to warm up.
    for turn in 0..=turns {
        let share = one_turn(&host, turn, time).await?;
        if turn > 0 {
            shares.push(share);
        }
    }
    for turn in 0..=turns / 2 {
        let batch = batch_of_many(&host, turn, time).await?;
        if turn > 0 || quick {
            batches.push(batch);
        }
    }
    host.stop()?;
    Ok(show(&shares, &batches))
}

/// One right after the other, since the machine's own speed changes within seconds. Every submission
/// has a resource of its own, so that it is accepted: the echo's answer is as long.
async fn one_turn(host: &Host, turn: u64, time: Duration) -> anyhow::Result<Turn> {
    let first = turn * 1_000_000_000;
    let to = |path: &'static str| {
        share(host, CLIENTS, time, move |n| {
            post(path, &submission(first + n))
        })
    };
    Ok(Turn {
        kept: to("/v1/echo/kept").await?,
        echo: to("/v1/echo").await?,
        single: to("/v1/tasks").await?,
    })
}

/// Per task.
async fn batch_of_many(host: &Host, turn: u64, time: Duration) -> anyhow::Result<Share> {
    let first = 5_000_000 + turn * 10_000_000;
    let share = share(host, CLIENTS, time, move |n| {
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

fn show(turns: &[Turn], batches: &[Share]) -> Vec<Figure> {
    let of = |value: fn(&Turn) -> f64| median(turns.iter().map(value).collect());
    let batch = |value: fn(&Share) -> f64| median(batches.iter().map(value).collect());
    let at_a_time = |text: &str| format!("{text}, {CLIENTS} at a time");
    let rate = |text: &str, rate: f64| Figure::info(at_a_time(text), rate, Unit::PerSecond);
    let micros = |text: &str, micros: f64| {
        let text = format!("the server's CPU time per {text}");
        Figure::info(text, micros, Unit::Micros)
    };
    let single = of(|turn| turn.single.rate);
    let batch_rate = batch(|share| share.rate);
    vec![
        rate("echo", of(|turn| turn.echo.rate)),
        rate("echo of what is kept", of(|turn| turn.kept.rate)),
        rate("single submissions", single),
        Figure::at_least(
            "single submissions ÷ echo",
            of(|turn| turn.single.rate / turn.echo.rate),
            Unit::Ratio,
            0.7,
        ),
        Figure::info(
            "single submissions ÷ echo of what is kept",
            of(|turn| turn.single.rate / turn.kept.rate),
            Unit::Ratio,
        ),
        micros("echo", of(|turn| turn.echo.micros)),
        micros("echo of what is kept", of(|turn| turn.kept.micros)),
        micros("single submission", of(|turn| turn.single.micros)),
        Figure::info(
            at_a_time(&format!("tasks in batches of {BATCH}")),
            batch_rate,
            Unit::PerSecond,
        ),
        Figure::at_least(
            "tasks in batches ÷ single",
            batch_rate / single,
            Unit::Ratio,
            5.0,
        ),
        micros("task of a batch", batch(|share| share.micros)),
    ]
}

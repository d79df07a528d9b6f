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

/// Rates and CPU times of one turn.
struct Turn {
    echo: Share,
    single: Share,
    batch: Share,
}

/// How many requests per second, and the server's CPU time for each.
struct Share {
    rate: f64,
    micros: f64,
}

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let (turns, time) = match quick {
        true => (1, Duration::from_millis(500)),
        false => (5, Duration::from_secs(3)),
    };
    let data = tempfile::tempdir()?;
    let host = Host::start(None, &data.path().join("data")).await?;
    let _worker = Idle::register(host.address, "w").await?;
    let mut measured = Vec::new();
    // The first turn is to warm up.
    for number in 0..=turns {
        let turn = turn(&host, number, time).await?;
        if number > 0 {
            measured.push(turn);
        }
    }
    host.stop()?;
    Ok(show(&measured))
}

/// Every submission has a resource of its own, so that it is accepted: the echo's answer is as long.
async fn turn(host: &Host, turn: u64, time: Duration) -> anyhow::Result<Turn> {
    let first = turn * 1_000_000_000;
    let echo = share(host, CLIENTS, time, move |n| {
        post("/v1/echo", &submission(first + n))
    });
    let echo = echo.await?;
    let single = share(host, CLIENTS, time, move |n| {
        post("/v1/tasks", &submission(first + n))
    });
    let single = single.await?;
    let batches = share(host, BATCH_CLIENTS, time, move |n| {
        batch(first / BATCH + 5_000_000 + n, |number| number)
    });
    let mut batch = batches.await?;
    batch.rate *= BATCH as f64;
    batch.micros /= BATCH as f64;
    Ok(Turn {
        echo,
        single,
        batch,
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

fn show(turns: &[Turn]) -> Vec<Figure> {
    let of = |value: fn(&Turn) -> f64| median(turns.iter().map(value).collect());
    let at_a_time = |text: &str| format!("{text}, {CLIENTS} at a time");
    let per_second = Unit::PerSecond;
    vec![
        Figure::info(at_a_time("echo"), of(|turn| turn.echo.rate), per_second),
        Figure::info(
            at_a_time("single submissions"),
            of(|turn| turn.single.rate),
            per_second,
        ),
        Figure::at_least(
            "single submissions ÷ echo",
            of(|turn| turn.single.rate / turn.echo.rate),
            Unit::Ratio,
            0.7,
        ),
        Figure::info(
            "the server's CPU time per echo",
            of(|turn| turn.echo.micros),
            Unit::Micros,
        ),
        Figure::info(
            "the server's CPU time per single submission",
            of(|turn| turn.single.micros),
            Unit::Micros,
        ),
        Figure::info(
            format!("tasks in batches of {BATCH}, {BATCH_CLIENTS} at a time"),
            of(|turn| turn.batch.rate),
            per_second,
        ),
        Figure::at_least(
            "tasks in batches ÷ single",
            of(|turn| turn.batch.rate / turn.single.rate),
            Unit::Ratio,
            5.0,
        ),
        Figure::info(
            "the server's CPU time per task of a batch",
            of(|turn| turn.batch.micros),
            Unit::Micros,
        ),
    ]
}

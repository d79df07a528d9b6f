//! Single submissions, 64 at a time, beside an echo on the same server; and batches of 100.

use super::host::Host;
use super::load::rate;
use super::wire::{Connection, post};
use crate::report::{Figure, Unit};
use std::net::SocketAddr;
use std::time::Duration;

const CLIENTS: usize = 64;
const BATCH: u64 = 100;

pub(super) fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let (turns, time) = match quick {
        true => (1, Duration::from_millis(500)),
        false => (5, Duration::from_secs(3)),
    };
    let data = tempfile::tempdir()?;
    let host = Host::start(&data.path().join("data"))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let figures = runtime.block_on(measure(host.address, turns, time))?;
    host.stop()?;
    Ok(figures)
}

async fn measure(address: SocketAddr, turns: usize, time: Duration) -> anyhow::Result<Vec<Figure>> {
    prepare(address).await?;
    let mut rates: Vec<[f64; 3]> = Vec::new();
    for turn in 0..=turns as u64 {
        let first = turn * 1_000_000_000;
        let echo = rate(address, CLIENTS, time, |n| post("/v1/echo", &body(n))).await?;
        let single = rate(address, CLIENTS, time, move |n| {
            post("/v1/tasks", &body(first + n))
        });
        let single = single.await?;
        let batch = rate(address, CLIENTS / 8, time, move |n| {
            let items = (0..BATCH).map(|item| body(first + 500_000_000 + n * BATCH + item));
            let items: Vec<String> = items.collect();
            post(
                "/v1/tasks/batch",
                &format!("{{\"items\":[{}]}}", items.join(",")),
            )
        });
        let batch = batch.await? * BATCH as f64;
        // The first turn is to warm up.
        if turn > 0 {
            rates.push([echo, single, batch]);
        }
    }
    let median = |of: fn(&[f64; 3]) -> f64| {
        let mut values: Vec<f64> = rates.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let name = |text: &str| format!("{text}, {CLIENTS} at a time");
    Ok(vec![
        Figure::info(name("echo"), median(|r| r[0]), Unit::PerSecond),
        Figure::info(
            name("single submissions"),
            median(|r| r[1]),
            Unit::PerSecond,
        ),
        Figure::at_least(
            "single submissions ÷ echo",
            median(|r| r[1] / r[0]),
            Unit::Ratio,
            0.7,
        ),
        Figure::info("tasks in batches of 100", median(|r| r[2]), Unit::PerSecond),
        Figure::at_least(
            "tasks in batches ÷ single",
            median(|r| r[2] / r[1]),
            Unit::Ratio,
            5.0,
        ),
    ])
}

async fn prepare(address: SocketAddr) -> anyhow::Result<()> {
    let mut connection = Connection::open(address).await?;
    let request = post(
        "/v1/work/register",
        r#"{"name":"w","kinds":["sync"],"policies":[{"name":"sync"}]}"#,
    );
    let (status, body) = connection.ask(&request).await?;
    anyhow::ensure!(status < 300, "{status}: {}", String::from_utf8_lossy(body));
    Ok(())
}

fn body(number: u64) -> String {
    let resource = number % 100_000;
    format!(
        r#"{{"kind":"sync","resources":["repository:{resource}"],"payload":{{"number":{number},"full":false,"source":"benchmark"}}}}"#
    )
}

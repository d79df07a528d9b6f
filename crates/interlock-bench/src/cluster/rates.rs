//! Single submissions and whole lives on one node, beside the embedded store.

use crate::host::Host;
use crate::load::rate;
use crate::measure::median;
use crate::nodes::{Cluster, Wires};
use crate::report::{Figure, Unit};
use crate::server::whole_life;
use crate::tasks::{Idle, submission};
use crate::wire::post;
use std::net::SocketAddr;
use std::time::Duration;

const CLIENTS: usize = 64;
/// For what was left to be written after the answers.
const SETTLE: Duration = Duration::from_secs(2);

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let (turns, time, lives) = match quick {
        true => (1, Duration::from_millis(500), 10_000),
        false => (3, Duration::from_secs(3), 200_000),
    };
    let data = tempfile::tempdir()?;
    let host = Host::start(None, &data.path().join("data")).await?;
    let cluster = Cluster::start(None, 1, Wires::None).await?;
    let both = [host.address, cluster.address(0)?];
    let mut workers = Vec::new();
    for address in both {
        workers.push(Idle::register(address, "first").await?);
    }
    let mut singles = [Vec::new(), Vec::new()];
    let mut whole = [Vec::new(), Vec::new()];
    let mut logged = Vec::new();
    // The first turn is to warm up.
    for turn in 0..=turns {
        for (at, address) in both.into_iter().enumerate() {
            let before = written_ahead(&cluster)?;
            let life = whole_life::rate(address, &format!("turn {turn}"), lives).await?;
            tokio::time::sleep(SETTLE).await;
            if turn > 0 {
                whole[at].push(life);
                logged.push((written_ahead(&cluster)? - before) / lives as f64);
            }
        }
    }
    // After the lives, since nobody takes these.
    for turn in 0..=turns {
        for (at, address) in both.into_iter().enumerate() {
            let single = single_rate(address, turn, time).await?;
            tokio::time::sleep(SETTLE).await;
            if turn > 0 {
                singles[at].push(single);
            }
        }
    }
    drop(workers);
    host.stop()?;
    let mut figures = compare(&format!("single submissions, {CLIENTS} at a time"), singles);
    figures.extend(compare("whole lives", whole));
    // While the embedded store was at work the database had nothing to do.
    let logged = logged.into_iter().fold(0.0, f64::max);
    let name = "write-ahead log of the database per whole life";
    figures.push(Figure::info(name, logged, Unit::Bytes));
    Ok(figures)
}

/// How many bytes the database has written ahead so far.
fn written_ahead(cluster: &Cluster) -> anyhow::Result<f64> {
    let sql = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')";
    Ok(cluster.database.sql("postgres", sql).parse()?)
}

async fn single_rate(address: SocketAddr, turn: u64, time: Duration) -> anyhow::Result<f64> {
    let first = (turn + 1) * 1_000_000_000;
    let make = move |n| post("/v1/tasks", &submission(first + n));
    let (answered, took) = rate(address, CLIENTS, time, make).await?;
    Ok(answered as f64 / took.as_secs_f64())
}

fn compare(what: &str, [embedded, postgres]: [Vec<f64>; 2]) -> Vec<Figure> {
    let ratios = embedded.iter().zip(&postgres);
    let ratio = median(
        ratios
            .map(|(embedded, postgres)| postgres / embedded)
            .collect(),
    );
    vec![
        Figure::info(
            format!("{what}, embedded"),
            median(embedded),
            Unit::PerSecond,
        ),
        Figure::info(
            format!("{what}, PostgreSQL"),
            median(postgres),
            Unit::PerSecond,
        ),
        Figure::at_least(
            format!("{what}, PostgreSQL ÷ embedded"),
            ratio,
            Unit::Ratio,
            0.5,
        ),
    ]
}

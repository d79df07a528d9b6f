//! The drain of a backlog, ten tasks on each resource: by itself, with a million further tasks
//! behind it, and with quotas on every resource that are never reached.

use super::sdk::{Working, client};
use crate::host::Host;
use crate::measure::median;
use crate::report::{Figure, Unit};
use crate::tasks::submit;
use interlock_api::kind::{KindPolicy, QuotaUse};
use interlock_api::quota::QuotaPolicy;
use std::time::Instant;

/// Runs at once, and the sessions that share them.
const WORKER: (usize, usize) = (64, 2);

/// Sizes of a run.
struct Sizes {
    backlog: u64,
    further: u64,
    turns: usize,
}

/// What the backlog is drained beside.
#[derive(Clone, Copy)]
enum Beside {
    Nothing,
    FurtherTasks,
    Quotas,
}

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let sizes = match quick {
        true => Sizes {
            backlog: 10_000,
            further: 20_000,
            turns: 1,
        },
        false => Sizes {
            backlog: 500_000,
            further: 1_000_000,
            turns: 3,
        },
    };
    let (mut alone, mut crowded, mut metered) = (Vec::new(), Vec::new(), Vec::new());
    for turn in 0..sizes.turns {
        let mut order = [
            (Beside::Nothing, &mut alone),
            (Beside::FurtherTasks, &mut crowded),
            (Beside::Quotas, &mut metered),
        ];
        order.rotate_left(turn % 3);
        for (beside, rates) in order {
            rates.push(drain(&sizes, beside).await?);
        }
    }
    let against = |rates: &[f64]| {
        let ratios = rates.iter().zip(&alone).map(|(rate, alone)| rate / alone);
        median(ratios.collect())
    };
    let further = sizes.further as f64 / 1e6;
    let (crowded, metered) = (against(&crowded), against(&metered));
    Ok(vec![
        Figure::at_least(
            format!("drain of {} tasks by one worker", sizes.backlog),
            median(alone),
            Unit::PerSecond,
            70_000.0,
        ),
        Figure::at_least(
            format!("with {further} million further tasks waiting ÷ without"),
            crowded,
            Unit::Ratio,
            0.85,
        ),
        Figure::at_least(
            "with two limits on every resource ÷ without",
            metered,
            Unit::Ratio,
            0.8,
        ),
    ])
}

/// Tasks per second.
async fn drain(sizes: &Sizes, beside: Beside) -> anyhow::Result<f64> {
    let data = tempfile::tempdir()?;
    let host = Host::start(None, &data.path().join("data")).await?;
    let mut policy = KindPolicy::default();
    let client = client(host.address)?;
    if let Beside::Quotas = beside {
        let limits = ["1000000/1s", "1000000000/24h"].map(str::parse);
        let quota = QuotaPolicy {
            name: None,
            per: Some("repository".into()),
            limits: limits.into_iter().collect::<Result<_, _>>()?,
        };
        client.quotas().set("calls", &quota).await?;
        policy.quotas = vec![QuotaUse {
            quota: "calls".into(),
            cost: 1,
        }];
    }
    client.kinds().set("sync", &policy).await?;
    let further = match beside {
        Beside::FurtherTasks => sizes.further,
        Beside::Nothing | Beside::Quotas => 0,
    };
    submit(host.address, sizes.backlog + further, |number| number / 10).await?;
    host.settle().await?;
    let begun = Instant::now();
    Working::start(host.address, WORKER, sizes.backlog)?
        .finish()
        .await?;
    let took = begun.elapsed();
    host.stop()?;
    Ok(sizes.backlog as f64 / took.as_secs_f64())
}

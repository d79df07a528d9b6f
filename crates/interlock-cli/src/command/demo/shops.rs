//! Shops that allow ten calls a second and ten thousand a day: regular syncs by schedule, on-demand
//! ones before them, pushes that are throttled, failures that are tried again on a ladder.

use super::dice::Dice;
use super::scene::{Scene, on, policy, seconds};
use super::tally::Story;
use crate::exit::Failure;
use interlock_api::Span;
use interlock_api::kind::{KindPolicy, QuotaUse, Retry, Waits};
use interlock_api::quota::{Limit, QuotaPolicy};
use interlock_api::schedule::SchedulePolicy;
use interlock_client::worker::{Error, Run, Worker};
use std::time::{Duration, Instant};

const SHOPS: u64 = 100;
/// These are synchronised by schedule.
const REGULAR: std::ops::Range<u64> = 40..46;
/// Calls of a sync unless the submitter says otherwise.
const CALLS: u64 = 12;
/// So many calls a second, of each shop.
pub const PER_SECOND: u64 = 10;
const PER_DAY: u64 = 10_000;
/// So many pushes in ten seconds, of all shops together.
const PUSHES: u64 = 12;

fn window(units: u64, per: Span) -> Limit {
    Limit::Window { units, per }
}

fn quotas() -> [(&'static str, QuotaPolicy); 2] {
    let quota = |per: Option<&str>, limits: &[Limit]| QuotaPolicy {
        name: None,
        per: per.map(ToOwned::to_owned),
        limits: limits.to_vec(),
    };
    let calls = [
        window(PER_SECOND, seconds(1)),
        window(PER_DAY, seconds(86_400)),
    ];
    let pushes = [window(PUSHES, seconds(10))];
    [
        ("shop-calls", quota(Some("shop"), &calls)),
        ("pushes", quota(None, &pushes)),
    ]
}

/// On-demand goes before push, and push before regular.
fn kinds() -> [(&'static str, KindPolicy); 3] {
    [("on-demand", 8), ("push", 6), ("regular", 4)].map(|(name, priority)| {
        let uses = |quota: &str, cost| QuotaUse {
            quota: quota.to_owned(),
            cost,
        };
        // The run itself spends, call by call; a start costs nothing.
        let mut quotas = vec![uses("shop-calls", 0)];
        if name == "push" {
            quotas.push(uses("pushes", 1));
        }
        let policy = KindPolicy {
            priority: Some(priority),
            quotas,
            retry: Some(Retry {
                waits: Some(Waits::Ladder([3, 10, 30, 60].map(seconds).to_vec())),
                ..Retry::default()
            }),
            ..policy()
        };
        (name, policy)
    })
}

/// Sets quotas, kinds and schedules, in this order: each needs the one before.
pub async fn prepare(scene: &Scene) -> Result<(), Failure> {
    let client = scene.client();
    for (name, quota) in quotas() {
        client.quotas().set(name, &quota).await?;
    }
    for (name, kind) in kinds() {
        client.kinds().set(name, &kind).await?;
    }
    for shop in REGULAR {
        let name = format!("regular-{shop}");
        client.schedules().set(&name, &regularly(shop)).await?;
    }
    Ok(())
}

/// Every ten seconds, one shop after another.
fn regularly(shop: u64) -> SchedulePolicy {
    SchedulePolicy {
        name: None,
        cron: None,
        zone: None,
        every: Some(Span::from_ms(10_000 + shop % 6 * 500)),
        start: None,
        count: None,
        submission: on("regular", named(shop), &CALLS),
    }
}

/// Two workers, each for every kind.
pub fn workers(scene: &Scene) -> Vec<Worker> {
    let worker = |name| {
        kinds()
            .into_iter()
            .fold(scene.worker(name, 4), |worker, (kind, _)| {
                let scene = scene.clone();
                worker.handler(kind, None, move |run, calls: Option<u64>| {
                    sync(scene.clone(), run, calls.unwrap_or(CALLS))
                })
            })
    };
    ["shops-1", "shops-2"].map(worker).into()
}

async fn sync(scene: Scene, run: Run, calls: u64) -> Result<u64, Error> {
    let _at_work = scene.tally().begin(Story::Shops, &run);
    let shop = run.resources().first().map(|claim| claim.resource.clone());
    let shop = shop.ok_or_else(|| Error::give_up("no shop"))?;
    for call in 1..=calls {
        let permit = run.spend("shop-calls", 1).await?; // waits as the quota demands
        scene.tally().call(&shop, PER_SECOND, Instant::now());
        run.sleep(Duration::from_millis(20)).await?; // the shop has work of its own
        drop(permit);
        run.progress(call, calls, format!("call {call}"));
        if is_down(&run, call) {
            return Err(Error::new("the shop is down"));
        }
    }
    Ok(calls)
}

/// Every eighth task meets a shop that is down, the first time.
fn is_down(run: &Run, call: u64) -> bool {
    run.attempt() == 1 && run.task().is_multiple_of(8) && call == 3
}

/// Submits for ever.
pub async fn traffic(scene: Scene, mut dice: Dice) -> Result<(), Failure> {
    for round in 0_u64.. {
        let shop = named(dice.below(SHOPS));
        let calls = dice.between(6, 24);
        scene.submit(&on("on-demand", shop, &calls)).await?;
        // Fewer than the quota allows in the long run, and more than it does at once.
        if round.is_multiple_of(32) {
            for _ in 0..2 * PUSHES {
                let push = on("push", named(dice.below(SHOPS)), &dice.between(2, 5));
                scene.submit(&push).await?;
            }
        }
        tokio::time::sleep(Duration::from_millis(dice.between(400, 1_200))).await;
    }
    Ok(())
}

fn named(number: u64) -> String {
    format!("shop:{number}")
}

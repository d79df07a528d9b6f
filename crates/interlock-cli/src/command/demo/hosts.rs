//! Hosts that send bursts of events, which become few runs; a removal in ten minutes that registering
//! again undoes; an import that fails and is tried again.

use super::dice::Dice;
use super::scene::{Scene, on, policy, seconds};
use super::tally::Story;
use crate::exit::Failure;
use interlock_api::due::Due;
use interlock_api::json::Json;
use interlock_api::kind::{Coalesce, KindPolicy, PayloadRule, Retry, Waits};
use interlock_api::submission::{Submissions, SubmitOptions};
use interlock_client::worker::{Error, Run, Worker};
use std::time::Duration;

const HOSTS: u64 = 60;
/// Events of one burst, and how many hosts they are about.
const BURST: u64 = 120;
const BURST_HOSTS: u64 = 15;

fn applicability() -> KindPolicy {
    KindPolicy {
        coalesce: Some(Coalesce {
            payload: PayloadRule::Append,
            gather: seconds(1),
        }),
        ..policy()
    }
}

fn import() -> KindPolicy {
    KindPolicy {
        retry: Some(Retry {
            waits: Some(Waits::Ladder([2, 5, 10].map(seconds).to_vec())),
            window: Some(seconds(60)),
            ..Retry::default()
        }),
        ..policy()
    }
}

fn register() -> KindPolicy {
    KindPolicy {
        priority: Some(6),
        cancels: vec!["remove-queue".to_owned()],
        ..policy()
    }
}

/// Registers the kinds. One that cancels another must come after it.
pub async fn prepare(scene: &Scene) -> Result<(), Failure> {
    let kinds = [
        ("applicability", applicability()),
        ("import", import()),
        ("remove-queue", policy()),
        ("register", register()),
    ];
    for (name, policy) in kinds {
        scene.client().kinds().set(name, &policy).await?;
    }
    Ok(())
}

/// Two workers.
pub fn workers(scene: &Scene) -> Vec<Worker> {
    let worker = |name| {
        let [first, second, third, fourth] = std::array::from_fn(|_| scene.clone());
        scene
            .worker(name, 4)
            .handler(
                "applicability",
                None,
                move |run, events: Option<Vec<u64>>| {
                    let events = events.map_or(1, |events| events.len() as u64);
                    work(first.clone(), run, events)
                },
            )
            .handler("register", None, move |run, ()| {
                work(second.clone(), run, 3)
            })
            .handler("remove-queue", None, move |run, ()| {
                work(third.clone(), run, 3)
            })
            .handler("import", None, move |run, ()| bring_in(fourth.clone(), run))
    };
    ["hosts-1", "hosts-2"].map(worker).into()
}

async fn work(scene: Scene, run: Run, parts: u64) -> Result<u64, Error> {
    let _at_work = scene.tally().begin(Story::Hosts, &run);
    for part in 1..=parts {
        run.sleep(Duration::from_millis(25)).await?;
        run.progress(part, parts, "");
    }
    Ok(parts)
}

/// The first try of every third host fails, and of every sixth the second too.
async fn bring_in(scene: Scene, run: Run) -> Result<u64, Error> {
    let number = (run.resources().first())
        .and_then(|claim| claim.resource.rsplit(':').next()?.parse::<u64>().ok());
    let attempt = u64::from(run.attempt());
    let done = work(scene, run, 20).await?;
    let fails = match number.unwrap_or(0) % 6 {
        0 => attempt <= 2,
        3 => attempt <= 1,
        _ => false,
    };
    match fails {
        true => Err(Error::new("the host does not answer")),
        false => Ok(done),
    }
}

/// Submits for ever.
pub async fn traffic(scene: Scene, mut dice: Dice) -> Result<(), Failure> {
    for round in 0_u64.. {
        burst(&scene, &mut dice).await?;
        // The first import fails, so that a retry is seen soon.
        let host = named(if round == 0 { 0 } else { dice.below(HOSTS) });
        scene.submit(&on("import", host.clone(), &())).await?;
        if round.is_multiple_of(2) {
            let mut removal = on("remove-queue", host.clone(), &());
            removal.due = Some(Due::In(seconds(600)));
            scene.submit(&removal).await?;
        }
        tokio::time::sleep(Duration::from_millis(dice.between(2_000, 3_500))).await;
        // Most hosts come back in time; then nothing is removed.
        if dice.percent(80) {
            scene.submit(&on("register", host, &())).await?;
        }
    }
    Ok(())
}

/// Many events of few hosts.
async fn burst(scene: &Scene, dice: &mut Dice) -> Result<(), Failure> {
    let first = dice.below(HOSTS);
    let event = |number| {
        let host = named((first + number % BURST_HOSTS) % HOSTS);
        Json::of(&on("applicability", host, &[number]))
    };
    let items = (0..BURST).map(event).collect::<Result<_, _>>()?;
    let submissions = Submissions { items };
    let tasks = scene.client().tasks();
    tasks.batch(&submissions, SubmitOptions::default()).await?;
    Ok(())
}

fn named(number: u64) -> String {
    format!("host:{number}")
}

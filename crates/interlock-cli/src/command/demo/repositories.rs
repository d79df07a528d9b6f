//! Repositories that are synchronised, published, copied, deleted and created: conflicting work on
//! shared resources.

use super::dice::Dice;
use super::scene::{Scene, claim, on, policy, with_claims};
use super::tally::Story;
use crate::exit::Failure;
use interlock_api::claim::Op;
use interlock_api::kind::{Coalesce, KindPolicy};
use interlock_api::submission::After;
use interlock_client::worker::{Error, Run, Worker};
use std::time::Duration;

/// Repositories are numbered like this: f10 to f29.
const FIRST: u64 = 10;
const COUNT: u64 = 20;
/// Packages of a repository unless the submitter says otherwise.
const PACKAGES: u64 = 12;
/// One that an operator holds, so that there is something to explain and to release.
pub const VAULT: &str = "repository:vault";

fn kinds() -> [(&'static str, KindPolicy); 5] {
    let doing = |op| KindPolicy {
        op: Some(op),
        ..policy()
    };
    let sync = KindPolicy {
        coalesce: Some(Coalesce::default()),
        ..policy()
    };
    [
        ("sync", sync),
        ("publish", doing(Op::Read)),
        ("copy", policy()),
        ("delete", doing(Op::Delete)),
        ("create", doing(Op::Create)),
    ]
}

/// Registers the kinds.
pub async fn prepare(scene: &Scene) -> Result<(), Failure> {
    for (name, policy) in kinds() {
        scene.client().kinds().set(name, &policy).await?;
    }
    Ok(())
}

/// Holds a repository, and lets something wait for it. Gives back the last in that chain.
pub async fn lock_the_vault(scene: &Scene) -> Result<u64, Failure> {
    scene.client().resources().hold(VAULT).await?;
    let tasks = scene.client().tasks();
    let sync = tasks.submit(&on("sync", VAULT, &PACKAGES)).await?;
    let mut publish = on("publish", VAULT, &PACKAGES);
    publish.after = sync.task.into_iter().map(After::Task).collect();
    let publish = tasks.submit(&publish).await?;
    Ok(publish.task.or(sync.task).unwrap_or(1))
}

/// Two workers, each for every kind.
pub fn workers(scene: &Scene) -> Vec<Worker> {
    let worker = |name| {
        kinds()
            .into_iter()
            .fold(scene.worker(name, 3), |worker, (kind, policy)| {
                let scene = scene.clone();
                let pace = pace(kind);
                worker.handler(kind, policy, move |run, packages: Option<u64>| {
                    work(scene.clone(), run, packages.unwrap_or(PACKAGES), pace)
                })
            })
    };
    ["mirror-1", "mirror-2"].map(worker).into()
}

/// How long each package takes.
fn pace(kind: &str) -> Duration {
    Duration::from_millis(match kind {
        "sync" => 120,
        "publish" => 60,
        "copy" => 80,
        _ => 25,
    })
}

async fn work(scene: Scene, run: Run, packages: u64, pace: Duration) -> Result<u64, Error> {
    let _at_work = scene.tally().begin(Story::Repositories, &run);
    for package in 1..=packages {
        run.sleep(pace).await?; // the mirror takes its time
        run.progress(package, packages, format!("package {package}"));
    }
    Ok(packages)
}

/// Submits for ever.
pub async fn traffic(scene: Scene, mut dice: Dice) -> Result<(), Failure> {
    for number in 0..COUNT / 2 {
        let sync = on("sync", named(number), &dice.between(5, 15));
        scene.submit(&sync).await?;
    }
    loop {
        step(&scene, &mut dice).await?;
        tokio::time::sleep(Duration::from_millis(dice.between(150, 550))).await;
    }
}

/// One thing that somebody wants.
async fn step(scene: &Scene, dice: &mut Dice) -> Result<(), Failure> {
    let repository = named(dice.rather_low(COUNT));
    let packages = dice.between(5, 20);
    match dice.below(100) {
        ..60 => scene.submit(&on("sync", repository, &packages)).await?,
        60..84 => scene.submit(&on("publish", repository, &packages)).await?,
        84..95 => {
            let to = named(COUNT - 1 - dice.rather_low(COUNT / 2));
            let claims = [claim(repository, Op::Read), claim(to, Op::Update)];
            // The halves overlap, and nothing is copied onto itself.
            match claims[0].resource == claims[1].resource {
                true => None,
                false => {
                    scene
                        .submit(&with_claims("copy", claims, &packages))
                        .await?
                }
            }
        }
        _ => {
            // Not those of the first half: f16 is there whenever somebody tries it.
            let repository = named(COUNT / 2 + dice.below(COUNT / 2));
            scene
                .submit(&on("delete", repository.clone(), &packages))
                .await?;
            // Somebody who has not heard of that is told so.
            scene
                .submit(&on("sync", repository.clone(), &packages))
                .await?;
            tokio::spawn(create_later(scene.clone(), repository, packages));
            None
        }
    };
    Ok(())
}

/// Until then everything else on the repository is rejected.
async fn create_later(scene: Scene, repository: String, packages: u64) -> Result<(), Failure> {
    tokio::time::sleep(Duration::from_secs(2)).await;
    scene.submit(&on("create", repository, &packages)).await?;
    Ok(())
}

fn named(number: u64) -> String {
    format!("repository:f{}", FIRST + number)
}

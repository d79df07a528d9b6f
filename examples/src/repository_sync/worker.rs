//! The worker: a handler for each kind.

use super::files::Repositories;
use super::kinds;
use crate::args::Args;
use crate::ask::Outcome;
use crate::journal::Journal;
use interlock_api::claim::Op;
use interlock_client::worker::{Error, Run, Worker};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How much there is to fetch or to list, and how long each package takes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Load {
    /// So many packages.
    pub packages: u64,
    /// Milliseconds for each.
    pub pace_ms: u64,
}

/// What the handlers work with.
#[derive(Clone)]
struct Site {
    repositories: Repositories,
    journal: Journal,
}

/// A worker of this name for every kind of the story.
pub fn worker(args: &Args, name: &str) -> Outcome<Worker> {
    let site = Site {
        repositories: Repositories::within(&args.dir),
        journal: Journal::open(&args.dir, name)?,
    };
    let journal = site.journal.clone();
    let (speed, s) = (args.speed, move || site.clone());
    let (a, b, c, d, e) = (s.clone(), s.clone(), s.clone(), s.clone(), s);
    Ok(Worker::new(args.client()?)
        .name(name)
        .concurrency(args.concurrency)
        .last_resort(move |why| journal.last_resort(why))
        .handler("sync", kinds::sync(speed), move |run, load| {
            sync(a(), run, load)
        })
        .handler("update", kinds::update(speed), move |run, text| {
            update(b(), run, text)
        })
        .handler("publish", kinds::publish(speed), move |run, load| {
            publish(c(), run, load)
        })
        .handler("copy", kinds::copy(speed), move |run, ()| copy(d(), run))
        .handler("delete", kinds::delete(speed), move |run, ()| {
            delete(e(), run)
        }))
}

async fn sync(site: Site, run: Run, load: Load) -> Result<u64, Error> {
    let _begun = site.journal.begin(&run, &load)?;
    let repository = touched(&run, Op::Update)?;
    for package in 1..=load.packages {
        run.sleep(Duration::from_millis(load.pace_ms)).await?; // the mirror takes its time
        let name = format!("package-{package}");
        site.repositories.put(&repository, &name)?;
        run.progress(package, load.packages, format!("fetched {name}"));
    }
    Ok(load.packages)
}

async fn update(site: Site, run: Run, description: String) -> Result<(), Error> {
    let _begun = site.journal.begin(&run, &description)?;
    let repository = touched(&run, Op::Update)?;
    Ok(site.repositories.put(&repository, "description")?)
}

async fn publish(site: Site, run: Run, load: Load) -> Result<Vec<String>, Error> {
    let _begun = site.journal.begin(&run, &load)?;
    let packages = site.repositories.packages(&touched(&run, Op::Read)?)?;
    for package in 1..=load.packages {
        run.sleep(Duration::from_millis(load.pace_ms)).await?;
        run.progress(package, load.packages, "listing");
    }
    Ok(packages)
}

async fn copy(site: Site, run: Run) -> Result<u64, Error> {
    let _begun = site.journal.begin(&run, &())?;
    let (from, to) = (touched(&run, Op::Read)?, touched(&run, Op::Update)?);
    let packages = site.repositories.packages(&from)?;
    let total = packages.len() as u64;
    for (done, package) in (1..).zip(&packages) {
        run.check()?;
        site.repositories.put(&to, package)?;
        run.progress(done, total, format!("copied {package}"));
    }
    Ok(total)
}

async fn delete(site: Site, run: Run) -> Result<(), Error> {
    let _begun = site.journal.begin(&run, &())?;
    Ok(site.repositories.remove(&touched(&run, Op::Delete)?)?)
}

/// The repository that the run touches in this way.
fn touched(run: &Run, op: Op) -> Result<String, Error> {
    let found = run.resources().iter().find(|claim| claim.op == Some(op));
    let found = found.ok_or_else(|| Error::give_up(format!("nothing to {op:?}")))?;
    Ok(found.resource.clone())
}

//! The worker: a handler for each kind.

use super::kinds;
use crate::args::Args;
use crate::ask::Outcome;
use crate::journal::Journal;
use interlock_client::worker::{Error, Run, Worker};
use serde::{Deserialize, Serialize};

/// What to import.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Import {
    /// The service answers from this try on; never if none.
    pub answers_at: Option<u32>,
}

/// A worker of this name for every kind of the story.
pub fn worker(args: &Args, name: &str) -> Outcome<Worker> {
    let journal = Journal::open(&args.dir, name)?;
    let witness = journal.clone();
    let (speed, j) = (args.speed, move || journal.clone());
    let (a, b, c, d) = (j.clone(), j.clone(), j.clone(), j);
    Ok(Worker::new(args.client()?)
        .name(name)
        .concurrency(args.concurrency)
        .last_resort(move |why| witness.last_resort(why))
        .handler(
            "applicability",
            kinds::applicability(speed),
            move |run, events| applicability(a(), run, events),
        )
        .handler("import", kinds::import(speed), move |run, what| {
            import(b(), run, what)
        })
        .handler(
            "queue-removal",
            kinds::queue_removal(speed),
            move |run, ()| note(c(), run),
        )
        .handler("register", kinds::register(speed), move |run, ()| {
            note(d(), run)
        }))
}

/// One look at the host for all events that have come by now.
async fn applicability(journal: Journal, run: Run, events: Vec<u64>) -> Result<usize, Error> {
    let _begun = journal.begin(&run, &events)?;
    run.progress(1, 1, format!("looked once for {} events", run.stands_for()));
    Ok(events.len())
}

async fn import(journal: Journal, run: Run, what: Import) -> Result<(), Error> {
    let _begun = journal.begin(&run, &what)?;
    match what.answers_at {
        Some(at) if run.attempt() >= at => Ok(()),
        _ => Err(Error::new("the service does not answer")),
    }
}

/// There is no queue or directory of hosts in this example: it is enough to know that it was done.
async fn note(journal: Journal, run: Run) -> Result<(), Error> {
    let _begun = journal.begin(&run, &())?;
    Ok(())
}

//! Calls that every story makes, in fewer words.

use interlock_api::Span;
use interlock_api::claim::{Claim, Op};
use interlock_api::json::Json;
use interlock_api::kind::KindPolicy;
use interlock_api::submission::Submission;
use interlock_api::task::{State, Task, Until, WaitQuery};
use interlock_api::verdict::Report;
use interlock_client::{Client, Error};
use serde::Serialize;
use std::time::Duration;

/// What a program of this crate ends with.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// A resource, and what is done to it.
pub fn claim(resource: impl Into<String>, op: impl Into<Option<Op>>) -> Claim {
    let (resource, op) = (resource.into(), op.into());
    Claim { resource, op }
}

/// A submission that touches one resource as its kind does, with a payload.
pub fn on(
    kind: &str,
    resource: &str,
    payload: &impl Serialize,
) -> Result<Submission, serde_json::Error> {
    let mut submission = Submission::new(kind, [claim(resource, None)]);
    submission.payload = Some(Json::of(payload)?);
    Ok(submission)
}

/// Registers kinds, so that tasks can be submitted before the first worker is there.
pub async fn set_kinds<'a>(
    client: &Client,
    kinds: impl IntoIterator<Item = (&'a str, KindPolicy)>,
) -> Result<(), Error> {
    for (name, policy) in kinds {
        client.kinds().set(name, &policy).await?;
    }
    Ok(())
}

/// The task that came of a submission.
pub fn task(report: &Report) -> u64 {
    report.task.expect("only a dry run is without a task")
}

/// Waits until a task has ended, at most a hundred seconds.
pub async fn ended(client: &Client, task: u64) -> Result<Task, Error> {
    let over = |task: &Task| !matches!(task.state, State::Waiting | State::Running);
    until(client, task, Until::Ended, over).await
}

/// Waits until a task has started, at most a hundred seconds.
pub async fn started(client: &Client, task: u64) -> Result<Task, Error> {
    let begun = |task: &Task| task.state != State::Waiting;
    until(client, task, Until::Started, begun).await
}

/// How long each answer may take, and how often it is asked for: somebody who waits for a worker that
/// is gone shall hear of it.
const WAIT: Duration = Duration::from_secs(20);
const TRIES: u32 = 5;

async fn until(
    client: &Client,
    task: u64,
    until: Until,
    is: impl Fn(&Task) -> bool,
) -> Result<Task, Error> {
    let wait = Some(Span::from_ms(WAIT.as_secs() * 1_000));
    for _ in 0..TRIES {
        let query = WaitQuery { wait, until };
        let shown = client.tasks().wait(task, &query).await?;
        if is(&shown) {
            return Ok(shown);
        }
    }
    let (server, after) = (client.server().to_owned(), WAIT * TRIES);
    Err(Error::Timeout { server, after })
}

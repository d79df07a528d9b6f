//! What every story shares: the server, the tally, and the workers it has hired.

use super::tally::Tally;
use crate::exit::Failure;
use interlock_api::Code;
use interlock_api::Span;
use interlock_api::claim::{Claim, Op};
use interlock_api::json::Json;
use interlock_api::kind::KindPolicy;
use interlock_api::submission::Submission;
use interlock_api::verdict::Report;
use interlock_client::worker::{Stop, Worker, WorkerError};
use interlock_client::{Client, Error};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;

/// How long the workers may take to leave.
const LEAVE_WITHIN: Duration = Duration::from_secs(5);

/// What every story shares. Cheap to clone.
#[derive(Clone)]
pub struct Scene {
    client: Client,
    tally: Arc<Tally>,
    hired: Arc<Mutex<Vec<Hired>>>,
}

struct Hired {
    stop: Stop,
    working: JoinHandle<Result<(), WorkerError>>,
}

impl Scene {
    /// A scene on this server.
    pub fn new(client: Client, tally: Tally) -> Self {
        Self {
            client,
            tally: Arc::new(tally),
            hired: Arc::default(),
        }
    }

    /// Talks to the server.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// What was seen so far.
    pub fn tally(&self) -> &Arc<Tally> {
        &self.tally
    }

    /// A worker of this name, without handlers yet.
    pub fn worker(&self, name: &str, concurrency: usize) -> Worker {
        Worker::new(self.client.clone())
            .name(name)
            .concurrency(concurrency)
            .without_signals()
            // No handler of the demo ever blocks, so that all of them can be dropped in time.
            .last_resort(|_| {})
    }

    /// Lets a worker work.
    pub fn hire(&self, worker: Worker) {
        let stop = worker.stop();
        let working = tokio::spawn(worker.run());
        let mut hired = self.hired.lock().unwrap_or_else(PoisonError::into_inner);
        hired.push(Hired { stop, working });
    }

    /// Sends all workers away; what they run is given back.
    pub async fn clear(&self) {
        let hired = std::mem::take(&mut *self.hired.lock().unwrap_or_else(PoisonError::into_inner));
        for worker in &hired {
            worker.stop.at_once();
        }
        let all_left = async {
            for worker in hired {
                let _left = worker.working.await;
            }
        };
        let _in_time = tokio::time::timeout(LEAVE_WITHIN, all_left).await;
    }

    /// Submits a task. `None` if it was rejected, which is a verdict like any other here.
    pub async fn submit(&self, submission: &Submission) -> Result<Option<Report>, Failure> {
        match self.client.tasks().submit(submission).await {
            Ok(report) => Ok(Some(report)),
            Err(error) if is_verdict(&error) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Rejections, and what an operator or the load may do to traffic, are no reason to stop.
fn is_verdict(error: &Error) -> bool {
    error.code() == Some(Code::Rejected) || error.is_retryable()
}

/// A submission that touches one resource as its kind does.
pub fn on(kind: &str, resource: impl Into<String>, payload: &impl Serialize) -> Submission {
    with_claims(kind, [claim(resource, None)], payload)
}

/// A submission that touches these resources.
pub fn with_claims(
    kind: &str,
    claims: impl IntoIterator<Item = Claim>,
    payload: &impl Serialize,
) -> Submission {
    let mut submission = Submission::new(kind, claims);
    submission.payload = Json::of(payload).ok();
    submission
}

/// A resource, and what is done to it.
pub fn claim(resource: impl Into<String>, op: impl Into<Option<Op>>) -> Claim {
    let (resource, op) = (resource.into(), op.into());
    Claim { resource, op }
}

/// A policy to begin with. The machine may be paused for a while, and then nothing shall be lost.
pub fn policy() -> KindPolicy {
    KindPolicy {
        lease: Some(Span::from_ms(5 * 60_000)),
        ..KindPolicy::default()
    }
}

/// A length in seconds.
pub fn seconds(seconds: u64) -> Span {
    Span::from_ms(seconds * 1_000)
}

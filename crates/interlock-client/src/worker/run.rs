//! What a handler is given: facts of the run, and what it can say and ask while it is at work.

use super::clock::boot_ms;
use super::error::Error;
use super::live::{AtWork, Live, StopReason};
use crate::client::Client;
use interlock_api::claim::Claim;
use interlock_api::id::RunToken;
use interlock_api::progress::Progress;
use interlock_api::submission::Submission;
use interlock_api::verdict::Report;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// One run of a task, in the hands of its handler. Cheap to clone.
///
/// A run counts as stopped when its handler has returned, or was dropped, and every clone of this is
/// gone: give one to each thread that works for it. If a run that has to stop does not, the worker
/// ends its process before the resource is handed on.
#[derive(Clone)]
pub struct Run {
    pub(super) live: Arc<Live>,
    pub(super) _at_work: Arc<AtWork>,
}

impl Run {
    /// The task.
    pub fn task(&self) -> u64 {
        self.live.facts.task
    }

    /// Its kind.
    pub fn kind(&self) -> &str {
        &self.live.facts.kind
    }

    /// What it touches, and how.
    pub fn resources(&self) -> &[Claim] {
        &self.live.facts.resources
    }

    /// 1 for the first run of the task.
    pub fn attempt(&self) -> u32 {
        self.live.facts.attempt
    }

    /// How many submissions this run satisfies.
    pub fn stands_for(&self) -> u64 {
        self.live.facts.stands_for
    }

    /// Names the run.
    pub fn token(&self) -> RunToken {
        self.live.token()
    }

    /// The fencing number of the run: a generation and a position, compared in this order. It only
    /// ever grows within the namespace, so a third system that remembers the highest one it has seen
    /// can refuse a writer that is late.
    pub fn fence(&self) -> (u32, u64) {
        let token = self.token().0;
        (token.generation, token.position)
    }

    /// The submitter's trace context, a W3C `traceparent`.
    pub fn trace(&self) -> Option<&str> {
        self.live.facts.trace.as_deref()
    }

    /// Tells how far the run is. Only the latest word counts; it goes with the next beat, at most
    /// once a second.
    pub fn progress(&self, done: u64, total: impl Into<Option<u64>>, message: impl Into<String>) {
        self.report(Progress {
            done,
            total: total.into(),
            unit: String::new(),
            message: message.into(),
        });
    }

    /// The same with everything that progress can have.
    pub fn report(&self, progress: Progress) {
        self.live.news().progress = Some(progress);
        self.live.wishes.beat_soon();
    }

    /// Waits until the run is told to stop: it was cancelled, ran too long, or its lease is about to
    /// end. A handler that stops soon after that is waited for; in the end it is dropped.
    pub async fn cancelled(&self) -> StopReason {
        self.live.stop.cancelled().await;
        self.stop_reason().unwrap_or(StopReason::Lost)
    }

    /// Whether the run was told to stop.
    pub fn is_cancelled(&self) -> bool {
        self.stop_reason().is_some()
    }

    /// Why it was told to stop, if it was. For code that can't wait: look here between steps.
    pub fn stop_reason(&self) -> Option<StopReason> {
        let told = self.live.why.get().copied();
        told.or_else(|| self.live.is_lost().then_some(StopReason::Lost))
    }

    /// Submits a child of this task, within its trace.
    ///
    /// One that conflicts with what this task or its ancestors hold is refused, since it would wait
    /// for its own parent.
    pub async fn submit(&self, submission: &Submission) -> Result<Report, crate::Error> {
        let mut child = submission.clone();
        child.parent = Some(self.token());
        self.client().tasks().submit(&child).await
    }

    /// A client within the trace of this run.
    pub fn client(&self) -> Client {
        let client = self.live.client.clone();
        match self.trace().map(|trace| client.clone().in_trace(trace)) {
            Some(Ok(traced)) => traced,
            _ => client,
        }
    }

    /// How long the run may still go on if its lease is not renewed. Whatever works for it outside of
    /// this process must have stopped by then, on a clock that goes on while the machine sleeps.
    pub fn time_left(&self) -> Duration {
        let end = self.live.lease.exit_at();
        Duration::from_millis(end.saturating_sub(boot_ms()))
    }

    /// Fails if the run was told to stop: for `?` between steps.
    pub fn check(&self) -> Result<(), Error> {
        match self.is_cancelled() {
            true => Err(Error::stopped()),
            false => Ok(()),
        }
    }

    /// Sleeps, unless the run is told to stop meanwhile.
    pub async fn sleep(&self, length: Duration) -> Result<(), Error> {
        tokio::select! {
            () = tokio::time::sleep(length) => Ok(()),
            _ = self.cancelled() => Err(Error::stopped()),
        }
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("task", &self.task())
            .field("kind", &self.kind())
            .field("token", &self.token())
            .finish_non_exhaustive()
    }
}

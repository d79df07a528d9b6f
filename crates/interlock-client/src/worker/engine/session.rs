//! Sessions: registering, being replaced, and leaving.

use super::{Answer, Engine, EntryState, IfNamed};
use crate::call::Call;
use crate::retry::Backoff;
use crate::worker::error::WorkerError;
use crate::worker::live::StopReason;
use crate::worker::stop::Told;
use futures_util::stream::StreamExt;
use interlock_api::Code;
use interlock_api::run::{Goodbye, Register, Registered};
use interlock_api::task::Done;
use std::time::{Duration, Instant};
use tracing::{debug, info, warn};

/// The lease of a kind that states none.
pub(super) const LEASE_MS_USUAL: u64 = 15_000;
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// How long a goodbye may take: the lease does the same, later.
const GOODBYE_WITHIN: Duration = Duration::from_secs(5);
/// How often to look whether a name has come free.
const NAME_EVERY: Duration = Duration::from_secs(1);
/// How long handlers have to be gone when the worker stops at once.
const STOP_WITHIN: Duration = Duration::from_secs(2);
/// A name that changes hands so often within a minute has two owners.
const REPLACED_MAX: usize = 3;

impl Engine {
    /// Whether it is to register, and nothing of an older session is left.
    pub(super) fn wants_session(&self) -> bool {
        let over = self.session.is_none() || self.lost;
        let idle = self.runs.is_empty() && self.finishes.is_empty() && !self.finishing;
        over && idle && !self.draining && self.take.is_none()
    }

    /// Registers, however long it takes.
    pub(super) async fn register(&mut self) -> Result<(), WorkerError> {
        let first = self.number == 0 && self.session.is_none() && self.replaced.is_empty();
        let body = Register {
            name: self.settings.name.clone(),
            kinds: self.settings.handlers.keys().cloned().collect(),
            takeover: first && self.settings.if_named == IfNamed::TakeOver,
            policies: self.settings.policies.clone(),
        };
        let call = Call::post("/v1/work/register", &body).once_within(ANSWER_WITHIN);
        let mut backoff = Backoff::new(Duration::from_millis(50), Duration::from_secs(2));
        let mut said = false;
        while *self.told.borrow() == Told::GoOn {
            let answer = self.settings.client.ask::<Registered>(&call).await;
            let wait = match answer {
                Ok(Registered { session }) => {
                    info!(worker = self.settings.name, session, "registered");
                    (self.session, self.lost, self.number) = (Some(session), false, 0);
                    self.take_again.worked();
                    return Ok(());
                }
                Err(error) if error.code() == Some(Code::NameInUse) => {
                    if self.settings.if_named == IfNamed::Refuse {
                        return Err(self.name_in_use());
                    }
                    if !std::mem::replace(&mut said, true) {
                        info!(worker = self.settings.name, "waiting for the name: {error}");
                    }
                    let asked = error.problem().and_then(|problem| problem.more.wait);
                    let asked = asked.map(|span| Duration::from_millis(span.ms()));
                    asked.map_or(NAME_EVERY, |asked| asked.min(NAME_EVERY))
                        + Duration::from_millis(10)
                }
                Err(error) if error.is_retryable() => {
                    if !std::mem::replace(&mut said, true) {
                        warn!(worker = self.settings.name, "cannot register yet: {error}");
                    }
                    backoff.next()
                }
                Err(crate::Error::Problem(problem)) => return Err(WorkerError::Refused(problem)),
                Err(error) => return Err(error.into()),
            };
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                _ = self.told.changed() => {}
            }
        }
        Ok(())
    }

    fn name_in_use(&self) -> WorkerError {
        WorkerError::NameInUse {
            name: self.settings.name.clone(),
        }
    }

    /// The server knows the session no more. With something running that means that another process
    /// took its place; without, it may have been forgotten.
    pub(super) fn session_ended(&mut self) {
        if self.session.take().is_none() {
            return;
        }
        warn!(worker = self.settings.name, "the session has ended");
        if let Some(taking) = self.take.take() {
            taking.call_off();
        }
        self.finishes.clear();
        self.unanswered = false;
        let at_work = self.busy > 0;
        self.runs.retain(|_, entry| entry.is_busy());
        let tokens: Vec<_> = self.runs.keys().copied().collect();
        for token in tokens {
            self.run_gone(token);
        }
        let minute = Duration::from_secs(60);
        self.replaced.retain(|at| at.elapsed() < minute);
        self.replaced.push(Instant::now());
        if at_work || self.replaced.len() > REPLACED_MAX {
            let error = self.name_in_use();
            self.give_up(error);
        }
    }

    /// Whether everything is done that was to be done.
    pub(super) fn is_over(&self) -> bool {
        let nothing_runs = self.busy == 0;
        let all_said = self.session.is_none()
            || (self.finishes.is_empty() && !self.finishing && self.take.is_none());
        self.draining && nothing_runs && (all_said || self.end.is_some())
    }

    /// Says goodbye. What was handed out and never got here is released by it.
    pub(super) async fn leave(mut self) -> Result<(), WorkerError> {
        if let Some(session) = self.session.take() {
            let call = Call::post("/v1/work/goodbye", &Goodbye { session });
            let call = call.once_within(GOODBYE_WITHIN);
            match self.settings.client.ask::<Done>(&call).await {
                Ok(_) => info!(worker = self.settings.name, "left"),
                Err(error) => debug!(%error, "the goodbye was not answered"),
            }
        }
        match self.end.take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Cancels what runs, and gives it back if it has stopped.
    pub(super) async fn stop_at_once(mut self) -> Result<(), WorkerError> {
        self.drain();
        self.unanswered = false;
        self.stop_all(StopReason::WorkerStops);
        let until = Instant::now() + STOP_WITHIN;
        loop {
            let gone =
                |state: &EntryState| matches!(state, EntryState::Late(_) | EntryState::Ended);
            let at_work = self
                .runs
                .values()
                .any(|entry| !gone(&entry.state) && entry.at_work.strong_count() > 0);
            if !at_work {
                break;
            }
            if Instant::now() >= until {
                // The lease, not this worker, hands the resource on.
                return Err(WorkerError::StillAtWork);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // What had ended before is still worth telling; the rest is released with the goodbye.
        let telling = tokio::time::timeout(GOODBYE_WITHIN, self.tell_the_rest());
        let _as_far_as_it_got = telling.await;
        self.leave().await
    }

    async fn tell_the_rest(&mut self) -> Result<(), WorkerError> {
        while self.session.is_some() && (self.finishing || !self.finishes.is_empty()) {
            if !self.finishing {
                self.send_finishes();
            }
            match self.next_finished().await {
                Some(answer) => self.hear(answer)?,
                None => break,
            }
        }
        Ok(())
    }

    async fn next_finished(&mut self) -> Option<Answer> {
        loop {
            let answer = self.calls.next().await?;
            if matches!(answer, Answer::Finished(..)) {
                return Some(answer);
            }
        }
    }
}

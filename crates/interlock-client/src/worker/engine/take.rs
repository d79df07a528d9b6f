//! `take`: asks for as many tasks as there are free hands, with whatever has finished.

use super::{Answer, Engine, HOLD_BACK};
use crate::Error;
use crate::call::Call;
use crate::worker::clock::boot_ms;
use crate::worker::error::WorkerError;
use futures_util::future::{AbortHandle, Abortable};
use interlock_api::run::{Finish, Take, Taken};
use interlock_api::{Code, Span};
use std::time::{Duration, Instant};
use tracing::{debug, warn};

/// Tasks handed out by one take.
const TAKE_MAX: usize = 256;
/// How much longer than it waits a take may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// A take that is under way.
pub(super) struct Taking {
    call_off: AbortHandle,
    sent: Instant,
    sent_ms: u64,
    max: usize,
    finishes: Vec<Finish>,
}

impl Taking {
    /// Whether its answer may be expected any moment.
    pub(super) fn is_fresh(&self, now: Instant) -> bool {
        now < self.fresh_until()
    }

    /// Nobody waits for its answer any more.
    pub(super) fn call_off(self) {
        self.call_off.abort();
    }

    pub(super) fn fresh_until(&self) -> Instant {
        self.sent + HOLD_BACK
    }
}

impl Engine {
    /// Whether a take shall be sent, as soon as may be.
    pub(super) fn wants_take(&self) -> bool {
        let free = self.busy < self.settings.concurrency;
        let asks = !self.draining && !self.lost && free;
        self.session.is_some() && self.take.is_none() && (asks || self.unanswered)
    }

    pub(super) fn send_take(&mut self) {
        let Some(session) = self.session else { return };
        if !self.unanswered && self.take_again.at.is_none() {
            self.number += 1;
        }
        let free = self.settings.concurrency.saturating_sub(self.busy);
        // So that most of the lease is left when a task comes at the very end of the wait.
        let wait_ms = if self.draining {
            0
        } else {
            self.lease_ms_min / 4
        };
        let max = if self.draining {
            1
        } else {
            free.clamp(1, TAKE_MAX)
        };
        let take = Take {
            session,
            number: self.number,
            max: max as u64,
            wait: Span::from_ms(wait_ms),
            finishes: self.next_finishes(),
        };
        let within = Duration::from_millis(wait_ms) + ANSWER_WITHIN;
        let call = Call::post("/v1/work/take", &take).once_within(within);
        let (call_off, registration) = AbortHandle::new_pair();
        self.take = Some(Taking {
            call_off,
            sent: Instant::now(),
            sent_ms: boot_ms(),
            max,
            finishes: take.finishes,
        });
        let client = self.settings.client.clone();
        let asking = Abortable::new(async move { client.ask(&call).await }, registration);
        self.calls.push(Box::pin(async move {
            match asking.await {
                Ok(answer) => Answer::Taken(answer),
                Err(_) => Answer::CalledOff,
            }
        }));
    }

    pub(super) fn taken(&mut self, answer: Result<Taken, Error>) -> Result<(), WorkerError> {
        let Some(taking) = self.take.take() else {
            return Ok(());
        };
        let taken = match answer {
            Ok(taken) => taken,
            Err(error) => return self.not_taken(taking, error),
        };
        self.take_again.worked();
        self.unanswered = false;
        self.plenty = taken.hand_outs.len() >= taking.max;
        self.settle(taking.finishes, taken.finished);
        for hand_out in taken.hand_outs {
            self.begin(hand_out, taking.sent_ms);
        }
        if taken.draining {
            self.drain();
        }
        Ok(())
    }

    fn not_taken(&mut self, taking: Taking, error: Error) -> Result<(), WorkerError> {
        self.put_back(taking.finishes);
        self.plenty = false;
        match error.code() {
            Some(Code::StaleSession) => self.session_ended(),
            Some(Code::SessionLost) => {
                warn!("a run of this worker was lost: it registers again when nothing runs");
                (self.lost, self.unanswered) = (true, false);
                self.take_again.worked();
            }
            Some(Code::StaleTake) => {
                self.unanswered = false;
                self.take_again.worked();
            }
            _ if error.is_retryable() => {
                debug!(%error, "a take was not answered");
                self.take_again.failed();
            }
            _ => return self.refused(error),
        }
        Ok(())
    }

    /// Takes nothing new. What a take that is called off may have brought is asked for once more,
    /// and given back.
    pub(super) fn drain(&mut self) {
        if std::mem::replace(&mut self.draining, true) {
            return;
        }
        // One that failed may have been carried out as well.
        self.unanswered = self.take_again.at.is_some();
        if let Some(taking) = self.take.take() {
            taking.call_off.abort();
            self.put_back(taking.finishes);
            self.unanswered = true;
        }
        self.take_again.worked();
    }
}

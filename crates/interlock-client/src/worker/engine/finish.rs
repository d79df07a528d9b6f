//! `finish`: tells how runs ended, again and again until the server has heard it.

use super::{Answer, Engine, EntryState};
use crate::Error;
use crate::call::Call;
use crate::worker::error::{self, WorkerError};
use interlock_api::Code;
use interlock_api::id::RunToken;
use interlock_api::json::Json;
use interlock_api::run::{Finish, FinishAnswer, Finished, Finishes, How};
use std::time::Duration;
use tracing::{debug, warn};

/// Finishes in one call.
const FINISHES_MAX: usize = 1_000;
/// Bytes of results in one call, about: half of what a server takes.
const BYTES_MAX: usize = 8 << 20;
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// Finishes on their way.
pub(super) struct Finishing {
    finishes: Vec<Finish>,
}

impl Engine {
    /// As many of those that wait as one call may carry.
    pub(super) fn next_finishes(&mut self) -> Vec<Finish> {
        let mut bytes = 0;
        let fits = self
            .finishes
            .iter()
            .take(FINISHES_MAX)
            .take_while(|finish| {
                bytes += size(finish);
                bytes <= BYTES_MAX
            });
        let count = fits.count().max(1).min(self.finishes.len());
        if count == self.finishes.len() {
            return std::mem::take(&mut self.finishes);
        }
        self.finishes.drain(..count).collect()
    }

    pub(super) fn send_finishes(&mut self) {
        let Some(session) = self.session else { return };
        self.finishing = true;
        let body = Finishes {
            session,
            finishes: self.next_finishes(),
        };
        let call = Call::post("/v1/work/finish", &body).once_within(ANSWER_WITHIN);
        let finishing = Finishing {
            finishes: body.finishes,
        };
        let client = self.settings.client.clone();
        self.calls.push(Box::pin(async move {
            let answer = client.ask(&call).await;
            Answer::Finished(finishing, answer)
        }));
    }

    pub(super) fn finished(
        &mut self,
        finishing: Finishing,
        answer: Result<Finished, Error>,
    ) -> Result<(), WorkerError> {
        self.finishing = false;
        match answer {
            Ok(answer) => {
                self.finish_again.worked();
                self.settle(finishing.finishes, answer.finished);
            }
            Err(error) => {
                self.put_back(finishing.finishes);
                match error.code() {
                    Some(Code::StaleSession) => self.session_ended(),
                    _ if error.is_retryable() => {
                        debug!(%error, "a finish was not answered");
                        self.finish_again.failed();
                    }
                    _ => return self.refused(error),
                }
            }
        }
        Ok(())
    }

    /// They did not get through: they go first with the next call.
    pub(super) fn put_back(&mut self, mut finishes: Vec<Finish>) {
        finishes.append(&mut self.finishes);
        self.finishes = finishes;
    }

    /// The server has heard of these.
    pub(super) fn settle(&mut self, finishes: Vec<Finish>, answers: Vec<FinishAnswer>) {
        for (finish, answer) in finishes.into_iter().zip(answers) {
            let Some(problem) = answer.problem else {
                self.runs.remove(&finish.token);
                continue;
            };
            let token = finish.token;
            if problem.code == Code::StaleToken || finish.how != How::Succeed {
                warn!(%token, %problem, "the end of a run was refused: it is not this worker's any more");
                self.runs.remove(&token);
                continue;
            }
            self.replace(finish, &problem.to_string());
        }
    }

    /// A result that the server does not take is a failure of the run.
    fn replace(&mut self, finish: Finish, why: &str) {
        let error = error::Error::give_up("the result was refused").with_detail(why);
        let mut failed = error.into_finish(finish.token);
        failed.used = finish.used;
        self.finishes.push(failed);
    }

    /// A call was refused for good. If one of its finishes is to blame, that one fails instead.
    pub(super) fn refused(&mut self, error: Error) -> Result<(), WorkerError> {
        let at = error.problem().and_then(|problem| {
            let field = problem.more.field.as_deref()?;
            let (at, _) = field.strip_prefix("finishes[")?.split_once(']')?;
            at.parse::<usize>().ok()
        });
        let blamed = at.filter(|at| {
            let finish = self.finishes.get(*at);
            finish.is_some_and(|finish| finish.how == How::Succeed)
        });
        match (blamed, error) {
            (Some(at), error) => {
                let finish = self.finishes.remove(at);
                self.replace(finish, &error.to_string());
                // The number of the take was not used up.
                self.take_again.failed();
            }
            (None, Error::Problem(problem)) => self.give_up(WorkerError::Refused(problem)),
            (None, error) => self.give_up(error.into()),
        }
        Ok(())
    }

    /// A run of which nothing is at work any more goes back to its place, unless the server has
    /// ended it.
    pub(super) fn give_back(&mut self, token: RunToken) {
        let release = error::Error::release().into_finish(token);
        self.tell_end(token, release);
    }

    /// A run has ended like this, and the server shall hear of it.
    pub(super) fn tell_end(&mut self, token: RunToken, mut finish: Finish) {
        self.fence.forget(token);
        let Some(entry) = self.runs.get_mut(&token) else {
            return;
        };
        if entry.is_busy() {
            self.busy -= 1;
        }
        if entry.gone {
            self.runs.remove(&token);
            return;
        }
        entry.state = EntryState::Ended;
        finish.used = entry.live.last_use();
        self.finishes.push(finish);
    }
}

fn size(finish: &Finish) -> usize {
    let error = finish.error.as_ref();
    finish
        .result
        .as_ref()
        .map_or(0, |result: &Json| result.get().len())
        + error.map_or(0, |error| error.message.len() + error.detail.len())
}

//! `finish`: a worker reports how runs ended.

use super::prepare::{shorten, too_many};
use crate::Core;
use crate::bugs::Bug;
use crate::command::{Again, Finish, FinishHow, RunError};
use crate::event::{EndWhy, Event, RunEnd, RunEnded, Stage, Then};
use crate::limits;
use crate::refusal::Refusal;
use crate::reply::{Finished, Reply, StopWhy};
use crate::words::{Outcome, SessionId, TaskId, Token};

impl Core {
    pub(crate) fn finish(
        &mut self,
        session: SessionId,
        finishes: Vec<Finish>,
    ) -> Result<Reply, Refusal> {
        if !self.state.sessions.contains_key(&session) {
            return Err(Refusal::StaleSession);
        }
        if finishes.len() > limits::RUNS_PER_CALL_MAX {
            return Err(too_many("finishes", limits::RUNS_PER_CALL_MAX));
        }
        self.hear(session);
        Ok(Reply::Finished(self.finish_all(session, finishes)))
    }

    /// One answer per finish; a stale one never harms its neighbours.
    pub(crate) fn finish_all(
        &mut self,
        session: SessionId,
        finishes: Vec<Finish>,
    ) -> Vec<Result<Finished, Refusal>> {
        (finishes.into_iter())
            .map(|finish| self.finish_one(session, finish))
            .collect()
    }

    fn finish_one(&mut self, session: SessionId, finish: Finish) -> Result<Finished, Refusal> {
        let mut token = finish.token;
        if self.live_run(session, token).is_err() {
            if let Some(other) = self.run_by_task(token) {
                token = other;
            } else {
                let kept = self.state.sessions.get(&session);
                let first = kept.and_then(|session| session.first_answer(token));
                let first = first.filter(|_| !self.bug(Bug::RepeatedFinishRefused));
                return first.ok_or(Refusal::StaleToken);
            }
        }
        if let FinishHow::Succeed { result } = &finish.how
            && result.len() > limits::PAYLOAD_BYTES_MAX
        {
            return Err(too_many("bytes of result", limits::PAYLOAD_BYTES_MAX));
        }
        self.report_use(token, finish.used);
        let task = self.state.runs[&token].task;
        let (how, then) = match finish.how {
            FinishHow::Succeed { result } => {
                let then = self.done(task, Outcome::Succeeded, EndWhy::Success);
                (RunEnd::Succeeded { result }, then)
            }
            FinishHow::Fail { error, again } => self.failed(token, shortened(error), again),
            FinishHow::Release => self.given_back(token),
        };
        let answer = then.answer();
        self.end_run(token, how, then);
        Ok(answer)
    }

    /// The seeded bug that looks a finish up by task: whatever run of it is live now is meant.
    fn run_by_task(&self, token: Token) -> Option<Token> {
        if !self.bug(Bug::FinishByTask) {
            return None;
        }
        let task = self.soft.ended_tasks.get(&token)?;
        match self.state.tasks.get(*task)?.stage {
            Stage::Running { token } => Some(token),
            _ => None,
        }
    }

    fn failed(&self, token: Token, error: RunError, again: Again) -> (RunEnd, Then) {
        if let Some(called_off) = self.called_off(token, false) {
            return called_off;
        }
        let run = &self.state.runs[&token];
        if matches!(&run.stop, Some(stop) if stop.why == StopWhy::TooLong) {
            return self.too_long(token, false);
        }
        let then = match self.next_try(token, again) {
            Some(then) => then,
            None => {
                let why = EndWhy::Failure {
                    error: error.clone(),
                };
                self.done(run.task, Outcome::Failed, why)
            }
        };
        (RunEnd::Failed { error }, then)
    }

    /// A run that ends undone, by no fault of the task: back to its place, unless it was told to
    /// stop.
    pub(crate) fn given_back(&self, token: Token) -> (RunEnd, Then) {
        if let Some(called_off) = self.called_off(token, false) {
            return called_off;
        }
        let run = &self.state.runs[&token];
        if matches!(&run.stop, Some(stop) if stop.why == StopWhy::TooLong) {
            return self.too_long(token, false);
        }
        let (to, spot) = self.old_place(run.task);
        (RunEnd::Released, Then::Wait { to, spot })
    }

    /// A hand-out that never arrived. Nobody ran it, so it can't have taken too long, and no finish
    /// ended it that could be repeated; but a task that was called off gets no other run.
    pub(crate) fn returned(&self, token: Token) -> (RunEnd, Then) {
        let then = match self.called_off(token, false) {
            Some((_, then)) => then,
            None => {
                let (to, spot) = self.old_place(self.state.runs[&token].task);
                Then::Wait { to, spot }
            }
        };
        (RunEnd::Returned, then)
    }

    /// How a run ends that was cancelled, or whose task gets no further run, if it is one.
    pub(crate) fn called_off(&self, token: Token, lost: bool) -> Option<(RunEnd, Then)> {
        let run = &self.state.runs[&token];
        let why = match (&run.stop, self.state.task(run.task).last_run) {
            (Some(stop), _) if stop.why == StopWhy::Cancelled => EndWhy::Asked {
                by: stop.by.clone(),
            },
            (_, Some(by)) => EndWhy::CancelledBy { by },
            _ => return None,
        };
        let then = self.done(run.task, Outcome::Cancelled, why);
        let how = RunEnd::Stopped {
            why: StopWhy::Cancelled,
            lost,
        };
        Some((how, then))
    }

    /// A run that took too long counts as a failure.
    pub(crate) fn too_long(&self, token: Token, lost: bool) -> (RunEnd, Then) {
        let task = self.state.runs[&token].task;
        let then = (self.next_try(token, Again::AsKindSays))
            .unwrap_or_else(|| self.done(task, Outcome::Failed, EndWhy::RanTooLong));
        let how = RunEnd::Stopped {
            why: StopWhy::TooLong,
            lost,
        };
        (how, then)
    }

    pub(crate) fn done(&self, task: TaskId, outcome: Outcome, why: EndWhy) -> Then {
        Then::Done {
            outcome,
            why,
            keep_ms: self.keep_ms(task, outcome),
        }
    }

    /// Ends a run, with what follows for its task and for others.
    pub(crate) fn end_run(&mut self, token: Token, how: RunEnd, then: Then) {
        let task = self.state.runs[&token].task;
        let lifecycle = self.note_lifecycle(task);
        let outcome = match &then {
            Then::Done { outcome, .. } => Some(*outcome),
            Then::Wait { .. } => None,
        };
        // Found while it still has its place, as it was when the answer was made.
        let follow_up = self.follow_up(task);
        self.emit(Event::RunEnded(Box::new(RunEnded {
            token,
            task,
            how,
            then,
        })));
        self.soft.forget_run(token);
        if self.bug(Bug::FinishByTask) {
            self.soft.ended_tasks.insert(token, task);
        }
        match outcome {
            Some(outcome) => self.after_end(task, outcome, lifecycle),
            None => self.fold_follow_up(task, follow_up),
        }
    }
}

/// An error within the limits. Its message is one line, since failures are grouped by it: what a
/// worker has said beyond that stands before the detail.
fn shortened(error: RunError) -> RunError {
    let text = error.message.trim_start();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let mut message: Box<str> = first.trim_end().into();
    let mut detail = match (rest.is_empty(), error.detail.is_empty()) {
        (true, _) => error.detail,
        (false, true) => rest.into(),
        (false, false) => format!("{rest}\n{}", error.detail).into(),
    };
    shorten(&mut message, limits::ERROR_MESSAGE_BYTES_MAX);
    shorten(&mut detail, limits::ERROR_BYTES_MAX - message.len());
    RunError { message, detail }
}

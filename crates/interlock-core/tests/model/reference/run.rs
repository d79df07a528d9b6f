//! Sessions, runs and leases, and what follows the end of a run (design §7 and §8).

use super::coalesce::first_wait;
use super::{Index, Model, State};
use interlock_core::command::Again;
use interlock_core::reply::{Finished, Order, StopWhy};
use interlock_core::words::{Now, OnLoss, Outcome, SessionId, Token, Waits, Wall};

/// A worker's session.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) id: SessionId,
    pub(crate) handles: Vec<bool>,
    /// It lost a run: no new work.
    pub(crate) is_lost: bool,
    /// It departed, or another took its place.
    pub(crate) is_gone: bool,
}

/// A take that can get tasks: the one being answered, or one that is parked.
#[derive(Clone, Debug)]
pub(crate) struct Take {
    pub(crate) session: SessionId,
    pub(crate) number: u64,
    pub(crate) room: usize,
    pub(crate) until: u64,
}

/// A live run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) token: Token,
    pub(crate) session: SessionId,
    pub(crate) take: u64,
    pub(crate) started: Now,
    pub(crate) lease_ends: u64,
    pub(crate) has_beaten: bool,
    /// It was asked to stop, why, and when.
    pub(crate) stop: Option<(StopWhy, u64)>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    Succeeded,
    Failed(Again),
    Released,
    Returned,
    Lost,
}

impl Model {
    pub(crate) fn session(&self, id: SessionId) -> &Session {
        self.sessions
            .iter()
            .find(|session| session.id == id)
            .expect("it registered")
    }

    /// Live runs of a session.
    pub(crate) fn runs_of(&self, session: SessionId) -> Vec<Index> {
        self.all(|task| task.run().is_some_and(|run| run.session == session))
    }

    pub(crate) fn run_with(&self, token: Token) -> Option<Index> {
        self.all(|task| task.run().is_some_and(|run| run.token == token))
            .first()
            .copied()
    }

    /// A task is handed to a worker.
    pub(crate) fn start(&mut self, me: Index, token: Token, session: SessionId, take: u64) {
        let lease_ends = self.now.elapsed.0 + self.policy(me).lease_ms;
        let started = self.now;
        let task = &mut self.tasks[me];
        task.starts += 1;
        task.first_run.get_or_insert(started.wall.0);
        task.state = State::Running(Run {
            token,
            session,
            take,
            started,
            lease_ends,
            has_beaten: false,
            stop: None,
        });
    }

    /// A worker goes on with a run.
    pub(crate) fn beat(&mut self, me: Index) -> Order {
        let (now, policy) = (self.now.elapsed.0, self.policy(me).clone());
        let State::Running(run) = &mut self.tasks[me].state else {
            return Order::Gone;
        };
        run.has_beaten = true;
        match run.stop {
            Some((why, since)) if now >= since + policy.grace_ms => return Order::Ending(why),
            _ => run.lease_ends = now + policy.lease_ms,
        }
        run.stop.map_or(Order::GoOn, |(why, _)| Order::Stop(why))
    }

    /// A run ends; says what becomes of its task.
    pub(crate) fn end_run(&mut self, me: Index, over: Over) -> Finished {
        let run = self.tasks[me].run().cloned().expect("it runs");
        if over == Over::Lost {
            self.lose_session(run.session);
        }
        let stop = run.stop.map(|stop| stop.0);
        let is_called_off = stop == Some(StopWhy::Cancelled) || self.tasks[me].last_run;
        match over {
            Over::Succeeded => self.finish(me, Outcome::Succeeded),
            _ if is_called_off => self.finish(me, Outcome::Cancelled),
            // Whatever the worker says then: it failed by taking too long.
            _ if stop == Some(StopWhy::TooLong) && over != Over::Returned => {
                self.retry(me, Again::AsKindSays)
            }
            Over::Failed(again) => self.retry(me, again),
            Over::Lost => self.lose(me),
            Over::Released | Over::Returned => self.go_back(me),
        }
    }

    fn finish(&mut self, me: Index, outcome: Outcome) -> Finished {
        self.end(me, outcome);
        Finished::Ended(outcome)
    }

    fn lose_session(&mut self, id: SessionId) {
        for session in &mut self.sessions {
            session.is_lost |= session.id == id;
        }
        self.takes.retain(|take| take.session != id);
    }

    /// A loss is not a failure; the kind says what follows.
    fn lose(&mut self, me: Index) -> Finished {
        self.tasks[me].losses += 1;
        match self.policy(me).on_loss {
            OnLoss::Cancel => self.finish(me, Outcome::Cancelled),
            OnLoss::Retry { losses_max } if self.tasks[me].losses > losses_max => {
                self.finish(me, Outcome::Failed)
            }
            OnLoss::Retry { .. } => self.go_back(me),
        }
    }

    /// Back to its old place in line, unless it is held by now.
    fn go_back(&mut self, me: Index) -> Finished {
        let follow_up = self.follow_up(me);
        self.tasks[me].state = State::InLine;
        if let Some(follow_up) = follow_up {
            self.fold(follow_up, me);
        }
        Finished::Waiting
    }

    /// Waits for the next try, or has failed for good.
    fn retry(&mut self, me: Index, again: Again) -> Finished {
        let now = self.now.wall.0;
        let retry = self.policy(me).retry.clone();
        // With a follow-up it becomes one task, which is due at the first rung at the latest.
        let follow_up = self.follow_up(me);
        let longest = match follow_up {
            Some(_) => first_wait(self.policy(me)),
            None => u64::MAX / 2,
        };
        let task = &mut self.tasks[me];
        task.tries += 1;
        task.last_failure = now;
        let rung = match &retry.waits {
            Waits::Ladder(waits) => waits.get(task.tries as usize - 1).or(waits.last()).copied(),
            Waits::Exponential { .. } => unreachable!("the model has only ladders"),
        };
        let wait = match again {
            Again::AsKindSays => rung,
            Again::In(wait) => Some(wait),
            Again::Never => None,
        };
        let first_run = task.first_run.expect("it ran");
        let until = wait.map(|wait| now + wait.min(longest));
        let is_in_window = until.is_some_and(|until| until <= first_run + retry.window_ms);
        let has_tries = retry.tries_max.is_none_or(|most| task.tries < most);
        match until {
            Some(until) if is_in_window && has_tries => {
                task.state = State::Retrying { until };
                if let Some(follow_up) = follow_up {
                    self.fold(follow_up, me);
                }
                let State::Retrying { until } = self.tasks[me].state else {
                    unreachable!("it waits for its time");
                };
                Finished::Retrying(Wall(until))
            }
            _ => self.finish(me, Outcome::Failed),
        }
    }
}

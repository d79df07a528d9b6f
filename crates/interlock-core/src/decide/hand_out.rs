//! Handing out: the best ready task of the kinds a session handles, checked once more.

use super::gates::Candidate;
use crate::Core;
use crate::bugs::Bug;
use crate::event::{Event, Stage, Started};
use crate::reply::HandOut;
use crate::state::task::Key;
use crate::words::{Claim, KindId, Outcome, SessionId, TaskId, Token};

impl Core {
    /// Starts up to `max` tasks for a session, best first.
    pub(crate) fn hand_out(&mut self, session: SessionId, take: u64, max: usize) -> Vec<HandOut> {
        let kinds = self.state.sessions[&session].kinds.clone();
        let mut hand_outs = Vec::new();
        while hand_outs.len() < max && self.looks > 0 {
            let Some(key) = self.best_ready(&kinds) else {
                break;
            };
            match self.try_start(key.task, session, take) {
                Some(token) => hand_outs.push(self.hand_out_of(token)),
                None => {
                    self.looks -= 1;
                    self.moves = self.moves.saturating_sub(1);
                }
            }
            self.settle_lines();
        }
        if !hand_outs.is_empty() {
            self.cover(session);
        }
        if self.looks == 0 {
            // There may be more to find: the next decision goes on.
            self.state.dirty.kinds.extend(kinds.iter().copied());
        }
        hand_outs
    }

    fn best_ready(&self, kinds: &[KindId]) -> Option<Key> {
        let ignored = self.bug(Bug::HoldIgnored);
        if self.state.hold && !ignored {
            return None;
        }
        (kinds.iter())
            .filter_map(|kind| self.state.kinds.try_get(*kind))
            .filter(|kind| !kind.hold || ignored)
            .filter_map(|kind| kind.ready.first())
            .min()
            .copied()
    }

    /// Starts a task, or moves it to where it belongs if it turns out that it can't start.
    fn try_start(&mut self, id: TaskId, session: SessionId, take: u64) -> Option<Token> {
        if let Some(why) = self.swept(id) {
            self.end_waiting(id, Outcome::Cancelled, why);
            return None;
        }
        let task = self.state.task(id);
        let candidate = Candidate::of(task);
        if self.is_held(&candidate) && !self.bug(Bug::HoldIgnored) {
            let (to, spot) = (Stage::Held, task.spot);
            self.emit(Event::Moved { task: id, to, spot });
            return None;
        }
        if self.first_blocked(task).is_some() {
            // Somebody went before it on a resource where it was not watched.
            self.look_at(id);
            return None;
        }
        let charges = self.charges(&candidate);
        if let Some(instance) = self.short_of(&candidate, &charges, &task.key()) {
            if self.bug(Bug::ThrottledBlocksLine) {
                self.state.unexpose(id);
                return None;
            }
            let (to, spot) = (Stage::Throttled { instance }, task.spot);
            self.emit(Event::Moved { task: id, to, spot });
            return None;
        }
        let lease_ms = self.state.kinds.get(task.kind).kind.lease_ms;
        let budgets = self.budgets(&candidate, &charges, lease_ms);
        let charges = if self.bug(Bug::StartIsFree) {
            Default::default()
        } else {
            charges
        };
        let token = Token {
            generation: self.state.generation,
            position: self.state.position,
        };
        self.emit(Event::Started(Box::new(Started {
            task: id,
            session,
            take,
            lease_ms,
            charges,
            budgets,
        })));
        let lease_ms = if self.bug(Bug::LeaseEndsEarly) {
            lease_ms / 2
        } else {
            lease_ms
        };
        self.watch_run(token, self.state.now.elapsed.plus(lease_ms));
        Some(token)
    }

    /// What a worker is told of a live run.
    pub(crate) fn hand_out_of(&self, token: Token) -> HandOut {
        let run = &self.state.runs[&token];
        let task = self.state.task(run.task);
        let kind = &self.state.kinds.get(task.kind).kind;
        let claims = (task.claims.iter())
            .map(|claim| Claim::new(self.resource_name(claim.resource), claim.op))
            .collect();
        HandOut {
            token,
            task: task.id,
            kind: kind.name.clone(),
            claims,
            payload: task.payload.clone(),
            stands_for: u64::from(task.stands_for),
            attempt: task.tries + task.losses + 1,
            lease_ms: run.lease_ms,
            run_within_ms: kind.run_within_ms,
            budgets: self.budgets_of(run),
            trace: task.extra().trace.clone(),
        }
    }
}

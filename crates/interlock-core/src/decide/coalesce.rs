//! Coalescing: a run satisfies every submission of the same thing that was accepted before it
//! started and was due by then.

use super::gates::{Candidate, doomed_by};
use super::prepare::Prepared;
use crate::Core;
use crate::bugs::Bug;
use crate::event::{Event, Stage};
use crate::limits;
use crate::state::task::Task;
use crate::state::{SameKey, State};
use crate::words::{KindId, PayloadRule, TaskId};

impl Core {
    /// The waiting task that a submission joins, if there is one.
    pub(crate) fn merge_target(&self, prepared: &Prepared) -> Option<TaskId> {
        if !prepared.coalesces || prepared.due.is_some() {
            return None;
        }
        let claims = (prepared.claims.iter())
            .map(|claim| claim.found())
            .collect::<Option<_>>()?;
        let key = SameKey {
            kind: prepared.kind,
            key: prepared.submission.key.clone(),
            claims,
        };
        if self.bug(Bug::MergedIntoRunning)
            && let Some(running) = self.same_running(&key)
        {
            return Some(running);
        }
        let target = self.open_target(&key, None)?;
        let task = self.state.task(target);
        let bytes = task.payload.len() + prepared.submission.payload.len();
        (!self.appends(task.kind) || bytes < limits::PAYLOAD_BYTES_MAX).then_some(target)
    }

    /// The newest task of this identity that may be joined where it is. One that a sweep under way
    /// is going to cancel is as good as gone.
    fn open_target(&self, key: &SameKey, except: Option<TaskId>) -> Option<TaskId> {
        let ids = self.state.same.get(key)?;
        let newest_first = ids.iter().rev().filter(|id| Some(**id) != except);
        let mut looked_at = newest_first.take(limits::SAME_LOOKED_AT_MAX);
        let open = looked_at
            .find(|id| self.no_barrier_since(self.state.task(**id)) && self.swept(**id).is_none());
        open.copied()
    }

    fn same_running(&self, key: &SameKey) -> Option<TaskId> {
        let first = key.claims.first()?;
        let holders = &self.state.resources.get(first.resource).holders;
        let mut running = holders.iter().map(|held| self.state.task(held.task));
        let same = running.find(|task| task.coalesces && State::same_key(task) == *key);
        same.map(|task| task.id)
    }

    /// Whether whoever comes now would wait behind the same lifecycle tasks as this one does: none
    /// came to its resources after it did, and none dooms it.
    fn no_barrier_since(&self, task: &Task) -> bool {
        if self.bug(Bug::MergedAcrossBarrier) {
            return true;
        }
        let candidate = Candidate::of(task);
        task.claims.iter().enumerate().all(|(at, claim)| {
            let barrier = self.state.resources.get(claim.resource).barrier.as_ref();
            let Some(chain) = barrier.map(|barrier| &barrier.chain) else {
                return true;
            };
            let Some((&arrival, &(last, _))) = chain.last_key_value() else {
                return true;
            };
            let behind_it = match &task.stage {
                Stage::InLine | Stage::Running { .. } => false,
                Stage::Outside(behind) => (behind.iter()).any(|behind| {
                    behind.claim as usize == at && behind.arrival >= arrival && !behind.doomed
                }),
                _ if task.arrival != 0 => arrival < task.arrival,
                _ => arrival < task.spot.place && doomed_by(&candidate, chain).is_none(),
            };
            last == task.id || behind_it
        })
    }

    /// Merges a submission into a waiting task.
    pub(crate) fn merge(&mut self, into: TaskId, prepared: &Prepared) {
        let task = self.state.task(into);
        let now = self.state.now;
        let own_rank = self.rank(now.elapsed, prepared.priority);
        let rank = if task.is_at_work() {
            task.spot.rank
        } else {
            task.spot.rank.min(own_rank)
        };
        let priority = task.priority.max(prepared.priority);
        self.emit(Event::Merged {
            into,
            seq: TaskId(self.state.next_task),
            payload: prepared.submission.payload.clone(),
            priority,
            rank,
        });
        self.retry_sooner(into);
        if self.bug(Bug::GatherBeginsAnew) {
            self.gather_anew(into);
        }
    }

    /// A task that waits for a retry and was joined is due at the first rung at the latest.
    fn retry_sooner(&mut self, id: TaskId) {
        let task = self.state.task(id);
        let Stage::Retrying { until } = task.stage else {
            return;
        };
        let failed = task.extra().last_failure.unwrap_or(self.state.now.wall);
        let first = failed.plus(self.first_wait(task));
        if first <= self.state.now.wall {
            self.arrive(id, Some(self.state.now.elapsed), &[]);
        } else if first < until {
            let (to, spot) = (Stage::Retrying { until: first }, task.spot);
            self.emit(Event::Moved { task: id, to, spot });
        }
    }

    fn gather_anew(&mut self, id: TaskId) {
        let task = self.state.task(id);
        let kind = &self.state.kinds.get(task.kind).kind;
        let gather_ms = kind.coalesce.as_ref().map_or(0, |c| c.gather_ms);
        if let Stage::Gathering { .. } = task.stage {
            let until = self.state.now.elapsed.plus(gather_ms);
            let (to, spot) = (Stage::Gathering { until }, task.spot);
            self.emit(Event::Moved { task: id, to, spot });
        }
    }

    /// A scheduled task that is due joins the same task that waits already. Both ids lead there.
    pub(crate) fn fold_when_due(&mut self, id: TaskId) -> bool {
        let task = self.state.task(id);
        if !task.coalesces || task.hold || !matches!(task.stage, Stage::Scheduled { .. }) {
            return false;
        }
        let Some(into) = self.open_target(&State::same_key(task), Some(id)) else {
            return false;
        };
        if !self.fits(id, into) {
            return false;
        }
        // It became possible just now, not when it was submitted.
        let rank = self.rank(self.state.now.elapsed, self.state.task(id).priority);
        self.fold(id, into, rank);
        true
    }

    /// A run that ended without success and its waiting follow-up become one task.
    pub(crate) fn fold_follow_up(&mut self, id: TaskId, follow_up: Option<TaskId>) {
        if let Some(follow_up) = follow_up {
            let rank = self.state.task(follow_up).spot.rank;
            self.fold(follow_up, id, rank);
        }
    }

    /// The waiting task that a task becomes one with if its run ends without success.
    pub(crate) fn follow_up(&self, id: TaskId) -> Option<TaskId> {
        let task = self.state.task(id);
        if !task.coalesces || task.hold || !self.no_barrier_since(task) {
            return None;
        }
        let follow_up = self.open_target(&State::same_key(task), Some(id))?;
        self.fits(follow_up, id).then_some(follow_up)
    }

    /// Whether the payloads of two tasks of one kind fit into one.
    fn fits(&self, one: TaskId, other: TaskId) -> bool {
        let (one, other) = (self.state.task(one), self.state.task(other));
        let bytes = one.payload.len() + other.payload.len();
        !self.appends(one.kind) || bytes < limits::PAYLOAD_BYTES_MAX
    }

    fn appends(&self, kind: KindId) -> bool {
        let coalesce = &self.state.kinds.get(kind).kind.coalesce;
        (coalesce.as_ref()).is_some_and(|coalesce| coalesce.payload == PayloadRule::Append)
    }

    /// Folds a task of this rank into another.
    fn fold(&mut self, from: TaskId, into: TaskId, rank: i64) {
        let (gone, kept) = (self.state.task(from), self.state.task(into));
        let rank = if kept.is_at_work() {
            kept.spot.rank
        } else {
            kept.spot.rank.min(rank)
        };
        let priority = kept.priority.max(gone.priority);
        self.emit(Event::Folded {
            from,
            into,
            priority,
            rank,
        });
        self.retry_sooner(into);
    }
}

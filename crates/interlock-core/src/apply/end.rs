//! A task ends: it leaves every index, and its outcome stays known for a while.

use crate::state::State;
use crate::state::timers::WallTimer;
use crate::words::{Outcome, TaskId};

impl State {
    pub(crate) fn end_task(&mut self, id: TaskId, outcome: Outcome) {
        self.leave(id);
        self.return_set_aside(id);
        self.forget_task(id);
        let now = self.now.elapsed;
        let task = self.tasks.end(id, outcome, now);
        let Some(extra) = task.extra else {
            return;
        };
        for alias in extra.aliases {
            self.aliases.remove(&alias);
            self.tasks.note_outcome(alias, outcome, now);
        }
        for group in extra.groups {
            let Some(state) = self.groups.get_mut(&group) else {
                continue;
            };
            state.live.remove(&id);
            for entry in state.tasks.iter_mut().filter(|entry| entry.0 == id) {
                entry.1 = Some(outcome);
            }
            if state.live.is_empty() {
                self.groups.remove(&group);
            }
        }
    }

    /// Takes a task out of everything that does not depend on its stage.
    pub(crate) fn forget_task(&mut self, id: TaskId) {
        let task = self.task(id);
        let (kind, arrival, claims) = (task.kind, task.arrival, task.claims.clone());
        let after = task.extra().after.clone();
        let start_by = task.extra().start_by;
        for on in after {
            self.drop_dependent(id, on);
        }
        if let Some(start_by) = start_by {
            self.timers.wall.remove(&(start_by, WallTimer::StartBy(id)));
        }
        self.kinds.get_mut(kind).tasks.remove(&id);
        for claim in claims {
            let resource = self.resources.get_mut(claim.resource);
            resource.tasks.remove(&(kind, id));
            if let Some(barrier) = &mut resource.barrier
                && claim.op.is_lifecycle()
            {
                barrier.chain.remove(&arrival);
                barrier.creates.remove(&id);
            }
            self.mark(claim.resource);
        }
    }
}

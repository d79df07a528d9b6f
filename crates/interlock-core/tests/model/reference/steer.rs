//! What operators do: cancel, bump, hold and release (design §11).

use super::{Index, Model, State};
use interlock_core::reply::StopWhy;
use interlock_core::words::Outcome;

impl Model {
    pub(crate) fn is_held(&self, me: Index) -> bool {
        let task = &self.tasks[me];
        let by_resource = task.claims.iter().any(|claim| self.held_resources[claim.0]);
        task.held || self.held_all || self.held_kinds[task.kind] || by_resource
    }

    /// Cancels a task: at once if it waits; if it runs, its worker is told.
    pub(crate) fn cancel(&mut self, me: Index) {
        if self.tasks[me].is_waiting() {
            self.end(me, Outcome::Cancelled);
        } else {
            let now = self.now.elapsed.0;
            self.ask_to_stop(me, StopWhy::Cancelled, now);
        }
        self.settle();
    }

    /// Asks a run to stop. A cancellation goes before a run that takes too long, and the grace
    /// counts from the first time it was asked.
    pub(crate) fn ask_to_stop(&mut self, me: Index, why: StopWhy, now: u64) {
        if let State::Running(run) = &mut self.tasks[me].state {
            run.stop = match run.stop {
                Some((StopWhy::TooLong, since)) => Some((why, since)),
                None => Some((why, now)),
                cancelled => cancelled,
            };
        }
    }

    /// Raises the priority of a waiting task. The rank of a barrier at work is frozen.
    pub(crate) fn bump(&mut self, me: Index, priority: u8) {
        self.tasks[me].priority = priority;
        let is_ranked = matches!(
            self.tasks[me].state,
            State::Kept | State::Outside | State::InLine
        );
        if is_ranked && !self.tasks[me].at_work {
            self.tasks[me].rank = self.tasks[me].rank.min(self.natural_rank(me));
        }
    }

    /// Cancels what is still live of a group.
    pub(crate) fn cancel_group(&mut self, group: usize) {
        for task in self.all(|task| task.group == Some(group)) {
            if self.tasks[task].is_live() {
                self.cancel(task);
            }
        }
    }
}

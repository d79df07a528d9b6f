//! The end of a task, and what follows for those who waited for it.

use super::barrier::LifecycleEnd;
use crate::Core;
use crate::event::{EndWhy, Event, Sweep};
use crate::words::{Outcome, TaskId};

impl Core {
    /// Ends a waiting task.
    pub(crate) fn end_waiting(&mut self, id: TaskId, outcome: Outcome, why: EndWhy) {
        let lifecycle = self.note_lifecycle(id);
        let keep_ms = self.keep_ms(id, outcome);
        self.emit(Event::Ended {
            task: id,
            outcome,
            why,
            keep_ms,
        });
        self.after_end(id, outcome, lifecycle);
    }

    /// What follows the end of a task for others.
    pub(crate) fn after_end(
        &mut self,
        id: TaskId,
        outcome: Outcome,
        lifecycle: Option<LifecycleEnd>,
    ) {
        if let Some(lifecycle) = lifecycle {
            self.lifecycle_ended(lifecycle, outcome);
        }
        if self.state.dependents.contains_key(&id) {
            self.begin_sweep(Sweep::Dependents {
                of: id,
                succeeded: outcome == Outcome::Succeeded,
            });
        }
    }

    /// How long the history keeps a task.
    pub(crate) fn keep_ms(&self, id: TaskId, outcome: Outcome) -> u64 {
        let kind = self.state.task(id).kind;
        let retention = &self.state.kinds.get(kind).kind.retention;
        match outcome {
            Outcome::Succeeded => retention.succeeded_ms,
            Outcome::Failed => retention.failed_ms,
            Outcome::Cancelled => retention.cancelled_ms,
        }
    }
}

//! `explain`: the whole chain of causes, as data.

use super::{Cause, Explanation, PlaceInLine};
use crate::Core;
use crate::event::Stage;
use crate::limits;
use crate::reply::Reason;
use crate::words::TaskId;

impl Core {
    /// Why a task is not running; `None` if it is not live.
    pub fn explain(&self, task: TaskId) -> Option<Explanation> {
        let id = self.state.find_task(task)?.id;
        Some(self.explain_to(id, limits::EXPLAIN_DEPTH_MAX))
    }

    fn explain_to(&self, id: TaskId, depth: usize) -> Explanation {
        let task = self.state.task(id);
        let reasons = self.reasons_of(id).into_iter();
        let causes = reasons.enumerate().map(|(at, reason)| {
            // The nearest cause is followed all the way, the others one step.
            let depth = if at == 0 { depth } else { depth.min(1) };
            let next = culprit(&reason).filter(|next| *next != id && depth > 0);
            let next = next.filter(|next| self.state.tasks.get(*next).is_some());
            let then = next.map(|next| Box::new(self.explain_to(next, depth - 1)));
            Cause { reason, then }
        });
        Explanation {
            task: id,
            running: task.is_running(),
            causes: causes.collect(),
            places: self.places(id),
        }
    }

    /// How many conflicting tasks are ahead on each line that the task stands in.
    fn places(&self, id: TaskId) -> Vec<PlaceInLine> {
        let task = self.state.task(id);
        if task.stage != Stage::InLine {
            return Vec::new();
        }
        (task.claims.iter())
            .map(|claim| {
                let resource = self.state.resources.get(claim.resource);
                let counted = resource.ahead(claim.op, task.key());
                let ahead = counted.take(limits::PLACE_COUNT_MAX).count();
                PlaceInLine {
                    resource: resource.name.clone(),
                    ahead,
                    at_least: ahead == limits::PLACE_COUNT_MAX,
                }
            })
            .collect()
    }
}

/// The task that a reason names.
fn culprit(reason: &Reason) -> Option<TaskId> {
    match reason {
        Reason::HeldBy { by, .. }
        | Reason::Ahead { by, .. }
        | Reason::Behind { by, .. }
        | Reason::Doomed { by, .. }
        | Reason::FutureDecided { by, .. } => Some(by.task),
        Reason::Dependent { on } => Some(on.task),
        _ => None,
    }
}

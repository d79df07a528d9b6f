//! The history: every task that ended is given out to be kept, once, as it ended.

use super::Checker;
use crate::oracle::{Findings, Kept, Ledger};
use interlock_core::words::TaskId;
use std::collections::BTreeSet;

/// Watches what is given out to be kept.
#[derive(Default)]
pub struct History {
    kept: BTreeSet<TaskId>,
}

impl Checker for History {
    fn name(&self) -> &'static str {
        "history"
    }

    fn checkpointed(&mut self, ledger: &Ledger, kept: &Kept, found: &mut Findings) {
        for task in &kept.ended {
            let id = task.task;
            let first = self.kept.insert(id);
            found.expect(first, || format!("task {id} was given out twice"));
            let outcome = ledger.ended.get(&id).map(|row| row.outcome);
            found.expect(outcome == Some(task.outcome), || {
                format!("task {id} is kept as {:?}, but {outcome:?}", task.outcome)
            });
        }
        let later: BTreeSet<TaskId> = kept.later.iter().map(|task| task.task).collect();
        let known = |id: &&TaskId| self.kept.contains(id) || later.contains(id);
        let missing = ledger.ended.keys().find(|id| !known(id));
        found.expect(missing.is_none(), || {
            format!("task {missing:?} ended and was not given out")
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::{Story, admitted};
    use interlock_core::Event;
    use interlock_core::event::EndWhy;
    use interlock_core::words::Outcome;

    #[test]
    fn a_task_that_was_not_given_out_is_missed() {
        let mut story = Story::new(History::default());
        story.events(vec![
            Event::Admitted(Box::new(admitted(1, &[]))),
            Event::Ended {
                task: TaskId(1),
                outcome: Outcome::Cancelled,
                why: EndWhy::NotStartedInTime,
                keep_ms: 0,
            },
        ]);
        story.oracle.checkpointed(&Kept::default());
        story.caught("was not given out");
    }
}

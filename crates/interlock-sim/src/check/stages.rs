//! P4, task by task: whatever a task waits for is really there. A cause that has gone away while the
//! task still waits for it is a stall that no wake-up will end.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step, TaskRow};
use interlock_core::event::{Behind, Stage};

/// Looks at all waiting tasks after every so many decisions.
const EVERY: u64 = 12;

/// Watches what tasks wait for.
pub struct Stages;

impl Checker for Stages {
    fn name(&self) -> &'static str {
        "stages"
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        if step.more || !ledger.is_settled() || !step.number.is_multiple_of(EVERY) {
            return;
        }
        for task in ledger.tasks.values() {
            if let Err(why) = cause(ledger, task) {
                found.add(format!("task {} waits in {:?} {why}", task.id, task.stage));
            }
            let in_time = task.runs > 0
                || task.is_running()
                || task.start_by.is_none_or(|by| by > step.at.wall);
            found.expect(in_time, || {
                format!(
                    "task {} waits beyond {:?}, when it should give up",
                    task.id, task.start_by
                )
            });
        }
    }
}

fn cause(ledger: &Ledger, task: &TaskRow) -> Result<(), &'static str> {
    let staffed = ledger.kind(task.kind).is_some_and(|kind| kind.staffed);
    let held = !ledger.holds_on(task).is_empty();
    let rule = |holds: bool, otherwise| if holds { Ok(()) } else { Err(otherwise) };
    match &task.stage {
        Stage::Running { .. } => Ok(()),
        Stage::Dependent => rule(
            !task.unmet.is_empty() && task.unmet.iter().all(|id| ledger.live(*id).is_some()),
            "but what it depends on has ended",
        ),
        Stage::Scheduled { until } | Stage::Retrying { until } => {
            rule(*until > ledger.now.wall, "but the time has come")
        }
        Stage::Gathering { until } => rule(
            *until > ledger.now.elapsed,
            "but it has gathered long enough",
        ),
        Stage::Held => rule(held, "but nobody holds it"),
        Stage::NoWorker => rule(
            !staffed && !held,
            "but its kind has a worker, or it is held",
        ),
        Stage::Outside(behind) => {
            let there =
                !behind.is_empty() && behind.iter().all(|b| barrier_is_there(ledger, task, b));
            rule(
                there && !held,
                "but no lifecycle task is before it, or it is held",
            )
        }
        Stage::InLine => rule(
            !held && staffed,
            "though it is held, or its kind has no worker",
        ),
        Stage::Throttled { instance } => {
            let uses = ledger.costs(task).iter().any(|(name, _)| name == instance);
            rule(
                uses && !held,
                "though its kind does not use that quota, or it is held",
            )
        }
    }
}

fn barrier_is_there(ledger: &Ledger, task: &TaskRow, behind: &Behind) -> bool {
    let Some((resource, _)) = task.claims.get(usize::from(behind.claim)) else {
        return false;
    };
    let chain = ledger
        .resources
        .get(resource)
        .map_or(&[][..], |row| &row.chain);
    chain.iter().any(|id| *id != task.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use interlock_core::event::Event;
    use interlock_core::words::{KindId, Op, TaskId, Wall};

    /// Ticks until the checker looks.
    fn look(story: &mut Story) {
        for _ in 0..EVERY {
            story.events(Vec::new());
        }
    }

    #[test]
    fn a_due_task_does_not_stay_scheduled() {
        let mut story = Story::new(Stages);
        story.admit_with(1, &[], |task| {
            task.to = Stage::Scheduled { until: Wall(2_000) }
        });
        look(&mut story);
        story.fine().at(2_000);
        look(&mut story);
        story.caught("the time has come");
    }

    #[test]
    fn a_barrier_that_is_gone_holds_nobody_up() {
        let mut story = Story::new(Stages);
        let behind = Behind {
            claim: 0,
            arrival: 1,
            doomed: false,
        };
        story.admit_with(1, &[("a:1", Op::Update)], |task| {
            task.to = Stage::Outside([behind].into());
        });
        look(&mut story);
        story.caught("no lifecycle task is before it");
    }

    #[test]
    fn a_dependency_that_ended_holds_nobody_up() {
        let mut story = Story::new(Stages);
        story.admit_with(2, &[], |task| {
            task.to = Stage::Dependent;
            task.after = vec![TaskId(1)];
        });
        look(&mut story);
        story.caught("has ended");
    }

    #[test]
    fn a_kind_without_workers_has_nobody_in_line() {
        let mut story = Story::new(Stages);
        story.admit(1, &[]);
        story.events(vec![Event::KindStaffed {
            kind: KindId(0),
            staffed: false,
        }]);
        look(&mut story);
        story.caught("no worker");
    }
}

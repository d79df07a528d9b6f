//! What must hold when a task starts: it stands in line, is held by nobody, is wanted in time, and the
//! session it goes to may have it.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step, TaskRow};
use interlock_core::Event;
use interlock_core::event::{Stage, Started};

/// Watches starts.
pub struct Gates;

impl Checker for Gates {
    fn name(&self) -> &'static str {
        "gates"
    }

    fn event(&mut self, ledger: &Ledger, step: &Step, _: u64, event: &Event, found: &mut Findings) {
        let Event::Started(started) = event else {
            return;
        };
        let Some(task) = ledger.tasks.get(&started.task) else {
            return;
        };
        let id = task.id;
        found.expect(task.stage == Stage::InLine, || {
            format!("task {id} starts from {:?}", task.stage)
        });
        let holds = ledger.holds_on(task);
        found.expect(holds.is_empty(), || {
            format!("task {id} starts though {holds:?} is held")
        });
        found.expect(task.unmet.is_empty(), || {
            format!("task {id} starts before {:?} succeeded", task.unmet)
        });
        let in_time = task.runs > 0 || task.start_by.is_none_or(|by| step.at.wall <= by);
        found.expect(in_time, || {
            format!("task {id} starts after {:?}", task.start_by)
        });
        found.expect(task.last_run_by.is_none(), || {
            format!(
                "task {id} runs again though {:?} denied it",
                task.last_run_by
            )
        });
        session_may(ledger, task, started, found);
    }
}

fn session_may(ledger: &Ledger, task: &TaskRow, started: &Started, found: &mut Findings) {
    let session = started.session;
    let Some(row) = ledger.sessions.get(&session) else {
        return found.add(format!(
            "task {} goes to session {session}, which is gone",
            task.id
        ));
    };
    found.expect(row.kinds.contains(&task.kind), || {
        format!(
            "task {} goes to session {session}, which does not handle its kind",
            task.id
        )
    });
    found.expect(!row.lost && !row.drained, || {
        format!(
            "task {} goes to session {session} (lost: {}, drained: {})",
            task.id, row.lost, row.drained
        )
    });
    let lease = ledger.kind(task.kind).map(|row| row.kind.lease_ms);
    found.expect(lease == Some(started.lease_ms), || {
        format!(
            "task {} gets a lease of {}, its kind says {lease:?}",
            task.id, started.lease_ms
        )
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use crate::scenery::resource;
    use interlock_core::command::HoldTarget;
    use interlock_core::words::{KindId, Op, Wall};

    #[test]
    fn a_held_resource_keeps_its_tasks_from_starting() {
        let mut story = Story::new(Gates);
        story
            .admit(1, &[("a:1", Op::Update)])
            .events(vec![Event::HoldSet {
                what: HoldTarget::Resource(resource("a:1")),
                held: true,
                by: None,
            }]);
        story.start(1, 2);
        story.caught("is held");
    }

    #[test]
    fn a_worker_gets_only_what_it_handles() {
        let mut story = Story::new(Gates);
        story.events(vec![Event::Registered {
            name: crate::scenery::name("w1"),
            kinds: vec![KindId(9)],
        }]);
        story.admit(1, &[]);
        story.start(1, 3);
        story.caught("does not handle its kind");
    }

    #[test]
    fn a_task_that_gave_up_does_not_start() {
        let mut story = Story::new(Gates);
        story.admit_with(1, &[], |task| task.start_by = Some(Wall(1_500)));
        story.at(1_501).start(1, 2);
        story.caught("starts after");
    }

    #[test]
    fn only_who_stands_in_line_starts() {
        let mut story = Story::new(Gates);
        story.admit_with(1, &[], |task| task.to = Stage::NoWorker);
        story.start(1, 2);
        story.caught("starts from NoWorker");
    }
}

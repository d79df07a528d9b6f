//! P1 on the server's clock: two runs with conflicting claims on a resource are never live together.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step};
use interlock_core::Event;

/// Watches hand-outs.
pub struct Exclusion;

impl Checker for Exclusion {
    fn name(&self) -> &'static str {
        "exclusion"
    }

    fn event(&mut self, ledger: &Ledger, _: &Step, _: u64, event: &Event, found: &mut Findings) {
        let Event::Started(started) = event else {
            return;
        };
        let Some(task) = ledger.tasks.get(&started.task) else {
            return found.add(format!("task {} starts but is not live", started.task));
        };
        found.expect(!task.is_running(), || {
            format!("task {} starts twice", task.id)
        });
        for (resource, op) in &task.claims {
            let holders = ledger
                .resources
                .get(resource)
                .map_or(&[][..], |row| &row.holders);
            if let Some((other, held)) = holders.iter().find(|(_, held)| held.conflicts(*op)) {
                found.add(format!(
                    "task {} starts to {op} {resource} while task {other} does {held}",
                    task.id
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use interlock_core::words::Op;

    #[test]
    fn two_readers_are_fine_and_a_writer_beside_them_is_not() {
        let mut story = Story::new(Exclusion);
        story
            .admit(1, &[("a:1", Op::Read)])
            .admit(2, &[("a:1", Op::Read)]);
        story.admit(3, &[("a:1", Op::Update)]);
        story.start(1, 2);
        story.start(2, 2);
        story.fine();
        story.start(3, 2);
        story.caught("while task 1");
    }

    #[test]
    fn a_task_runs_once_at_a_time() {
        let mut story = Story::new(Exclusion);
        story.admit(1, &[("a:1", Op::Read)]);
        story.start(1, 2);
        story.start(1, 2);
        story.caught("starts twice");
    }
}

//! Lifecycle tasks are barriers: nothing in line before one runs after it, nothing that comes after it
//! runs before it, whatever the priorities.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step};
use interlock_core::Event;

/// Watches starts around barriers.
pub struct Barriers;

impl Checker for Barriers {
    fn name(&self) -> &'static str {
        "barriers"
    }

    fn event(&mut self, ledger: &Ledger, _: &Step, _: u64, event: &Event, found: &mut Findings) {
        let Event::Started(started) = event else {
            return;
        };
        let Some(task) = ledger.tasks.get(&started.task) else {
            return;
        };
        for (resource, op) in &task.claims {
            let Some(row) = ledger.resources.get(resource) else {
                continue;
            };
            for barrier in row.chain.iter().filter(|id| **id != task.id) {
                let came = ledger.tasks[barrier].came_to(resource);
                found.expect(came > task.let_in_to(resource), || {
                    format!(
                        "task {} came to {resource} after task {barrier} but runs before it",
                        task.id
                    )
                });
            }
            if op.is_lifecycle() {
                for (waiting, _) in row.line.values().filter(|(id, _)| *id != task.id) {
                    let came = ledger.tasks[waiting].came_to(resource);
                    found.expect(came > task.came_to(resource), || {
                        format!(
                            "task {waiting} came to {resource} before task {} but is left behind",
                            task.id
                        )
                    });
                }
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
    fn priority_does_not_carry_a_reader_past_a_delete() {
        let mut story = Story::new(Barriers);
        story.admit(1, &[("a:1", Op::Delete)]);
        story.admit_with(2, &[("a:1", Op::Read)], |task| task.spot.rank = -100);
        story.start(2, 2);
        story.caught("runs before it");
    }

    #[test]
    fn a_delete_leaves_nobody_behind() {
        let mut story = Story::new(Barriers);
        story.admit(1, &[("a:1", Op::Update)]);
        story.admit_with(2, &[("a:1", Op::Delete)], |task| task.spot.rank = -100);
        story.start(2, 2);
        story.caught("is left behind");
    }
}

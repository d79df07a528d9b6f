//! `after`: a task starts only when all that it depends on has succeeded, and learns of each success
//! truthfully.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step};
use interlock_core::Event;
use interlock_core::words::{After, Outcome, TaskId};

/// Watches dependencies.
pub struct Dependencies;

impl Checker for Dependencies {
    fn name(&self) -> &'static str {
        "dependencies"
    }

    fn event(&mut self, ledger: &Ledger, _: &Step, _: u64, event: &Event, found: &mut Findings) {
        match event {
            Event::DependencyMet { task, on } => found.expect(succeeded(ledger, *on), || {
                format!("task {task} was told that {on} succeeded, which is not so")
            }),
            Event::Started(started) => {
                let after = ledger
                    .tasks
                    .get(&started.task)
                    .map_or(&[][..], |task| &task.after);
                for on in after {
                    found.expect(succeeded(ledger, *on), || {
                        format!("task {} starts before {on} succeeded", started.task)
                    });
                }
            }
            _ => {}
        }
    }

    /// What was asked for is what was admitted: no dependency is forgotten.
    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        let items = step.let_in();
        for (id, item) in &items {
            let Some(task) = ledger.tasks.get(id) else {
                continue;
            };
            for after in &item.after {
                let After::Task(on) = after else {
                    continue;
                };
                let known = task
                    .after
                    .iter()
                    .any(|a| ledger.leads_to(*a) == ledger.leads_to(*on));
                found.expect(known || succeeded(ledger, *on), || {
                    format!("task {id} was submitted after {on}, but does not wait for it")
                });
            }
        }
    }
}

fn succeeded(ledger: &Ledger, id: TaskId) -> bool {
    let row = ledger.ended.get(&ledger.leads_to(id));
    row.is_some_and(|row| row.outcome == Outcome::Succeeded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;

    #[test]
    fn nobody_starts_before_what_it_depends_on() {
        let mut story = Story::new(Dependencies);
        story
            .admit(1, &[])
            .admit_with(2, &[], |task| task.after = vec![TaskId(1)]);
        story.start(2, 2);
        story.caught("before 1 succeeded");
    }

    #[test]
    fn nobody_is_told_of_a_success_that_was_none() {
        let mut story = Story::new(Dependencies);
        story
            .admit(1, &[])
            .admit_with(2, &[], |task| task.after = vec![TaskId(1)]);
        story.events(vec![Event::DependencyMet {
            task: TaskId(2),
            on: TaskId(1),
        }]);
        story.caught("which is not so");
    }
}

//! P3: a submission is satisfied only by a run that began after it was accepted and after it was due.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step, TaskRow};
use interlock_core::Event;
use interlock_core::event::{RunEnd, Then};
use interlock_core::words::{Outcome, TaskId};

/// Watches which runs satisfy which submissions.
pub struct Satisfaction;

impl Checker for Satisfaction {
    fn name(&self) -> &'static str {
        "satisfaction"
    }

    fn event(&mut self, ledger: &Ledger, step: &Step, _: u64, event: &Event, found: &mut Findings) {
        match event {
            Event::Started(started) => {
                if let Some(task) = ledger.tasks.get(&started.task) {
                    all_due(task, step, found);
                }
            }
            Event::Merged { into, .. } | Event::Folded { into, .. } => {
                not_swallowed(ledger, *into, found)
            }
            Event::RunEnded(ended) => {
                let Some(run) = ledger.run(ended.token) else {
                    return;
                };
                let (reported, done) = (
                    matches!(ended.how, RunEnd::Succeeded { .. }),
                    matches!(
                        &ended.then,
                        Then::Done {
                            outcome: Outcome::Succeeded,
                            ..
                        }
                    ),
                );
                found.expect(reported == done, || {
                    format!(
                        "run {} ended as {:?}, its task as {:?}",
                        ended.token, ended.how, ended.then
                    )
                });
                let standing = ledger
                    .tasks
                    .get(&run.task)
                    .map_or(0, |t| t.submissions.len());
                found.expect(!done || standing == run.covers, || {
                    format!(
                        "task {} succeeded for {standing} submissions; only {} were there when the run began",
                        run.task, run.covers
                    )
                });
            }
            Event::Ended { task, outcome, .. } => {
                found.expect(*outcome != Outcome::Succeeded, || {
                    format!("task {task} succeeded without a run")
                });
            }
            _ => {}
        }
    }
}

fn all_due(task: &TaskRow, step: &Step, found: &mut Findings) {
    for submission in &task.submissions {
        found.expect(submission.due.is_none_or(|due| due <= step.at.wall), || {
            format!(
                "task {} starts before submission {} is due",
                task.id, submission.seq
            )
        });
    }
}

fn not_swallowed(ledger: &Ledger, into: TaskId, found: &mut Findings) {
    let running = ledger.tasks.get(&into).is_some_and(TaskRow::is_running);
    found.expect(!running, || {
        format!("a submission was swallowed by the run of task {into} in progress")
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::{Story, done, ended, success};
    use interlock_core::event::EndWhy;
    use interlock_core::words::{Op, Payload, Wall};

    fn merged(into: u64, seq: u64) -> Event {
        Event::Merged {
            into: TaskId(into),
            seq: TaskId(seq),
            payload: Payload::default(),
            priority: 4,
            rank: 1,
        }
    }

    #[test]
    fn a_run_in_progress_swallows_nothing() {
        let mut story = Story::new(Satisfaction);
        story
            .admit(1, &[("a:1", Op::Update)])
            .events(vec![merged(1, 2)])
            .fine();
        story.start(1, 2);
        story.events(vec![merged(1, 3)]);
        story.caught("swallowed");
    }

    #[test]
    fn no_run_begins_before_its_time() {
        let mut story = Story::new(Satisfaction);
        story.admit_with(1, &[], |task| task.due = Some(Wall(5_000)));
        story.at(4_999).start(1, 2);
        story.caught("before submission 1 is due");
    }

    #[test]
    fn success_needs_a_run() {
        let mut story = Story::new(Satisfaction);
        story.admit(1, &[]);
        let token = story.start(1, 2);
        story
            .end(token, success(), done(Outcome::Succeeded, EndWhy::Success))
            .fine();
        story
            .admit(2, &[])
            .events(vec![ended(2, Outcome::Succeeded, EndWhy::Success)]);
        story.caught("without a run");
    }
}

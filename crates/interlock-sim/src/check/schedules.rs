//! Schedules: never two live tasks at once, on time, once after an outage, not while paused, and no more
//! often than they may.

use super::Checker;
use crate::oracle::{Findings, Ledger, ScheduleRow, Step};
use crate::workload::schedules::CRONS;
use interlock_core::event::{Event, Fired};
use interlock_core::words::{Name, TaskId, Timing, Wall};
use std::collections::BTreeMap;

/// Watches schedules.
#[derive(Default)]
pub struct Schedules {
    /// The last task of each.
    last: BTreeMap<Name, TaskId>,
    /// Fired in this decision.
    fired: Vec<Name>,
}

impl Checker for Schedules {
    fn name(&self) -> &'static str {
        "schedules"
    }

    fn event(&mut self, ledger: &Ledger, step: &Step, _: u64, event: &Event, found: &mut Findings) {
        match event {
            Event::ScheduleFired { name, fired, next } => {
                let Some(row) = ledger.schedules.get(name) else {
                    return found.add(format!("schedule {name} fired but is not there"));
                };
                on_time(name, row, step, *next, found);
                found.expect(!self.fired.contains(name), || {
                    format!("schedule {name} fired twice at once")
                });
                self.fired.push(name.clone());
                self.one_at_a_time(ledger, name, fired, found);
            }
            Event::ScheduleRemoved { name } => {
                self.last.remove(name);
            }
            _ => {}
        }
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        self.fired.clear();
        if step.more {
            return;
        }
        for (name, row) in &ledger.schedules {
            let overdue = !row.paused && row.next.is_some_and(|next| next <= step.at.wall);
            found.expect(!overdue, || {
                format!(
                    "schedule {name} should have fired at {:?}, it is {:?}",
                    row.next, step.at.wall
                )
            });
        }
    }
}

impl Schedules {
    fn one_at_a_time(&mut self, ledger: &Ledger, name: &Name, fired: &Fired, found: &mut Findings) {
        let last = self
            .last
            .get(name)
            .copied()
            .filter(|id| ledger.live(*id).is_some());
        match fired {
            Fired::Submitted { task, .. } => {
                let other = last.filter(|id| ledger.leads_to(*id) != ledger.leads_to(*task));
                found.expect(other.is_none(), || {
                    format!("schedule {name} has two live tasks: {task} and {other:?}")
                });
                self.last.insert(name.clone(), *task);
            }
            Fired::StillLive { task } => found.expect(ledger.live(*task).is_some(), || {
                format!("schedule {name} waits for task {task}, which has ended")
            }),
            Fired::NotAdmitted { .. } => {}
        }
    }
}

fn on_time(name: &Name, row: &ScheduleRow, step: &Step, next: Option<Wall>, found: &mut Findings) {
    let now = step.at.wall;
    let due = !row.paused && row.next.is_some_and(|at| at <= now);
    found.expect(due, || {
        format!("schedule {name} fired at {now:?}, due {:?}", row.next)
    });
    found.expect(next.is_none_or(|at| at > now), || {
        format!("schedule {name} fires again at {next:?}, it is {now:?}")
    });
    match &row.schedule.timing {
        Timing::Every {
            every_ms,
            count,
            start,
        } => {
            found.expect(count.is_none_or(|most| row.fired < most), || {
                format!("schedule {name} fired more than {count:?} times")
            });
            // The grid begins where the schedule says, or with its first firing.
            let regular = match (start.or(row.next), next) {
                (Some(on_grid), Some(next)) => {
                    next.since(on_grid) % every_ms == 0 && next.since(now) <= *every_ms
                }
                _ => true,
            };
            found.expect(regular, || {
                format!(
                    "schedule {name} every {every_ms} ms: after {:?} comes {next:?}",
                    row.next
                )
            });
        }
        Timing::Cron { expression, .. } => {
            let period = CRONS
                .iter()
                .find(|(known, _)| known == expression)
                .map(|(_, ms)| *ms);
            let right = period.map(|ms| Wall((now.0 / ms + 1) * ms));
            found.expect(right.is_none() || right == next, || {
                format!("schedule {name} {expression}: next is {next:?}, expected {right:?}")
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::{Story, admitted};
    use crate::scenery::name;
    use interlock_core::reply::Verdict;
    use interlock_core::words::{Schedule, Submission};
    use std::sync::Arc;

    fn story() -> Story {
        let mut story = Story::new(Schedules::default());
        let schedule = Schedule {
            name: name("s0"),
            timing: Timing::Every {
                every_ms: 500,
                start: None,
                count: Some(2),
            },
            submission: Submission::new(name("plain"), Vec::new()),
        };
        story.events(vec![Event::ScheduleSet {
            schedule: Arc::new(schedule),
            next: Some(Wall(1_500)),
        }]);
        story
    }

    fn fire(story: &mut Story, task: u64, next: u64) {
        let mut submitted = admitted(task, &[]);
        submitted.schedule = Some(name("s0"));
        let fired = Event::ScheduleFired {
            name: name("s0"),
            fired: Fired::Submitted {
                task: TaskId(task),
                verdict: Verdict::Accepted,
            },
            next: Some(Wall(next)),
        };
        story.events(vec![Event::Admitted(Box::new(submitted)), fired]);
    }

    #[test]
    fn two_live_tasks_are_one_too_many() {
        let mut story = story();
        story.at(1_500);
        fire(&mut story, 1, 2_000);
        story.fine().at(2_000);
        fire(&mut story, 2, 2_500);
        story.caught("two live tasks");
    }

    #[test]
    fn a_firing_is_not_missed() {
        let mut story = story();
        story.at(1_499).events(Vec::new()).fine();
        story.at(1_500).events(Vec::new());
        story.caught("should have fired");
    }

    #[test]
    fn an_outage_is_not_made_up_for() {
        let mut story = story();
        story.at(9_000);
        fire(&mut story, 1, 2_000);
        story.caught("fires again at");
    }
}

//! Coalescing: only the same is joined, never across a barrier, never into a run in progress; and what
//! could be joined is, so that a burst causes at most one more run.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step, TaskRow};
use interlock_core::event::{Admitted, EndWhy, Event, Stage, Sweep};
use interlock_core::words::{Due, Op, ResourceName, Submission, TaskId};
use std::collections::BTreeSet;

/// Watches merges and folds.
#[derive(Default)]
pub struct Coalescing {
    /// The last submission that cancelled others, and who was not to be joined before it did.
    closed: Option<(TaskId, BTreeSet<TaskId>)>,
}

impl Checker for Coalescing {
    fn name(&self) -> &'static str {
        "coalescing"
    }

    fn event(&mut self, ledger: &Ledger, step: &Step, _: u64, event: &Event, found: &mut Findings) {
        match event {
            Event::Merged { into, seq, .. } => {
                if let Some(task) = ledger.tasks.get(into) {
                    merged(ledger, step, task, *seq, found);
                }
            }
            Event::Folded { from, into, .. } => {
                if let (Some(from), Some(into)) = (ledger.tasks.get(from), ledger.tasks.get(into)) {
                    folded(ledger, from, into, found);
                }
            }
            Event::Admitted(admitted) => {
                if admitted.coalesces {
                    self.nothing_to_join(ledger, admitted, found);
                }
                if let Stage::Gathering { until } = admitted.to {
                    let kind = ledger
                        .kind(admitted.kind)
                        .and_then(|row| row.kind.coalesce.as_ref());
                    let most = kind.map_or(0, |coalesce| coalesce.gather_ms);
                    found.expect(until.since(step.at.elapsed) <= most, || {
                        format!(
                            "task {} gathers until {until:?}, {most} ms are allowed",
                            admitted.task
                        )
                    });
                }
            }
            Event::SweepBegun {
                sweep:
                    Sweep::CancelOnResource {
                        resource,
                        why: EndWhy::CancelledBy { by },
                        ..
                    },
                ..
            } => self.note_closed(ledger, resource, *by),
            Event::Moved {
                task,
                to: Stage::Gathering { until },
                ..
            } => {
                let old = ledger.tasks.get(task).map(|task| &task.stage);
                let sooner = matches!(old, Some(Stage::Gathering { until: old }) if until <= old);
                found.expect(sooner, || {
                    format!("task {task} gathers until {until:?}, before it was {old:?}")
                });
            }
            _ => {}
        }
    }
}

impl Coalescing {
    /// Joining is tried first: a submission that itself cancels the barrier before which the same
    /// task waits has come too late to join it.
    fn note_closed(&mut self, ledger: &Ledger, resource: &ResourceName, by: TaskId) {
        if self.closed.as_ref().is_none_or(|(known, _)| *known != by) {
            self.closed = Some((by, BTreeSet::new()));
        }
        if let (Some((_, closed)), Some(row)) = (&mut self.closed, ledger.resources.get(resource)) {
            let tasks = row.tasks.iter().map(|id| &ledger.tasks[id]);
            closed.extend(tasks.filter(|task| is_closed(ledger, task)).map(|t| t.id));
        }
    }

    fn nothing_to_join(&self, ledger: &Ledger, admitted: &Admitted, found: &mut Findings) {
        let apart = matches!(admitted.to, Stage::Scheduled { .. } | Stage::Dependent);
        let Some((resource, _)) = admitted.claims.first().filter(|_| !apart) else {
            return;
        };
        let Some(row) = ledger.resources.get(resource) else {
            return;
        };
        let was_closed = |id: TaskId| {
            let closed = self.closed.as_ref().filter(|(by, _)| *by == admitted.task);
            closed.is_some_and(|(_, tasks)| tasks.contains(&id))
        };
        for task in row.tasks.iter().map(|id| &ledger.tasks[id]) {
            let same = task.coalesces
                && !task.held
                && task.kind == admitted.kind
                && task.key == admitted.key
                && task.claims[..] == admitted.claims[..];
            let open = !task.is_running() && !matches!(task.stage, Stage::Scheduled { .. });
            let closed = is_closed(ledger, task) || was_closed(task.id);
            found.expect(!same || !open || closed, || {
                format!(
                    "task {} was admitted beside the same task {} that waits",
                    admitted.task, task.id
                )
            });
        }
    }
}

/// Whether a barrier keeps whoever comes now from joining a waiting task.
fn is_closed(ledger: &Ledger, task: &TaskRow) -> bool {
    // Who is about to be cancelled takes nobody along.
    let doomed = matches!(&task.stage, Stage::Outside(behind) if behind.iter().any(|b| b.doomed));
    // Who stands nowhere while barriers are pending has no side to be on.
    let aside = !task.visiting && has_barrier(ledger, task);
    doomed || aside || is_swept(ledger, task) || later_barrier(ledger, task).is_some()
}

/// Whether a sweep under way is going to cancel a waiting task.
fn is_swept(ledger: &Ledger, task: &TaskRow) -> bool {
    ledger.sweeps.values().any(|sweep| {
        let Sweep::CancelOnResource {
            resource,
            kinds,
            after,
            before,
            spare_creates,
            ..
        } = sweep
        else {
            return false;
        };
        let spared = |op| *spare_creates && op == Op::Create;
        task.op_on(resource).is_some_and(|op| !spared(op))
            && (kinds.is_empty() || kinds.contains(&task.kind))
            && *after < task.id
            && task.id < *before
    })
}

fn merged(ledger: &Ledger, step: &Step, task: &TaskRow, seq: TaskId, found: &mut Findings) {
    let id = task.id;
    let apart = task.is_running()
        || !task.coalesces
        || task.held
        || matches!(task.stage, Stage::Scheduled { .. } | Stage::Dependent);
    found.expect(!apart, || {
        format!("{seq} joined task {id} in {:?}", task.stage)
    });
    if let Some(barrier) = later_barrier(ledger, task) {
        found.add(format!(
            "{seq} joined task {id} across the barrier of task {barrier}"
        ));
    }
    let items = step.let_in();
    if let Some((_, item)) = items.iter().find(|(number, _)| *number == seq) {
        found.expect(is_same(ledger, task, item), || {
            format!("{seq} joined task {id}, which is not the same: {item:?}")
        });
        let later = match item.due {
            Some(Due::At(at)) => at > step.at.wall,
            Some(Due::In(ms)) => ms > 0,
            None => false,
        };
        found.expect(!later, || {
            format!("{seq} joined task {id} before it is due")
        });
    }
}

fn has_barrier(ledger: &Ledger, task: &TaskRow) -> bool {
    let rows = task
        .claims
        .iter()
        .filter_map(|(resource, _)| ledger.resources.get(resource));
    rows.flat_map(|row| &row.chain).any(|id| *id != task.id)
}

/// A lifecycle task on its resources that came after it, and that it does not wait behind: a
/// lifecycle task keeps its position, but where it only reads or updates it waits behind one that
/// was at work when it came back, and then it runs after that one like whoever comes now.
fn later_barrier(ledger: &Ledger, task: &TaskRow) -> Option<TaskId> {
    task.claims
        .iter()
        .enumerate()
        .find_map(|(at, (resource, _))| {
            let chain = ledger
                .resources
                .get(resource)
                .map_or(&[][..], |row| &row.chain);
            let others = chain.iter().filter(|id| **id != task.id);
            let there = task.visiting || task.is_lifecycle() && task.arrived;
            let place = if there {
                task.let_in_to(resource)
            } else {
                task.spot.place
            };
            let behind = waits_behind(task, at);
            let mut later = others.filter(|id| {
                let came = ledger.tasks[id].came_to(resource);
                came >= place && behind.is_none_or(|arrival| came > arrival)
            });
            later.next().copied()
        })
}

/// The arrival that a task waits behind on one of its claims, unless it is doomed by it.
fn waits_behind(task: &TaskRow, claim: usize) -> Option<u64> {
    let Stage::Outside(behind) = &task.stage else {
        return None;
    };
    let here = behind.iter().find(|b| usize::from(b.claim) == claim);
    here.filter(|b| !b.doomed).map(|b| b.arrival)
}

fn is_same(ledger: &Ledger, task: &TaskRow, item: &Submission) -> bool {
    let Some(kind) = ledger.kind(task.kind) else {
        return false;
    };
    let mut claims: Vec<(ResourceName, Op)> = item
        .claims
        .iter()
        .map(|claim| (claim.resource.clone(), claim.op.unwrap_or(kind.kind.op)))
        .collect();
    claims.sort();
    let mut mine = task.claims.clone();
    mine.sort();
    kind.kind.name == item.kind
        && kind.kind.coalesce.is_some()
        && task.key == item.key
        && claims == mine
        && item.after.is_empty()
        && item.start_within_ms.is_none()
        && !item.hold
}

fn folded(ledger: &Ledger, from: &TaskRow, into: &TaskRow, found: &mut Findings) {
    let (a, b) = (from.id, into.id);
    found.expect(from.same_as(into), || {
        format!("task {a} was folded into {b}, not the same")
    });
    found.expect(!from.is_running() && !into.is_running(), || {
        format!(
            "task {a} ({:?}) was folded into {b} ({:?})",
            from.stage, into.stage
        )
    });
    // Whoever stands before a barrier takes nobody in who came after it.
    if matches!(into.stage, Stage::InLine | Stage::Throttled { .. })
        && let Some(barrier) = later_barrier(ledger, into)
    {
        found.add(format!(
            "task {a} was folded into {b} across the barrier of task {barrier}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::{Story, ended, spot};
    use crate::scenery::resource;
    use interlock_core::event::Behind;
    use interlock_core::words::{Coalesce, KindId, Outcome, Payload, PayloadRule};

    fn story() -> Story {
        Story::with_kind(Coalescing::default(), |kind| {
            kind.coalesce = Some(Coalesce {
                payload: PayloadRule::Latest,
                gather_ms: 0,
            });
        })
    }

    fn merged_event(into: u64, seq: u64) -> Event {
        Event::Merged {
            into: TaskId(into),
            seq: TaskId(seq),
            payload: Payload::default(),
            priority: 4,
            rank: 1,
        }
    }

    #[test]
    fn nothing_is_joined_across_a_barrier() {
        let mut story = story();
        story.admit_with(1, &[("a:1", Op::Update)], |task| task.coalesces = true);
        story.events(vec![merged_event(1, 2)]).fine();
        story.admit(3, &[("a:1", Op::Delete)]);
        story.events(vec![merged_event(1, 4)]);
        story.caught("across the barrier of task 3");
    }

    #[test]
    fn who_waits_behind_a_barrier_that_came_later_is_joined_there() {
        let claims = [("a:1", Op::Read), ("a:2", Op::Delete)];
        let behind = |arrival| {
            let behind = Behind {
                claim: 0,
                arrival,
                doomed: false,
            };
            Stage::Outside([behind].into())
        };
        let mut story = story();
        story.admit_with(1, &claims, |task| {
            task.coalesces = true;
            task.to = behind(0);
        });
        story.admit(2, &[("a:1", Op::Create)]);
        story.events(vec![Event::Moved {
            task: TaskId(1),
            to: behind(2),
            spot: spot(3),
        }]);
        story.events(vec![merged_event(1, 4)]).fine();
        story.admit(5, &[("a:1", Op::Delete)]);
        story.events(vec![merged_event(1, 6)]);
        story.caught("across the barrier of task 5");
    }

    #[test]
    fn a_burst_is_one_task() {
        let mut story = story();
        story.admit_with(1, &[("a:1", Op::Update)], |task| task.coalesces = true);
        story.admit_with(2, &[("a:1", Op::Update)], |task| task.coalesces = true);
        story.caught("beside the same task 1");
    }

    fn cancels_on(resource_name: &str, by: u64) -> Event {
        Event::SweepBegun {
            id: 1,
            sweep: Sweep::CancelOnResource {
                resource: resource(resource_name),
                // Another kind than that of the tasks that wait.
                kinds: vec![KindId(1)],
                after: TaskId(0),
                before: TaskId(by),
                spare_creates: false,
                why: EndWhy::CancelledBy { by: TaskId(by) },
            },
        }
    }

    #[test]
    fn who_cancels_a_barrier_comes_too_late_to_join_before_it() {
        let mut story = story();
        story.admit_with(1, &[("a:1", Op::Update)], |task| task.coalesces = true);
        story.admit(2, &[("a:1", Op::Delete)]);
        let why = EndWhy::CancelledBy { by: TaskId(3) };
        let cancelled = ended(2, Outcome::Cancelled, why);
        story.events(vec![cancels_on("a:1", 3), cancelled]);
        story.admit_with(3, &[("a:1", Op::Update)], |task| task.coalesces = true);
        story.fine();
        story.admit_with(4, &[("a:1", Op::Update)], |task| task.coalesces = true);
        story.caught("task 4 was admitted beside the same task 1");
    }

    #[test]
    fn who_cancels_others_joins_what_no_barrier_parts_it_from() {
        let mut story = story();
        story.admit_with(1, &[("a:1", Op::Update)], |task| task.coalesces = true);
        story.events(vec![cancels_on("a:1", 2)]);
        story.admit_with(2, &[("a:1", Op::Update)], |task| task.coalesces = true);
        story.caught("beside the same task 1");
    }

    #[test]
    fn only_the_same_is_folded() {
        let mut story = story();
        story.admit_with(1, &[("a:1", Op::Update)], |task| task.coalesces = true);
        story.admit_with(2, &[("a:2", Op::Update)], |task| task.coalesces = true);
        story.events(vec![Event::Folded {
            from: TaskId(2),
            into: TaskId(1),
            priority: 4,
            rank: 1,
        }]);
        story.caught("not the same");
    }
}

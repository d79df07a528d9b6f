//! The line: nothing conflicting is overtaken, the best goes first, ranks and places are drawn as the
//! rules say. Priority is a head start of so many steps and no more.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step, TaskRow};
use interlock_core::Event;
use interlock_core::event::{RunEnd, RunEnded, Spot, Stage, Started, Then};
use interlock_core::words::TaskId;

/// How many better tasks are looked at before each start.
const LOOKED_AT: usize = 60;

/// Watches the order of starts.
#[derive(Default)]
pub struct Order {
    last_place: u64,
}

impl Checker for Order {
    fn name(&self) -> &'static str {
        "order"
    }

    fn event(&mut self, ledger: &Ledger, step: &Step, _: u64, event: &Event, found: &mut Findings) {
        match event {
            Event::Started(started) => best_first(ledger, started, found),
            Event::Admitted(admitted) => {
                let lifecycle = admitted.claims.iter().any(|(_, op)| op.is_lifecycle());
                if !lifecycle {
                    let id = admitted.task;
                    rank_is_right(ledger, step, id, admitted.priority, admitted.spot, found);
                }
                self.arrives(admitted.task, &admitted.to, None, admitted.spot, found);
            }
            Event::Moved { task, to, spot } => {
                if let Some(row) = ledger.tasks.get(task) {
                    self.moved(ledger, step, row, to, *spot, found);
                }
            }
            Event::RunEnded(ended) => self.run_ended(ledger, ended, found),
            _ => {}
        }
    }
}

impl Order {
    /// A place is drawn on arrival, upwards; whoever keeps his place keeps the number.
    fn arrives(
        &mut self,
        task: TaskId,
        to: &Stage,
        old: Option<Spot>,
        spot: Spot,
        found: &mut Findings,
    ) {
        let place = spot.place;
        let kept = old.is_some_and(|old| old.place == place);
        if kept || !matches!(to, Stage::InLine | Stage::Outside(_)) {
            return;
        }
        found.expect(place > self.last_place, || {
            format!("task {task} got place {place} after {}", self.last_place)
        });
        self.last_place = self.last_place.max(place);
    }

    fn moved(
        &mut self,
        ledger: &Ledger,
        step: &Step,
        task: &TaskRow,
        to: &Stage,
        spot: Spot,
        found: &mut Findings,
    ) {
        self.arrives(task.id, to, task.arrived.then_some(task.spot), spot, found);
        if task.is_lifecycle() {
            keeps_place(task, spot, found);
            floor_holds(ledger, task, to, spot, found);
            return;
        }
        let parked = !is_timed(&task.stage) && !is_timed(to);
        if parked {
            let merged = task.submissions.len() > 1;
            let kept = spot.since == task.spot.since && (merged || spot.rank == task.spot.rank);
            found.expect(kept, || {
                format!(
                    "task {} moved from {:?} to {:?} on its way to {to:?}",
                    task.id, task.spot, spot
                )
            });
        } else if task.submissions.len() == 1 {
            rank_is_right(ledger, step, task.id, task.priority, spot, found);
        }
    }

    fn run_ended(&mut self, ledger: &Ledger, ended: &RunEnded, found: &mut Findings) {
        let Then::Wait { to, spot } = &ended.then else {
            return;
        };
        let Some(task) = ledger
            .run(ended.token)
            .and_then(|run| ledger.tasks.get(&run.task))
        else {
            return;
        };
        let undone = matches!(
            ended.how,
            RunEnd::Lost | RunEnd::Released | RunEnd::Returned
        );
        if undone && *to == Stage::InLine {
            found.expect(*spot == task.spot_of_run, || {
                format!(
                    "task {} goes back to {spot:?}, it came from {:?}",
                    task.id, task.spot_of_run
                )
            });
        }
        self.arrives(task.id, to, Some(task.spot), *spot, found);
        if task.is_lifecycle() {
            keeps_place(task, *spot, found);
        }
    }
}

/// Whether a task comes out of this stage at a time of its own, which its rank counts from.
fn is_timed(stage: &Stage) -> bool {
    matches!(
        stage,
        Stage::Dependent
            | Stage::Scheduled { .. }
            | Stage::Gathering { .. }
            | Stage::Retrying { .. }
            | Stage::Running { .. }
    )
}

fn best_first(ledger: &Ledger, started: &Started, found: &mut Findings) {
    let Some(task) = ledger.tasks.get(&started.task) else {
        return;
    };
    let obstacle = ledger.obstacle(task);
    found.expect(obstacle.is_none(), || {
        format!("task {} starts though {obstacle:?} is in its way", task.id)
    });
    // While a sweep is under way some of those in line are held or cancelled already.
    let settled = ledger.is_settled();
    let Some(session) = ledger.sessions.get(&started.session).filter(|_| settled) else {
        return;
    };
    for kind in session.kinds.iter().filter_map(|id| ledger.kind(*id)) {
        for better in kind
            .line
            .range(..task.order())
            .take(LOOKED_AT)
            .map(|(_, id)| *id)
        {
            let Some(other) = ledger.tasks.get(&better) else {
                continue;
            };
            found.expect(ledger.obstacle(other).is_some(), || {
                format!(
                    "task {} ({:?}) starts before task {better} ({:?}), which is ready and better",
                    task.id,
                    task.order(),
                    other.order()
                )
            });
        }
    }
}

fn rank_is_right(
    ledger: &Ledger,
    step: &Step,
    task: TaskId,
    priority: u8,
    spot: Spot,
    found: &mut Findings,
) {
    let step_ms = ledger.namespace.step_ms as i64;
    let expected = spot.since.0 as i64 - i64::from(priority) * step_ms;
    found.expect(spot.rank == expected, || {
        format!(
            "task {task} has rank {}, expected {expected} ({spot:?})",
            spot.rank
        )
    });
    found.expect(spot.since <= step.at.elapsed, || {
        format!(
            "task {task} became possible at {:?}, which is yet to come",
            spot.since
        )
    });
}

/// Once a lifecycle task has stood in line it keeps its place until it ends.
fn keeps_place(task: &TaskRow, spot: Spot, found: &mut Findings) {
    found.expect(!task.stood || spot.place == task.spot.place, || {
        format!(
            "lifecycle task {} lost its place {} for {}",
            task.id, task.spot.place, spot.place
        )
    });
}

/// On joining, a lifecycle task's rank is no better than that of anyone in its lines, runs included.
fn floor_holds(ledger: &Ledger, task: &TaskRow, to: &Stage, spot: Spot, found: &mut Findings) {
    if task.stood || *to != Stage::InLine {
        return;
    }
    for (resource, _) in &task.claims {
        let Some(row) = ledger.resources.get(resource) else {
            continue;
        };
        let line = row
            .line
            .values()
            .chain(&row.holders)
            .filter(|(id, _)| *id != task.id);
        for other in line.filter_map(|(id, _)| ledger.tasks.get(id)) {
            found.expect(spot.rank >= other.spot.rank, || {
                format!(
                    "lifecycle task {} joins {resource} with rank {}, before task {} with {}",
                    task.id, spot.rank, other.id, other.spot.rank
                )
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::{Story, admitted, spot, wait};
    use interlock_core::words::{Elapsed, Namespace, Op};

    fn story() -> Story {
        let mut story = Story::new(Order::default());
        let flat = Namespace {
            step_ms: 0,
            ..Namespace::default()
        };
        story.events(vec![Event::NamespaceSet(flat)]);
        story
    }

    fn admit(story: &mut Story, id: u64, claims: &[(&str, Op)]) {
        let mut task = admitted(id, claims);
        task.spot.since = Elapsed(id);
        story.events(vec![Event::Admitted(Box::new(task))]);
    }

    #[test]
    fn a_conflicting_task_ahead_is_not_overtaken() {
        let mut story = story();
        admit(&mut story, 1, &[("a:1", Op::Update)]);
        admit(&mut story, 2, &[("a:1", Op::Read)]);
        story.fine();
        story.start(2, 2);
        story.caught("is in its way");
    }

    #[test]
    fn the_best_of_all_that_is_ready_goes_first() {
        let mut story = story();
        admit(&mut story, 1, &[("a:1", Op::Update)]);
        admit(&mut story, 2, &[("a:2", Op::Update)]);
        story.start(2, 2);
        story.caught("ready and better");
    }

    #[test]
    fn a_lost_run_goes_back_to_its_old_place() {
        let mut story = story();
        admit(&mut story, 1, &[("a:1", Op::Update)]);
        let token = story.start(1, 2);
        story.end(token, RunEnd::Lost, wait(Stage::InLine, spot(9)));
        story.caught("it came from");
    }

    #[test]
    fn a_rank_is_what_time_and_priority_make_it() {
        let mut story = Story::new(Order::default());
        story.admit(1, &[("a:1", Op::Update)]);
        story.caught("expected");
    }
}

//! P3, the other half: a task that ends without success does so for a reason that is real and readable.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step, TaskRow};
use interlock_core::event::{EndWhy, Event, Sweep, Then};
use interlock_core::view::Found;
use interlock_core::words::{Op, Outcome, ResourceName, TaskId};
use interlock_core::{Command, Core, limits};

/// Watches the reasons of ends.
pub struct Endings;

impl Checker for Endings {
    fn name(&self) -> &'static str {
        "endings"
    }

    fn event(&mut self, ledger: &Ledger, step: &Step, _: u64, event: &Event, found: &mut Findings) {
        let (task, outcome, why) = match event {
            Event::Ended {
                task, outcome, why, ..
            } => (*task, *outcome, why),
            Event::RunEnded(ended) => match (&ended.then, ledger.run(ended.token)) {
                (Then::Done { outcome, why, .. }, Some(run)) => (run.task, *outcome, why),
                _ => return,
            },
            _ => return,
        };
        let Some(task) = ledger.tasks.get(&task) else {
            return;
        };
        if outcome != Outcome::Succeeded {
            judge(ledger, step, task, outcome, why, found);
        }
    }

    /// The submitter can read what became of it, by every id it was given.
    fn scan(&mut self, ledger: &Ledger, core: &Core, draw: u64, found: &mut Findings) {
        let ended = ledger.ended.keys().rev().take(20);
        let folded = ledger.folded.keys().rev().take(40);
        for id in ended.chain(folded).skip(draw as usize % 7).step_by(5) {
            let Some(row) = ledger.ended.get(&ledger.leads_to(*id)) else {
                continue;
            };
            let recent = ledger.now.elapsed.since(row.at.elapsed) < limits::OUTCOME_MS / 2;
            let merged = !ledger.ended.contains_key(id) && !was_task(ledger, *id);
            let shown = core.task(*id);
            found.expect(
                !recent || merged || shown == Found::Ended(row.outcome),
                || format!("task {id} ended as {:?}, shown is {shown:?}", row.outcome),
            );
        }
    }
}

/// Whether the submitter was ever told this id. The number of a merged submission is never shown.
fn was_task(ledger: &Ledger, id: TaskId) -> bool {
    ledger.told.contains(&id)
}

fn judge(
    ledger: &Ledger,
    step: &Step,
    task: &TaskRow,
    outcome: Outcome,
    why: &EndWhy,
    found: &mut Findings,
) {
    let failed = matches!(why, EndWhy::Failure { .. } | EndWhy::RanTooLong);
    let either = matches!(why, EndWhy::WorkerLost);
    let right = if failed {
        Outcome::Failed
    } else {
        Outcome::Cancelled
    };
    found.expect(either || outcome == right, || {
        format!("task {} ended as {outcome:?} because of {why:?}", task.id)
    });
    let real = match why {
        EndWhy::Success => false,
        EndWhy::Failure { .. } | EndWhy::WorkerLost | EndWhy::RanTooLong => task.is_running(),
        EndWhy::Asked { .. } => was_asked(ledger, step, task),
        EndWhy::NotStartedInTime => {
            task.runs == 0 && task.start_by.is_some_and(|by| by <= step.at.wall)
        }
        EndWhy::ResourceDeleted { resource, by } => {
            decided(ledger, task, resource, *by, Op::Delete, true)
        }
        EndWhy::ResourceNotCreated { resource, by } => {
            decided(ledger, task, resource, *by, Op::Create, false) && *by < task.id
        }
        EndWhy::DependencyFailed { on } => {
            let end = ledger.ended.get(&ledger.leads_to(*on));
            let waits = task
                .unmet
                .iter()
                .any(|id| ledger.leads_to(*id) == ledger.leads_to(*on));
            waits && end.is_some_and(|row| row.outcome != Outcome::Succeeded)
        }
        EndWhy::FutureDecided { resource, by } => future(ledger, task, resource, *by),
        EndWhy::CancelledBy { by } => cancelled_by(ledger, step, task, *by),
    };
    found.expect(real, || {
        format!(
            "task {} ({:?}) ended because of {why:?}, which is not so",
            task.id, task.stage
        )
    });
}

fn was_asked(ledger: &Ledger, step: &Step, task: &TaskRow) -> bool {
    let by_command = match &step.command {
        Some(Command::Cancel { task: id, .. }) => ledger.leads_to(*id) == task.id,
        _ => false,
    };
    // An item of a group may have joined a task from outside it.
    let member = |group| {
        let tasks = ledger.groups.get(group).map_or(&[][..], |tasks| tasks);
        tasks.iter().any(|id| ledger.leads_to(*id) == task.id)
    };
    let by_sweep = ledger
        .sweeps
        .values()
        .any(|sweep| matches!(sweep, Sweep::CancelGroup { group, .. } if member(group)));
    let stopped = ledger
        .runs
        .values()
        .any(|run| run.task == task.id && !run.ended && run.stop.is_some());
    by_command || by_sweep || (task.is_running() && stopped)
}

fn decided(
    ledger: &Ledger,
    task: &TaskRow,
    resource: &ResourceName,
    by: TaskId,
    op: Op,
    success: bool,
) -> bool {
    task.op_on(resource).is_some()
        && ledger.ended.get(&by).is_some_and(|row| {
            (row.outcome == Outcome::Succeeded) == success
                && row.claims.contains(&(resource.clone(), op))
        })
}

fn future(ledger: &Ledger, task: &TaskRow, resource: &ResourceName, by: TaskId) -> bool {
    let last = ledger
        .resources
        .get(resource)
        .and_then(|row| row.chain.last());
    let deciding = last
        .and_then(|id| ledger.tasks.get(id))
        .and_then(|row| row.op_on(resource));
    let against = match (deciding, task.op_on(resource)) {
        (Some(Op::Delete), Some(op)) => op != Op::Create,
        (Some(Op::Create), Some(op)) => op == Op::Create,
        _ => false,
    };
    last == Some(&by) && !task.arrived && against
}

/// A submission that came later, of a task that meets this one. It may be let in by this very decision,
/// which cancels others before it answers.
fn cancelled_by(ledger: &Ledger, step: &Step, task: &TaskRow, by: TaskId) -> bool {
    let canceller = ledger.leads_to(by);
    let arriving = step.events().iter().find_map(|event| match event {
        Event::Admitted(admitted) if admitted.task == by => Some(admitted.claims.to_vec()),
        _ => None,
    });
    let live = ledger.tasks.get(&canceller).map(|row| row.claims.clone());
    let ended = ledger.ended.get(&canceller).map(|row| row.claims.clone());
    let meets = arriving.or(live).or(ended).is_some_and(|claims| {
        claims
            .iter()
            .any(|(resource, _)| task.op_on(resource).is_some())
    });
    let joining = step.events().iter().filter_map(|event| match event {
        Event::Merged { into, seq, .. } if *into == canceller => Some(*seq),
        _ => None,
    });
    let joined = ledger
        .tasks
        .get(&canceller)
        .and_then(|row| row.submissions.last());
    let ended_with = ledger.ended.get(&canceller).map(|row| row.last_joined);
    let numbers = joining
        .chain(joined.map(|submission| submission.seq))
        .chain(ended_with)
        .chain([by]);
    meets && numbers.max() > Some(task.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::{Story, ended};
    use crate::scenery::resource;

    #[test]
    fn nobody_asked() {
        let mut story = Story::new(Endings);
        story.admit(1, &[]);
        story.events(vec![ended(
            1,
            Outcome::Cancelled,
            EndWhy::Asked { by: None },
        )]);
        story.caught("which is not so");
    }

    #[test]
    fn no_delete_succeeded() {
        let mut story = Story::new(Endings);
        story
            .admit(1, &[("a:1", Op::Delete)])
            .admit(2, &[("a:1", Op::Update)]);
        let why = EndWhy::ResourceDeleted {
            resource: resource("a:1"),
            by: TaskId(1),
        };
        story.events(vec![ended(2, Outcome::Cancelled, why)]);
        story.caught("which is not so");
    }

    #[test]
    fn a_task_that_was_asked_for_is_cancelled_not_failed() {
        let mut story = Story::new(Endings);
        story.admit(1, &[]);
        let cancel = Command::Cancel {
            task: TaskId(1),
            all: true,
            by: None,
        };
        let end = ended(1, Outcome::Failed, EndWhy::Asked { by: None });
        story.decide(
            cancel,
            interlock_core::Reply::Cancelling { running: false },
            vec![end],
        );
        story.caught("ended as Failed");
    }
}

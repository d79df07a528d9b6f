//! P6: the state shown is the state. What `task` and `explain` name as causes are the real ones.

use super::Checker;
use crate::oracle::{Findings, Ledger, TaskRow};
use interlock_core::Core;
use interlock_core::event::Stage;
use interlock_core::reply::Reason;
use interlock_core::view::{Explanation, Found, TaskState, TaskView};
use interlock_core::words::{Op, ResourceName, TaskId};

/// Compares what is shown with what is.
pub struct Explain;

/// How many tasks are looked at per scan.
const LOOKED_AT: usize = 4;

impl Checker for Explain {
    fn name(&self) -> &'static str {
        "explain"
    }

    fn scan(&mut self, ledger: &Ledger, core: &Core, draw: u64, found: &mut Findings) {
        let from = TaskId(draw % (ledger.last_task.map_or(0, |id| id.0) + 1));
        for (id, task) in ledger.tasks.range(from..).take(LOOKED_AT) {
            match core.task(*id) {
                Found::Live(view) => judge_view(ledger, task, &view, found),
                other => found.add(format!("live task {id} is shown as {other:?}")),
            }
            match core.explain(*id) {
                Some(explanation) => judge_explanation(ledger, task, &explanation, found),
                None => found.add(format!("live task {id} has no explanation")),
            }
        }
    }
}

fn judge_view(ledger: &Ledger, task: &TaskRow, view: &TaskView, found: &mut Findings) {
    let right = view.task == task.id
        && view.stands_for == task.submissions.len() as u64
        && view.tries == task.tries
        && view.losses == task.losses
        && view.priority == task.priority;
    found.expect(right, || {
        format!(
            "task {} is shown as {view:?}, the log says {task:?}",
            task.id
        )
    });
    match (&view.state, &task.stage) {
        (
            TaskState::Running {
                token,
                worker,
                lease_ends,
                ..
            },
            Stage::Running { token: run },
        ) => {
            let row = &ledger.runs[run];
            let owner = ledger
                .sessions
                .get(&row.session)
                .map(|session| &session.name);
            let same = token == run && owner == Some(worker) && *lease_ends == row.deadline;
            found.expect(same, || {
                format!(
                    "task {} is shown running as {:?}, the log says {row:?}",
                    task.id, view.state
                )
            });
        }
        (TaskState::Waiting, stage) if !task.is_running() => {
            judge_reasons(ledger, task, stage, &view.reasons, found);
        }
        (state, stage) => found.add(format!(
            "task {} is shown {state:?}, it is {stage:?}",
            task.id
        )),
    }
}

fn judge_explanation(
    ledger: &Ledger,
    task: &TaskRow,
    explanation: &Explanation,
    found: &mut Findings,
) {
    let (id, running) = (task.id, task.is_running());
    found.expect(
        explanation.running == running && explanation.task == id,
        || format!("task {id} (running: {running}) is explained as {explanation:?}"),
    );
    if running {
        let none = explanation.causes.is_empty();
        return found.expect(none, || {
            format!("running task {id} is explained as {explanation:?}")
        });
    }
    let reasons: Vec<Reason> = explanation
        .causes
        .iter()
        .map(|c| c.reason.clone())
        .collect();
    judge_reasons(ledger, task, &task.stage, &reasons, found);
    for cause in &explanation.causes {
        let (Some(then), Some(named)) = (&cause.then, named(&cause.reason)) else {
            continue;
        };
        found.expect(then.task == ledger.leads_to(named), || {
            format!(
                "task {id}: the cause {:?} goes on with task {}",
                cause.reason, then.task
            )
        });
        if let Some(next) = ledger
            .tasks
            .get(&then.task)
            .filter(|_| !then.causes.is_empty())
        {
            let reasons: Vec<Reason> = then.causes.iter().map(|c| c.reason.clone()).collect();
            judge_reasons(ledger, next, &next.stage, &reasons, found);
        }
    }
    if task.stage == Stage::InLine {
        for place in explanation.places.iter().filter(|place| !place.at_least) {
            judge_place(ledger, task, &place.resource, place.ahead, found);
        }
    }
}

fn judge_place(
    ledger: &Ledger,
    task: &TaskRow,
    resource: &ResourceName,
    shown: usize,
    found: &mut Findings,
) {
    let (Some(row), Some(op)) = (ledger.resources.get(resource), task.op_on(resource)) else {
        return found.add(format!(
            "task {} is placed on {resource}, which it does not claim",
            task.id
        ));
    };
    let conflicts = |other: &Op| other.conflicts(op);
    let ahead = row
        .line
        .range(..task.order())
        .filter(|(_, (_, o))| conflicts(o))
        .count();
    let holders = row.holders.iter().filter(|(_, o)| conflicts(o)).count();
    found.expect((ahead..=ahead + holders).contains(&shown), || {
        format!(
            "task {} has {ahead} ahead on {resource}, shown are {shown}",
            task.id
        )
    });
}

fn named(reason: &Reason) -> Option<TaskId> {
    match reason {
        Reason::HeldBy { by, .. }
        | Reason::Ahead { by, .. }
        | Reason::Behind { by, .. }
        | Reason::Doomed { by, .. } => Some(by.task),
        Reason::Dependent { on } => Some(on.task),
        _ => None,
    }
}

fn judge_reasons(
    ledger: &Ledger,
    task: &TaskRow,
    stage: &Stage,
    reasons: &[Reason],
    found: &mut Findings,
) {
    found.expect(!reasons.is_empty(), || {
        format!("task {} waits in {stage:?} for no stated reason", task.id)
    });
    let expected = match stage {
        Stage::Dependent => reasons.iter().any(|r| matches!(r, Reason::Dependent { .. })),
        Stage::Scheduled { until } => {
            reasons.iter().any(|r| matches!(r, Reason::Scheduled { until: at } if at == until))
        }
        Stage::Gathering { until } => {
            reasons.iter().any(|r| matches!(r, Reason::Gathering { until: at } if at == until))
        }
        Stage::Retrying { until } => reasons.iter().any(
            |r| matches!(r, Reason::Retrying { until: at, tries } if at == until && *tries == task.tries),
        ),
        Stage::Held => reasons.iter().any(|r| matches!(r, Reason::Held { .. })),
        Stage::NoWorker => reasons.iter().any(|r| matches!(r, Reason::NoWorker { .. })),
        Stage::Outside(_) => {
            reasons.iter().any(|r| matches!(r, Reason::Behind { .. } | Reason::Doomed { .. }))
        }
        Stage::Throttled { .. } => reasons.iter().any(|r| matches!(r, Reason::Throttled { .. })),
        Stage::InLine => match ledger.obstacle(task) {
            // Nobody is ahead; but there may be no units for it once a worker asks.
            None => {
                let short = |r: &Reason| matches!(r, Reason::Throttled { .. } | Reason::Ready);
                reasons.iter().any(short)
            }
            Some(_) => {
                reasons.iter().any(|r| matches!(r, Reason::HeldBy { .. } | Reason::Ahead { .. }))
            }
        },
        Stage::Running { .. } => true,
    };
    found.expect(expected, || {
        let obstacle = ledger.obstacle(task);
        format!(
            "task {} waits in {stage:?} ({obstacle:?}), shown is {reasons:?}",
            task.id
        )
    });
    for reason in reasons {
        found.expect(is_true(ledger, task, reason), || {
            format!(
                "task {} in {stage:?} is said to wait for {reason:?}, which is not so",
                task.id
            )
        });
    }
}

/// Whether a reason is so, as far as an observer can tell.
fn is_true(ledger: &Ledger, task: &TaskRow, reason: &Reason) -> bool {
    match reason {
        Reason::HeldBy { resource, by } => {
            conflict(ledger, task, resource, by.task).is_some_and(|other| other.is_running())
        }
        Reason::Ahead { resource, by } => conflict(ledger, task, resource, by.task)
            .is_some_and(|other| other.stage == Stage::InLine && other.order() < task.order()),
        Reason::Behind { resource, by } => is_pending(ledger, task, resource, by.task),
        Reason::Doomed { resource, by } => {
            let deletes = ledger.tasks.get(&by.task).and_then(|by| by.op_on(resource));
            is_pending(ledger, task, resource, by.task)
                && deletes == Some(Op::Delete)
                && task.op_on(resource) != Some(Op::Create)
        }
        Reason::Dependent { on } => task.unmet.iter().any(|id| ledger.leads_to(*id) == on.task),
        Reason::Held { what } => ledger.holds_on(task).contains(what),
        Reason::NoWorker { kind } => ledger
            .kind_named(kind)
            .is_some_and(|(id, row)| id == task.kind && !row.staffed),
        Reason::Throttled { quota, .. } => ledger
            .kind(task.kind)
            .is_some_and(|kind| kind.kind.quotas.iter().any(|used| &used.quota == quota)),
        Reason::Ready => task.stage == Stage::InLine && ledger.obstacle(task).is_none(),
        Reason::FutureDecided { .. }
        | Reason::EarlierItem { .. }
        | Reason::DependencyFailed { .. } => false,
        Reason::Scheduled { .. } | Reason::Gathering { .. } | Reason::Retrying { .. } => true,
    }
}

fn is_pending(ledger: &Ledger, task: &TaskRow, resource: &ResourceName, by: TaskId) -> bool {
    let chain = ledger.resources.get(resource).map(|row| &row.chain);
    task.id != by && chain.is_some_and(|chain| chain.contains(&by))
}

fn conflict<'a>(
    ledger: &'a Ledger,
    task: &TaskRow,
    resource: &ResourceName,
    other: TaskId,
) -> Option<&'a TaskRow> {
    let other = ledger.tasks.get(&other)?;
    let (mine, theirs) = (task.op_on(resource)?, other.op_on(resource)?);
    mine.conflicts(theirs).then_some(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use crate::scenery::{name, resource};
    use interlock_core::reply::Brief;

    fn ahead(task: u64) -> Reason {
        Reason::Ahead {
            resource: resource("a:1"),
            by: Brief {
                task: TaskId(task),
                kind: name("plain"),
                worker: None,
                running_ms: None,
                progress: None,
            },
        }
    }

    fn judged(shown: &[Reason]) -> Vec<String> {
        let mut story = Story::new(Explain);
        story
            .admit(1, &[("a:1", Op::Update)])
            .admit(2, &[("a:1", Op::Update)]);
        story.admit(3, &[("a:2", Op::Update)]);
        let ledger = &story.oracle.ledger;
        let mut found = Findings::default();
        let task = &ledger.tasks[&TaskId(2)];
        judge_reasons(ledger, task, &task.stage, shown, &mut found);
        found
            .all()
            .iter()
            .map(|violation| violation.message.clone())
            .collect()
    }

    #[test]
    fn the_real_cause_is_fine_and_any_other_is_not() {
        assert!(judged(&[ahead(1)]).is_empty());
        assert!(!judged(&[ahead(3)]).is_empty());
        assert!(!judged(&[Reason::Ready]).is_empty());
        assert!(!judged(&[]).is_empty());
    }
}

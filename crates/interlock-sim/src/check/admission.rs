//! Verdicts: what is admitted can run one day, what is rejected can't, and what is called accepted has
//! nothing in its way.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step};
use interlock_core::event::{Admitted, Event, Stage};
use interlock_core::reply::{Answer, Reason, Verdict};
use interlock_core::words::{IfBusy, Op, Outcome, ResourceName, TaskId};
use interlock_core::{Command, Reply};

/// Watches submissions and arrivals.
pub struct Admission;

impl Checker for Admission {
    fn name(&self) -> &'static str {
        "admission"
    }

    fn event(&mut self, ledger: &Ledger, step: &Step, _: u64, event: &Event, found: &mut Findings) {
        match event {
            Event::Admitted(admitted) => judge_admitted(ledger, step, admitted, found),
            Event::Moved { task, to, .. } => {
                let row = ledger.tasks.get(task).filter(|row| !row.arrived);
                if let (Some(row), true) = (row, is_here(to)) {
                    if !row.tested {
                        has_future(ledger, row.id, &row.claims, found);
                    }
                    stands_where(ledger, row.id, &row.claims, to, found);
                }
            }
            _ => {}
        }
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        let (Some(Command::Submit(submit)), Reply::Submitted { answers, .. }) =
            (&step.command, &step.reply)
        else {
            return;
        };
        if submit.dry_run {
            let changed = step
                .events()
                .iter()
                .any(|event| matches!(event, Event::Admitted(task) if task.schedule.is_none()));
            found.expect(!changed, || "a dry run admitted a task".to_owned());
        }
        found.expect(answers.len() == submit.items.len(), || {
            format!("{} items got {} answers", submit.items.len(), answers.len())
        });
        // Only after a single item is the state the one it was judged by.
        if let ([item], [Answer::Rejected { reasons }]) = (&submit.items[..], &answers[..]) {
            let real = reasons
                .iter()
                .any(|reason| rejects(ledger, item.if_busy, reason));
            found.expect(real, || {
                format!("{item:?} was rejected because of {reasons:?}")
            });
        }
    }
}

fn is_here(stage: &Stage) -> bool {
    matches!(stage, Stage::InLine | Stage::Outside(_))
}

fn judge_admitted(ledger: &Ledger, step: &Step, admitted: &Admitted, found: &mut Findings) {
    let id = admitted.task;
    if is_here(&admitted.to) {
        has_future(ledger, id, &admitted.claims, found);
        stands_where(ledger, id, &admitted.claims, &admitted.to, found);
    }
    let order = (admitted.spot.rank, admitted.spot.place);
    let obstacle = ledger.obstacle_to(id, &admitted.claims, order);
    let free = admitted.to == Stage::InLine && obstacle.is_none();
    let metered = ledger
        .kind(admitted.kind)
        .is_some_and(|kind| !kind.kind.quotas.is_empty());
    // Behind those who are just being let out there is nothing left in its way.
    let let_out = matches!(admitted.to, Stage::Outside(_)) && !barred(ledger, id, &admitted.claims);
    found.expect(
        admitted.verdict != Verdict::Accepted || free || let_out,
        || {
            format!(
                "task {id} was accepted into {:?} though {obstacle:?} is in its way",
                admitted.to
            )
        },
    );
    found.expect(
        admitted.verdict != Verdict::Postponed || !free || metered,
        || format!("task {id} was postponed though nothing is in its way"),
    );
    let items = step.let_in();
    let item = items
        .iter()
        .find(|(number, _)| *number == id)
        .map(|(_, item)| *item);
    if item.is_some_and(|item| item.if_busy == IfBusy::Reject) {
        let busy = matches!(admitted.to, Stage::Outside(_))
            || (admitted.to == Stage::InLine && obstacle.is_some());
        found.expect(!busy, || {
            format!("task {id} waits for {obstacle:?} but asked not to")
        });
    }
}

/// Whether a lifecycle task that came before decides over any of the claims.
fn barred(ledger: &Ledger, task: TaskId, claims: &[(ResourceName, Op)]) -> bool {
    claims
        .iter()
        .filter_map(|(resource, _)| ledger.resources.get(resource))
        .any(|row| row.chain.iter().any(|id| *id != task))
}

/// Behind a delete only a create is possible; behind a create another create is not.
fn has_future(ledger: &Ledger, task: TaskId, claims: &[(ResourceName, Op)], found: &mut Findings) {
    for (resource, op) in claims {
        let chain = ledger
            .resources
            .get(resource)
            .map_or(&[][..], |row| &row.chain);
        let last = chain.iter().rev().find(|id| **id != task);
        let decides = last.and_then(|id| ledger.tasks[id].op_on(resource));
        let impossible = match decides {
            Some(Op::Delete) => *op != Op::Create,
            Some(Op::Create) => *op == Op::Create,
            _ => false,
        };
        found.expect(!impossible, || {
            format!("task {task} came to {op} {resource} behind {decides:?} of task {last:?}")
        });
    }
}

/// Behind a barrier, or behind those who are just being let out, one waits outside; else in line.
fn stands_where(
    ledger: &Ledger,
    task: TaskId,
    claims: &[(ResourceName, Op)],
    to: &Stage,
    found: &mut Findings,
) {
    let outside = matches!(to, Stage::Outside(_));
    let barred = barred(ledger, task, claims);
    found.expect(outside || !barred, || {
        format!("task {task} passes a barrier into {to:?}")
    });
    let follows = || {
        let rows = claims
            .iter()
            .filter_map(|(resource, _)| ledger.resources.get(resource));
        let others = rows
            .flat_map(|row| &row.tasks)
            .filter_map(|id| ledger.tasks.get(id));
        others
            .filter(|other| other.id != task)
            .any(|o| matches!(o.stage, Stage::Outside(_)))
    };
    found.expect(!outside || barred || follows(), || {
        format!("task {task} arrives at {to:?}, but there is no barrier")
    });
}

fn rejects(ledger: &Ledger, if_busy: IfBusy, reason: &Reason) -> bool {
    match reason {
        Reason::FutureDecided { resource, by, op } => {
            let last = ledger
                .resources
                .get(resource)
                .and_then(|row| row.chain.last());
            let decides = last.and_then(|id| ledger.tasks[id].op_on(resource));
            last == Some(&by.task) && decides == Some(*op)
        }
        Reason::DependencyFailed { on } => ledger
            .ended
            .get(&ledger.leads_to(*on))
            .is_some_and(|row| row.outcome != Outcome::Succeeded),
        Reason::HeldBy { by, .. }
        | Reason::Ahead { by, .. }
        | Reason::Behind { by, .. }
        | Reason::Doomed { by, .. } => {
            if_busy == IfBusy::Reject && ledger.tasks.contains_key(&by.task)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use crate::scenery::name;
    use interlock_core::command::Submit;
    use interlock_core::words::Submission;

    #[test]
    fn nothing_but_a_create_comes_after_a_delete() {
        let mut story = Story::new(Admission);
        story.admit(1, &[("a:1", Op::Delete)]).fine();
        story.admit_with(2, &[("a:1", Op::Update)], |task| {
            task.verdict = Verdict::Postponed
        });
        story.caught("behind Some(Delete)");
    }

    #[test]
    fn what_has_to_wait_is_not_called_accepted() {
        let mut story = Story::new(Admission);
        story
            .admit(1, &[("a:1", Op::Update)])
            .fine()
            .admit(2, &[("a:1", Op::Read)]);
        story.caught("was accepted into InLine");
    }

    #[test]
    fn nothing_is_rejected_for_no_reason() {
        let mut story = Story::new(Admission);
        let submit = Command::Submit(Submit {
            items: vec![Submission::new(name("plain"), Vec::new())],
            group: false,
            dry_run: false,
        });
        let reply = Reply::Submitted {
            answers: vec![Answer::Rejected {
                reasons: Vec::new(),
            }],
            group: None,
        };
        story.decide(submit, reply, Vec::new());
        story.caught("was rejected");
    }
}

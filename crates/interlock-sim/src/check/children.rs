//! Children: one that conflicts with what a live ancestor holds would wait for its own parent, and is
//! refused; any other is not.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step, TaskRow};
use interlock_core::reply::Answer;
use interlock_core::words::{Op, ResourceName, Submission, TaskId};
use interlock_core::{Command, Refusal, Reply};

/// Watches submissions of runs.
pub struct Children;

impl Checker for Children {
    fn name(&self) -> &'static str {
        "children"
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        let (Some(Command::Submit(submit)), Reply::Submitted { answers, .. }) =
            (&step.command, &step.reply)
        else {
            return;
        };
        let ([item], [answer]) = (&submit.items[..], &answers[..]) else {
            return;
        };
        let Some(token) = item.parent else {
            return;
        };
        let Some(run) = ledger.run(token) else {
            let stale = matches!(answer, Answer::Refused(_));
            return found.expect(stale, || {
                format!("the ended run {token} had a child: {answer:?}")
            });
        };
        let against = conflicting_ancestor(ledger, item, run.task);
        match answer {
            Answer::Admitted(report) if !report.repeated => found.expect(against.is_none(), || {
                format!(
                    "task {:?} would wait for its ancestor {against:?}",
                    report.task
                )
            }),
            Answer::Refused(Refusal::ConflictsWithAncestor { ancestor, .. }) => {
                found.expect(against.is_some(), || {
                    format!(
                        "a child of {token} was refused for {ancestor}, which is not in its way"
                    )
                });
            }
            _ => {}
        }
    }
}

fn conflicting_ancestor(ledger: &Ledger, item: &Submission, parent: TaskId) -> Option<TaskId> {
    let (_, kind) = ledger.kind_named(&item.kind)?;
    let claims: Vec<(&ResourceName, Op)> = item
        .claims
        .iter()
        .map(|claim| (&claim.resource, claim.op.unwrap_or(kind.kind.op)))
        .collect();
    let holds = |task: &TaskRow| {
        let conflict = |(resource, op): &(&ResourceName, Op)| {
            task.op_on(resource).is_some_and(|held| held.conflicts(*op))
        };
        task.is_running() && claims.iter().any(conflict)
    };
    let mut at = ledger.live(parent);
    while let Some(task) = at {
        if holds(task) {
            return Some(task.id);
        }
        at = task.parent.and_then(|id| ledger.live(id));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use crate::scenery::{name, resource};
    use interlock_core::command::Submit;
    use interlock_core::reply::{Report, Verdict};
    use interlock_core::words::Claim;

    #[test]
    fn a_child_must_not_wait_for_its_own_parent() {
        let mut story = Story::new(Children);
        story.admit(1, &[("a:1", Op::Update)]);
        let token = story.start(1, 2);
        let claims = vec![Claim::new(resource("a:1"), Op::Read)];
        let mut item = Submission::new(name("plain"), claims);
        item.parent = Some(token);
        let report = Report {
            task: Some(TaskId(2)),
            verdict: Verdict::Postponed,
            reasons: Vec::new(),
            lines: Vec::new(),
            stands_for: 1,
            repeated: false,
        };
        let submit = Command::Submit(Submit {
            items: vec![item],
            group: false,
            dry_run: false,
        });
        let reply = Reply::Submitted {
            answers: vec![Answer::Admitted(report)],
            group: None,
        };
        story.decide(submit, reply, Vec::new());
        story.caught("wait for its ancestor");
    }
}

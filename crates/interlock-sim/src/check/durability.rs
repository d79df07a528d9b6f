//! P2: what was acknowledged is in the log, and whoever recovers from the log knows it.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step};
use interlock_core::limits;
use interlock_core::reply::{Answer, Taken};
use interlock_core::view::Found;
use interlock_core::words::TaskId;
use interlock_core::{Command, Core, Reply};

/// Watches answers and recoveries.
pub struct Durability;

/// How many ended tasks a recovery is asked about.
const ENDED_ASKED: usize = 40;

impl Checker for Durability {
    fn name(&self) -> &'static str {
        "durability"
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        match &step.reply {
            Reply::Submitted { answers, .. } => {
                let dry = matches!(&step.command, Some(Command::Submit(submit)) if submit.dry_run);
                for answer in answers.iter().filter(|_| !dry) {
                    known(ledger, answer, found);
                }
            }
            Reply::Taken(taken) => handed_out(ledger, taken, found),
            Reply::Registered { session } => {
                found.expect(ledger.sessions.contains_key(session), || {
                    format!("session {session} was acknowledged but is not in the log")
                });
            }
            Reply::Finished(_) => finished(ledger, step, found),
            _ => {}
        }
        for wake in &step.wakes {
            handed_out(ledger, &wake.taken, found);
        }
    }

    fn recovered(&mut self, ledger: &Ledger, core: &Core, _: Option<&Core>, found: &mut Findings) {
        let nothing = ledger.position == 0;
        found.expect(nothing || core.position() == ledger.position, || {
            format!(
                "recovered up to {}, committed up to {}",
                core.position(),
                ledger.position
            )
        });
        let live = core.live_tasks();
        found.expect(live.iter().eq(ledger.tasks.keys()), || {
            let lost: Vec<_> = ledger
                .tasks
                .keys()
                .filter(|id| !live.contains(id))
                .collect();
            let new: Vec<_> = live
                .iter()
                .filter(|id| !ledger.tasks.contains_key(id))
                .collect();
            format!("recovery lost tasks {lost:?} and brought up {new:?}")
        });
        for (id, row) in ledger.ended.iter().rev().take(ENDED_ASKED) {
            let recent = ledger.now.elapsed.since(row.at.elapsed) < limits::OUTCOME_MS / 2;
            let shown = core.task(*id);
            found.expect(!recent || shown == Found::Ended(row.outcome), || {
                format!(
                    "task {id} ended as {:?}, after recovery it is {shown:?}",
                    row.outcome
                )
            });
        }
    }
}

fn known(ledger: &Ledger, answer: &Answer, found: &mut Findings) {
    let (Answer::Admitted(report) | Answer::Coalesced(report)) = answer else {
        return;
    };
    let Some(id) = report.task else {
        return found.add("a submission was accepted without an id".to_owned());
    };
    let at: TaskId = ledger.leads_to(id);
    found.expect(
        ledger.tasks.contains_key(&at) || ledger.ended.contains_key(&at),
        || format!("task {id} was acknowledged but is not in the log"),
    );
}

fn handed_out(ledger: &Ledger, taken: &Taken, found: &mut Findings) {
    for hand_out in &taken.hand_outs {
        let logged = ledger
            .run(hand_out.token)
            .is_some_and(|run| run.task == hand_out.task);
        found.expect(logged, || {
            format!(
                "run {} was handed out but is not in the log",
                hand_out.token
            )
        });
    }
}

fn finished(ledger: &Ledger, step: &Step, found: &mut Findings) {
    let (Some(Command::Finish { finishes, .. }), Reply::Finished(answers)) =
        (&step.command, &step.reply)
    else {
        return;
    };
    for (finish, answer) in finishes.iter().zip(answers) {
        let live = ledger.run(finish.token).is_some();
        found.expect(answer.is_err() || !live, || {
            format!(
                "the end of run {} was acknowledged but is not in the log",
                finish.token
            )
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use interlock_core::command::Submit;
    use interlock_core::reply::{Report, Verdict};

    #[test]
    fn an_acknowledged_submission_must_be_in_the_log() {
        let mut story = Story::new(Durability);
        let report = Report {
            task: Some(TaskId(7)),
            verdict: Verdict::Accepted,
            reasons: Vec::new(),
            lines: Vec::new(),
            stands_for: 1,
            repeated: false,
        };
        let submit = Command::Submit(Submit {
            items: Vec::new(),
            group: false,
            dry_run: false,
        });
        let reply = Reply::Submitted {
            answers: vec![Answer::Admitted(report)],
            group: None,
        };
        story.decide(submit, reply, Vec::new());
        story.caught("not in the log");
    }
}

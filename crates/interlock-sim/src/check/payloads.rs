//! What a run is handed: the payload that the kind's rule makes of all submissions, and their number.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step};
use interlock_core::Reply;
use interlock_core::reply::HandOut;

/// Watches hand-outs.
pub struct Payloads;

impl Checker for Payloads {
    fn name(&self) -> &'static str {
        "payloads"
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        if let Reply::Taken(taken) = &step.reply {
            judge(ledger, &taken.hand_outs, found);
        }
        for wake in &step.wakes {
            judge(ledger, &wake.taken.hand_outs, found);
        }
    }
}

fn judge(ledger: &Ledger, hand_outs: &[HandOut], found: &mut Findings) {
    for hand_out in hand_outs {
        let Some(task) = ledger.tasks.get(&hand_out.task) else {
            continue;
        };
        let right = task
            .payload
            .as_ref()
            .is_none_or(|payload| *payload == hand_out.payload);
        found.expect(right, || {
            let shown = |bytes| String::from_utf8_lossy(bytes).into_owned();
            format!(
                "task {} carries {}, expected {}",
                task.id,
                shown(hand_out.payload.bytes()),
                task.payload
                    .as_ref()
                    .map_or_else(String::new, |payload| shown(payload.bytes())),
            )
        });
        let count = task.submissions.len() as u64;
        found.expect(hand_out.stands_for == count, || {
            format!(
                "task {} stands for {count}, handed out for {}",
                task.id, hand_out.stands_for
            )
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::{Story, started};
    use crate::scenery::name;
    use interlock_core::Command;
    use interlock_core::command::Take;
    use interlock_core::reply::Taken;
    use interlock_core::words::{Payload, SessionId, TaskId};

    #[test]
    fn a_run_must_see_what_was_submitted() {
        let mut story = Story::new(Payloads);
        story.admit(1, &[]);
        let hand_out = HandOut {
            token: story.next_token(),
            task: TaskId(1),
            kind: name("plain"),
            claims: Vec::new(),
            payload: Payload::from("[2]"),
            stands_for: 1,
            attempt: 1,
            lease_ms: 15_000,
            run_within_ms: None,
            budgets: Vec::new(),
            trace: None,
        };
        let take = Command::Take(Take {
            session: SessionId(2),
            number: 1,
            max: 1,
            wait_ms: 0,
            finishes: Vec::new(),
        });
        let taken = Taken {
            hand_outs: vec![hand_out],
            ..Taken::default()
        };
        story.decide(take, Reply::Taken(taken), vec![started(1, 2)]);
        story.caught("carries [2], expected [1]");
    }
}

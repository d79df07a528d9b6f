//! P4: a ready task and an idle worker of its kind never wait for each other.

use super::Checker;
use crate::oracle::{Findings, Ledger, SessionRow, Step};

/// How many tasks of a kind are looked at per decision.
const LOOKED_AT: usize = 40;

/// Watches parked takes.
pub struct Progress;

impl Checker for Progress {
    fn name(&self) -> &'static str {
        "progress"
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        if step.more || !ledger.is_settled() {
            return;
        }
        for (id, session) in &ledger.sessions {
            let idle = session
                .parked
                .is_some_and(|(_, until)| until > step.at.elapsed);
            if idle && ledger.may_take(*id) {
                nothing_ready(ledger, session, found);
            }
        }
    }
}

fn nothing_ready(ledger: &Ledger, session: &SessionRow, found: &mut Findings) {
    for kind in session.kinds.iter().filter_map(|id| ledger.kind(*id)) {
        for id in kind.line.values().take(LOOKED_AT) {
            let ready = ledger
                .tasks
                .get(id)
                .is_some_and(|task| ledger.obstacle(task).is_none());
            found.expect(!ready, || {
                format!("task {id} is ready while {} waits for work", session.name)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use interlock_core::command::Take;
    use interlock_core::words::{Op, SessionId};
    use interlock_core::{Command, Reply};

    #[test]
    fn a_lost_wake_up_is_noticed() {
        let mut story = Story::new(Progress);
        let take = Command::Take(Take {
            session: SessionId(2),
            number: 1,
            max: 1,
            wait_ms: 5_000,
            finishes: Vec::new(),
        });
        let parked = Reply::Parked {
            finished: Vec::new(),
        };
        story.decide(take, parked, Vec::new()).fine();
        story.admit(1, &[("a:1", Op::Update)]);
        story.caught("task 1 is ready");
    }
}

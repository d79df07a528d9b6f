//! P5: a dead worker's runs end no earlier than their leases and at the first decision after, and the
//! core asks to be woken in time for that.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step};
use interlock_core::Command;
use interlock_core::event::{Event, RunEnd};
use interlock_core::words::Token;

/// How late a dead worker's run may end.
const LATE_MS: u64 = 1_000;

/// Watches leases.
pub struct Stall;

impl Checker for Stall {
    fn name(&self) -> &'static str {
        "stall"
    }

    fn event(&mut self, ledger: &Ledger, step: &Step, _: u64, event: &Event, found: &mut Findings) {
        let Event::RunEnded(ended) = event else {
            return;
        };
        let by_lease = match ended.how {
            RunEnd::Lost => !taken_over(ledger, step, ended.token),
            RunEnd::Stopped { lost, .. } => lost && !taken_over(ledger, step, ended.token),
            _ => false,
        };
        if let Some(run) = ledger.run(ended.token).filter(|_| by_lease) {
            found.expect(run.deadline <= step.at.elapsed, || {
                let now = step.at.elapsed;
                format!(
                    "run {} was lost at {now:?}, its lease ends {:?}",
                    ended.token, run.deadline
                )
            });
        }
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        if step.more {
            return;
        }
        let now = step.at;
        if let Some((deadline, token)) = ledger.deadlines.first() {
            found.expect(*deadline > now.elapsed, || {
                format!(
                    "run {token} is live at {:?}, its lease ended {deadline:?}",
                    now.elapsed
                )
            });
            let latest = deadline.plus(LATE_MS);
            found.expect(step.next.elapsed.is_some_and(|at| at <= latest), || {
                format!(
                    "the next timer is {:?}, but run {token} ends {deadline:?}",
                    step.next
                )
            });
        }
        let spins = step.next.elapsed.is_some_and(|at| at <= now.elapsed)
            || step.next.wall.is_some_and(|at| at <= now.wall);
        found.expect(!spins, || {
            format!("at {now:?} the next timer is {:?}", step.next)
        });
    }
}

fn taken_over(ledger: &Ledger, step: &Step, token: Token) -> bool {
    let Some(Command::Register(register)) = &step.command else {
        return false;
    };
    let owner = ledger
        .run(token)
        .and_then(|run| ledger.sessions.get(&run.session));
    register.takeover && owner.is_some_and(|session| session.name == register.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::{Story, spot, wait};
    use interlock_core::event::Stage;

    #[test]
    fn a_run_is_not_lost_before_its_lease_ends() {
        let mut story = Story::new(Stall);
        story.admit(1, &[]);
        let token = story.at(1_000).start(1, 2);
        story
            .at(15_999)
            .end(token, RunEnd::Lost, wait(Stage::InLine, spot(1)));
        story.caught("was lost at");
    }

    #[test]
    fn a_run_does_not_outlive_its_lease() {
        let mut story = Story::new(Stall);
        story.admit(1, &[]);
        story.at(1_000).start(1, 2);
        story.at(15_999).events(Vec::new()).fine();
        story.at(16_000).events(Vec::new());
        story.caught("is live at");
    }
}

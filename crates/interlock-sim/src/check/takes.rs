//! Takes: a hand-out reaches exactly the take it answers, repeating a take gets the same, and nobody is
//! given more than he asked for.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step};
use interlock_core::event::Event;
use interlock_core::reply::{HandOut, Taken};
use interlock_core::words::{Claim, SessionId, Token};
use interlock_core::{Command, Reply};
use std::collections::{BTreeMap, BTreeSet};

/// Watches takes.
#[derive(Default)]
pub struct Takes {
    /// How many tasks each parked take asked for.
    room: BTreeMap<(SessionId, u64), usize>,
    /// Runs that began in this decision and that nobody was told of yet.
    untold: BTreeSet<Token>,
}

impl Checker for Takes {
    fn name(&self) -> &'static str {
        "takes"
    }

    fn event(
        &mut self,
        ledger: &Ledger,
        step: &Step,
        position: u64,
        event: &Event,
        found: &mut Findings,
    ) {
        let Event::Started(started) = event else {
            return;
        };
        self.untold.insert(Token {
            generation: ledger.generation,
            position,
        });
        let asked_now = matches!(&step.command, Some(Command::Take(take))
            if (take.session, take.number) == (started.session, started.take));
        let session = ledger.sessions.get(&started.session);
        let parked = session.and_then(|row| row.parked);
        found.expect(
            asked_now || parked.is_some_and(|(number, _)| number == started.take),
            || {
                format!(
                    "task {} starts for take {} that nobody waits with",
                    started.task, started.take
                )
            },
        );
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        for wake in step.wakes.iter().filter(|wake| step.is_for_earlier(wake)) {
            let waited = self.room.remove(&(wake.session, wake.number)).is_some();
            found.expect(waited, || {
                format!("take {} is told nothing beside its answer", wake.number)
            });
        }
        if let Some(Command::Take(take)) = &step.command {
            match &step.reply {
                Reply::Taken(taken) => {
                    let room = Some(take.max);
                    self.taken(ledger, take.session, take.number, room, taken, found);
                }
                Reply::Parked { .. } => {
                    let live = runs_of(ledger, take.session, take.number);
                    let fresh = live.iter().all(|token| self.untold.contains(token));
                    found.expect(fresh, || {
                        format!(
                            "take {} was parked though it has the runs {live:?}",
                            take.number
                        )
                    });
                    self.room.insert((take.session, take.number), take.max);
                }
                _ => {}
            }
        }
        for wake in step.wakes.iter().filter(|wake| !step.is_for_earlier(wake)) {
            let room = self.room.remove(&(wake.session, wake.number));
            self.taken(ledger, wake.session, wake.number, room, &wake.taken, found);
        }
        let untold = std::mem::take(&mut self.untold);
        found.expect(untold.is_empty(), || {
            format!("nobody was told of the runs {untold:?}")
        });
    }
}

impl Takes {
    fn taken(
        &mut self,
        ledger: &Ledger,
        session: SessionId,
        number: u64,
        room: Option<usize>,
        taken: &Taken,
        found: &mut Findings,
    ) {
        let told: BTreeSet<Token> = taken.hand_outs.iter().map(|h| h.token).collect();
        let fresh = told.iter().any(|token| self.untold.contains(token));
        self.untold.retain(|token| !told.contains(token));
        let live = runs_of(ledger, session, number);
        found.expect(told == live, || {
            format!("take {number} of session {session} is told {told:?}, its runs are {live:?}")
        });
        found.expect(
            !fresh || room.is_some_and(|room| told.len() <= room),
            || {
                format!(
                    "take {number} asked for {room:?} tasks and got {}",
                    told.len()
                )
            },
        );
        for hand_out in &taken.hand_outs {
            found.expect(is_right(ledger, hand_out), || {
                format!("run {} was handed out as {hand_out:?}", hand_out.token)
            });
        }
    }
}

fn runs_of(ledger: &Ledger, session: SessionId, number: u64) -> BTreeSet<Token> {
    let runs = ledger.sessions.get(&session).map(|row| &row.runs);
    let of_take = |token: &&Token| ledger.run(**token).is_some_and(|run| run.take == number);
    runs.into_iter()
        .flatten()
        .filter(of_take)
        .copied()
        .collect()
}

fn is_right(ledger: &Ledger, hand_out: &HandOut) -> bool {
    let Some(run) = ledger.run(hand_out.token) else {
        return false;
    };
    let Some(task) = ledger.tasks.get(&run.task) else {
        return false;
    };
    let mut claims: Vec<Claim> = task
        .claims
        .iter()
        .map(|(resource, op)| Claim::new(resource.clone(), *op))
        .collect();
    let mut shown = hand_out.claims.clone();
    claims.sort();
    shown.sort();
    let kind = ledger.kind(task.kind).map(|kind| &kind.kind.name);
    run.task == hand_out.task
        && claims == shown
        && kind == Some(&hand_out.kind)
        && hand_out.lease_ms == run.lease_ms
        && hand_out.attempt > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::{Story, started};
    use interlock_core::command::Take;

    fn take(story: &mut Story, events: Vec<Event>) {
        let take = Command::Take(Take {
            session: SessionId(2),
            number: 1,
            max: 1,
            wait_ms: 0,
            finishes: Vec::new(),
        });
        story.decide(take, Reply::Taken(Taken::default()), events);
    }

    #[test]
    fn a_run_that_nobody_is_told_of_is_noticed() {
        let mut story = Story::new(Takes::default());
        story.admit(1, &[]);
        take(&mut story, vec![started(1, 2)]);
        story.caught("its runs are");
    }

    #[test]
    fn a_repeated_take_gets_the_same() {
        let mut story = Story::new(Takes::default());
        take(&mut story, Vec::new());
        story.fine();
        story.admit(1, &[]);
        story.start(1, 2);
        story.caught("that nobody waits with");
    }
}

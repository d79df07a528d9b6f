//! Fencing: tokens only grow; a stale one is refused everything; a repeated finish gets its first answer.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step};
use interlock_core::command::Finish;
use interlock_core::event::Event;
use interlock_core::reply::{Finished, Order, Spending};
use interlock_core::words::Token;
use interlock_core::{Command, Refusal, Reply};
use std::collections::BTreeMap;

/// Watches tokens.
#[derive(Default)]
pub struct Fencing {
    last: Option<Token>,
    answers: BTreeMap<Token, Finished>,
}

impl Checker for Fencing {
    fn name(&self) -> &'static str {
        "fencing"
    }

    fn event(
        &mut self,
        ledger: &Ledger,
        _: &Step,
        position: u64,
        event: &Event,
        found: &mut Findings,
    ) {
        let token = match event {
            Event::Started(_) => {
                let token = Token {
                    generation: ledger.generation,
                    position,
                };
                found.expect(self.last < Some(token), || {
                    format!("token {token} came after {:?}", self.last)
                });
                self.last = Some(token);
                return;
            }
            Event::Beaten { token }
            | Event::BudgetUsed { token, .. }
            | Event::PermitGranted { token, .. }
            | Event::PermitDropped { token, .. }
            | Event::StopAsked { token, .. } => *token,
            Event::RunEnded(ended) => ended.token,
            _ => return,
        };
        found.expect(ledger.run(token).is_some(), || {
            format!("stale token {token} changed something: {event:?}")
        });
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        match (&step.command, &step.reply) {
            (Some(Command::Beat(beat)), Reply::Beaten(answers)) => {
                for answer in answers {
                    let run = ledger.run(answer.token);
                    let mine = run.is_some_and(|run| run.session == beat.session);
                    found.expect(mine == (answer.order != Order::Gone), || {
                        format!(
                            "beat of {} (live: {mine}) was answered {:?}",
                            answer.token, answer.order
                        )
                    });
                }
            }
            (Some(Command::Spend(spend)), reply) => {
                let live = ledger.run(spend.token).is_some();
                let granted = *reply == Reply::Spent(Spending::Granted);
                found.expect(live || !granted, || {
                    format!("stale token {} was granted units", spend.token)
                });
            }
            (Some(Command::Finish { finishes, .. }), Reply::Finished(answers)) => {
                self.finished(ledger, step, finishes, answers, found);
            }
            (Some(Command::Take(take)), Reply::Taken(taken)) => {
                self.finished(ledger, step, &take.finishes, &taken.finished, found);
            }
            (Some(Command::Take(take)), Reply::Parked { finished }) => {
                self.finished(ledger, step, &take.finishes, finished, found);
            }
            _ => {}
        }
    }
}

impl Fencing {
    fn finished(
        &mut self,
        ledger: &Ledger,
        step: &Step,
        finishes: &[Finish],
        answers: &[Result<Finished, Refusal>],
        found: &mut Findings,
    ) {
        found.expect(finishes.len() == answers.len(), || {
            format!("{} finishes got {} answers", finishes.len(), answers.len())
        });
        for (finish, answer) in finishes.iter().zip(answers) {
            let token = finish.token;
            let first = self.answers.get(&token).copied();
            match (answer, first) {
                (Ok(answer), Some(first)) => found.expect(*answer == first, || {
                    format!("finish of {token} was answered {first:?}, repeated {answer:?}")
                }),
                (Ok(answer), None) => {
                    found.expect(ended_by(step, token), || {
                        format!("finish of {token} was answered {answer:?}, but ended nothing")
                    });
                    self.answers.insert(token, *answer);
                }
                (Err(refusal), Some(first)) => found.add(format!(
                    "finish of {token} was answered {first:?}, repeated it is refused: {refusal}"
                )),
                (Err(refusal), None) => found.expect(ledger.run(token).is_none(), || {
                    format!("finish of live run {token} was refused: {refusal}")
                }),
            }
        }
    }
}

fn ended_by(step: &Step, token: Token) -> bool {
    step.events()
        .iter()
        .any(|event| matches!(event, Event::RunEnded(ended) if ended.token == token))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use interlock_core::command::{Beat, FinishHow};
    use interlock_core::reply::Beaten;
    use interlock_core::words::{Outcome, SessionId};

    #[test]
    fn a_zombie_is_not_renewed() {
        let mut story = Story::new(Fencing::default());
        let token = story.next_token();
        let beat = Command::Beat(Beat {
            session: SessionId(2),
            runs: Vec::new(),
        });
        let answer = Beaten {
            token,
            order: Order::GoOn,
            budgets: Vec::new(),
        };
        story.decide(beat, Reply::Beaten(vec![answer]), Vec::new());
        story.caught("live: false");
    }

    #[test]
    fn a_zombie_finishes_nothing() {
        let mut story = Story::new(Fencing::default());
        let token = story.next_token();
        let finish = Command::Finish {
            session: SessionId(2),
            finishes: vec![Finish {
                token,
                how: FinishHow::Release,
                used: Vec::new(),
            }],
        };
        let answer = Ok(Finished::Ended(Outcome::Succeeded));
        story.decide(finish, Reply::Finished(vec![answer]), Vec::new());
        story.caught("but ended nothing");
    }

    #[test]
    fn a_finish_that_is_repeated_gets_its_first_answer() {
        let mut fencing = Fencing::default();
        let token = Token {
            generation: 1,
            position: 9,
        };
        fencing.answers.insert(token, Finished::Waiting);
        let mut story = Story::new(fencing);
        let finish = Command::Finish {
            session: SessionId(2),
            finishes: vec![Finish {
                token,
                how: FinishHow::Release,
                used: Vec::new(),
            }],
        };
        let refused = Reply::Finished(vec![Err(Refusal::StaleToken)]);
        story.decide(finish, refused, Vec::new());
        story.caught("repeated it is refused");
    }

    #[test]
    fn tokens_only_grow() {
        let mut story = Story::new(Fencing {
            last: Some(Token {
                generation: 2,
                position: 1,
            }),
            answers: BTreeMap::new(),
        });
        story.admit(1, &[]);
        story.start(1, 2);
        story.caught("came after");
    }
}

//! Stopping a run: the worker is told at the right time, renewed through the grace and no longer, and a
//! success in time counts.

use super::Checker;
use crate::oracle::{Findings, KindRow, Ledger, RunRow, Step};
use interlock_core::event::{Event, RunEnd, Then};
use interlock_core::reply::{Order, StopWhy};
use interlock_core::words::{Outcome, Token};
use interlock_core::{Command, Reply};

/// Looks at all live runs after every so many decisions.
const EVERY: u64 = 4;

/// Watches runs that shall stop.
pub struct Stops;

impl Checker for Stops {
    fn name(&self) -> &'static str {
        "stops"
    }

    fn event(&mut self, ledger: &Ledger, step: &Step, _: u64, event: &Event, found: &mut Findings) {
        match event {
            Event::StopAsked {
                token,
                why: StopWhy::TooLong,
                ..
            } => {
                let Some((run, kind)) = run_and_kind(ledger, *token) else {
                    return;
                };
                let ran = step.at.elapsed.since(run.started.elapsed);
                let allowed = kind.kind.run_within_ms;
                found.expect(
                    kind.version > 0 || allowed.is_some_and(|most| ran >= most),
                    || format!("run {token} is stopped after {ran} ms, allowed are {allowed:?}"),
                );
            }
            Event::RunEnded(ended) => {
                let Some(run) = ledger.run(ended.token) else {
                    return;
                };
                let cancelled = run.stop.is_some_and(|(why, _)| why == StopWhy::Cancelled);
                let outcome = match &ended.then {
                    Then::Done { outcome, .. } => Some(*outcome),
                    Then::Wait { .. } => None,
                };
                let expected = match ended.how {
                    RunEnd::Succeeded { .. } => Some(Outcome::Succeeded),
                    _ if cancelled => Some(Outcome::Cancelled),
                    _ => outcome,
                };
                found.expect(outcome == expected, || {
                    format!(
                        "run {} (cancelled: {cancelled}) ended as {ended:?}",
                        ended.token
                    )
                });
            }
            _ => {}
        }
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        if let (Some(Command::Beat(_)), Reply::Beaten(answers)) = (&step.command, &step.reply) {
            for answer in answers.iter().filter(|answer| answer.order != Order::Gone) {
                if let Some((run, kind)) = run_and_kind(ledger, answer.token) {
                    let right = order(run, kind, step);
                    found.expect(kind.version > 0 || answer.order == right, || {
                        format!(
                            "run {} is told {:?}, expected {right:?}",
                            answer.token, answer.order
                        )
                    });
                }
            }
        }
        if step.more || !step.number.is_multiple_of(EVERY) {
            return;
        }
        for (_, token) in &ledger.deadlines {
            let Some((run, kind)) = run_and_kind(ledger, *token) else {
                continue;
            };
            let ran = step.at.elapsed.since(run.started.elapsed);
            let overdue = kind.version == 0
                && run.stop.is_none()
                && kind.kind.run_within_ms.is_some_and(|most| ran >= most);
            found.expect(!overdue, || {
                format!("run {token} is not stopped after {ran} ms")
            });
        }
    }
}

fn order(run: &RunRow, kind: &KindRow, step: &Step) -> Order {
    match run.stop {
        None => Order::GoOn,
        Some((why, at)) if step.at.elapsed < at.plus(kind.kind.grace_ms) => Order::Stop(why),
        Some((why, _)) => Order::Ending(why),
    }
}

fn run_and_kind(ledger: &Ledger, token: Token) -> Option<(&RunRow, &KindRow)> {
    let run = ledger.run(token)?;
    let task = ledger.tasks.get(&run.task)?;
    Some((run, ledger.kind(task.kind)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::{Story, done, success};
    use interlock_core::command::Beat;
    use interlock_core::event::EndWhy;
    use interlock_core::reply::Beaten;
    use interlock_core::words::{SessionId, TaskId};

    fn cancelled() -> (Story, Token) {
        let mut story = Story::with_kind(Stops, |kind| kind.grace_ms = 500);
        story.admit(1, &[]);
        let token = story.start(1, 2);
        story.events(vec![Event::StopAsked {
            token,
            task: TaskId(1),
            why: StopWhy::Cancelled,
            by: None,
        }]);
        (story, token)
    }

    fn beat(story: &mut Story, token: Token, order: Order) {
        let beat = Command::Beat(Beat {
            session: SessionId(2),
            runs: Vec::new(),
        });
        let answer = Beaten {
            token,
            order,
            budgets: Vec::new(),
        };
        story.decide(beat, Reply::Beaten(vec![answer]), Vec::new());
    }

    #[test]
    fn after_the_grace_a_run_is_renewed_no_more() {
        let (mut story, token) = cancelled();
        story.at(1_499);
        beat(&mut story, token, Order::Stop(StopWhy::Cancelled));
        story.fine().at(1_500);
        beat(&mut story, token, Order::Stop(StopWhy::Cancelled));
        story.caught("expected Ending");
    }

    #[test]
    fn a_success_in_time_counts() {
        let (mut story, token) = cancelled();
        story.end(
            token,
            success(),
            done(Outcome::Cancelled, EndWhy::Asked { by: None }),
        );
        story.caught("cancelled: true");
    }

    #[test]
    fn a_run_that_takes_too_long_is_stopped() {
        let mut story = Story::with_kind(Stops, |kind| kind.run_within_ms = Some(400));
        story.admit(1, &[]);
        story.start(1, 2);
        story.at(1_400);
        for _ in 0..EVERY {
            story.events(Vec::new());
        }
        story.caught("is not stopped");
    }
}

//! Lost runs: not failures, burn no retry, and are forgiven so many times and no more.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step};
use interlock_core::event::{EndWhy, Event, RunEnd, Stage, Then};
use interlock_core::reply::StopWhy;
use interlock_core::words::{OnLoss, Outcome};

/// Watches losses, releases and returns.
pub struct Losses;

impl Checker for Losses {
    fn name(&self) -> &'static str {
        "losses"
    }

    fn event(&mut self, ledger: &Ledger, _: &Step, _: u64, event: &Event, found: &mut Findings) {
        let Event::RunEnded(ended) = event else {
            return;
        };
        let Some(run) = ledger.run(ended.token) else {
            return;
        };
        let Some(task) = ledger.tasks.get(&run.task) else {
            return;
        };
        let undone = matches!(
            ended.how,
            RunEnd::Lost | RunEnd::Released | RunEnd::Returned
        );
        let stopped = run.stop.map(|(why, _)| why);
        if !undone || stopped == Some(StopWhy::TooLong) {
            return;
        }
        let policy = ledger.kind(task.kind).map(|kind| kind.kind.on_loss);
        let lost = ended.how == RunEnd::Lost;
        let right = match (&ended.then, policy) {
            (Then::Done { outcome, why, .. }, _) if stopped == Some(StopWhy::Cancelled) => {
                *outcome == Outcome::Cancelled && matches!(why, EndWhy::Asked { .. })
            }
            (Then::Done { outcome, why, .. }, _) if task.last_run_by.is_some() => {
                *outcome == Outcome::Cancelled && matches!(why, EndWhy::CancelledBy { .. })
            }
            (Then::Done { outcome, why, .. }, Some(OnLoss::Cancel)) => {
                lost && *outcome == Outcome::Cancelled && *why == EndWhy::WorkerLost
            }
            (Then::Done { outcome, why, .. }, Some(OnLoss::Retry { losses_max })) => {
                lost && *outcome == Outcome::Failed
                    && *why == EndWhy::WorkerLost
                    && task.losses + 1 > losses_max
            }
            (Then::Wait { to, .. }, Some(policy)) => {
                let capped = match policy {
                    OnLoss::Cancel => true,
                    OnLoss::Retry { losses_max } => task.losses + 1 > losses_max,
                };
                !(lost && capped)
                    && stopped.is_none()
                    && task.last_run_by.is_none()
                    && !matches!(to, Stage::Retrying { .. })
            }
            (_, None) => false,
        };
        found.expect(right, || {
            format!(
                "task {} with {} losses (stop: {stopped:?}) ended a run as {:?}, then {:?}; its kind says {policy:?}",
                task.id, task.losses, ended.how, ended.then
            )
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::{Story, done, spot, wait};

    fn story() -> Story {
        let mut story = Story::with_kind(Losses, |kind| {
            kind.on_loss = OnLoss::Retry { losses_max: 1 };
        });
        story.admit(1, &[]);
        story
    }

    #[test]
    fn losses_are_forgiven_only_so_often() {
        let mut story = story();
        for _ in 0..2 {
            let token = story.start(1, 2);
            story.end(token, RunEnd::Lost, wait(Stage::InLine, spot(1)));
        }
        story.caught("with 1 losses");
    }

    #[test]
    fn a_release_is_not_a_loss() {
        let mut story = story();
        let token = story.start(1, 2);
        story.end(
            token,
            RunEnd::Released,
            done(Outcome::Failed, EndWhy::WorkerLost),
        );
        story.caught("as Released");
    }
}

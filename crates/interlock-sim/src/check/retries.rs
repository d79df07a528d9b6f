//! The retry ladder: how long each wait is, when the window ends, and what a worker may ask for.

use super::Checker;
use crate::oracle::{Findings, Ledger, RunRow, Step, TaskRow};
use interlock_core::Command;
use interlock_core::command::{Again, Finish, FinishHow};
use interlock_core::event::{EndWhy, Event, RunEnd, RunEnded, Stage, Then};
use interlock_core::reply::StopWhy;
use interlock_core::words::{Outcome, Retry, TaskId, Token, Waits, Wall};

/// Watches failures.
#[derive(Default)]
pub struct Retries {
    /// Tasks that were joined while they waited for a retry, and until when they waited then.
    joined: Vec<(TaskId, Wall)>,
}

impl Checker for Retries {
    fn name(&self) -> &'static str {
        "retries"
    }

    fn event(&mut self, ledger: &Ledger, step: &Step, _: u64, event: &Event, found: &mut Findings) {
        if let Event::Merged { into, .. } | Event::Folded { into, .. } = event
            && let Some(Stage::Retrying { until }) = ledger.tasks.get(into).map(|task| &task.stage)
        {
            self.joined.push((*into, *until));
        }
        let Event::RunEnded(ended) = event else {
            return;
        };
        let Some(run) = ledger.run(ended.token) else {
            return;
        };
        let Some(task) = ledger.tasks.get(&run.task) else {
            return;
        };
        if fails(run, ended) {
            judge(ledger, step, task, ended, found);
        } else if let Then::Wait {
            to: Stage::Retrying { .. },
            ..
        } = &ended.then
        {
            found.add(format!(
                "task {} waits for a retry but did not fail: {:?}",
                task.id, ended.how
            ));
        }
    }

    fn step(&mut self, ledger: &Ledger, _: &Step, found: &mut Findings) {
        for (id, before) in self.joined.drain(..) {
            if let Some(task) = ledger.tasks.get(&id) {
                not_later(ledger, task, before, found);
            }
        }
    }
}

/// Joined while it waits for a retry, a task is due at the first rung at the latest.
fn not_later(ledger: &Ledger, task: &TaskRow, before: Wall, found: &mut Findings) {
    let (Stage::Retrying { until }, Some(kind)) = (&task.stage, ledger.kind(task.kind)) else {
        return;
    };
    let failed = task.last_failure.unwrap_or(ledger.now.wall);
    let first = first_wait(&kind.kind.retry).map(|wait| failed.plus(wait));
    let latest = first.map_or(before, |first| first.min(before));
    found.expect(*until <= latest, || {
        format!(
            "task {} was joined and waits until {until:?}, it should until {latest:?}",
            task.id
        )
    });
}

/// Whether this end counts as a failure of the task, rather than as a cancel or a loss.
fn fails(run: &RunRow, ended: &RunEnded) -> bool {
    let cancelled = run.stop.is_some_and(|(why, _)| why == StopWhy::Cancelled);
    match &ended.how {
        RunEnd::Failed { .. } => !cancelled,
        RunEnd::Stopped { why, .. } => *why == StopWhy::TooLong && !cancelled,
        _ => false,
    }
}

fn judge(ledger: &Ledger, step: &Step, task: &TaskRow, ended: &RunEnded, found: &mut Findings) {
    let Some(kind) = ledger.kind(task.kind) else {
        return;
    };
    if task.last_run_by.is_some() {
        let cancelled = matches!(
            &ended.then,
            Then::Done {
                outcome: Outcome::Cancelled,
                why: EndWhy::CancelledBy { .. },
                ..
            }
        );
        return found.expect(cancelled, || {
            format!(
                "task {} was denied another run, but now {:?}",
                task.id, ended.then
            )
        });
    }
    let retry = &kind.kind.retry;
    let tries = task.tries + 1;
    let told = matches!(ended.how, RunEnd::Stopped { .. });
    let again = if told {
        Again::AsKindSays
    } else {
        asked(step, ended.token)
    };
    let Some((least, most)) = wait(retry, tries, again) else {
        return given_up(task, ended, found);
    };
    let now = step.at.wall;
    let window_ends = task.window_start.map(|start| start.plus(retry.window_ms));
    // With a follow-up the two become one, due at the first rung at the latest.
    let first = first_wait(retry).filter(|_| has_follow_up(ledger, task));
    let least = first.map_or(least, |first| (first - first / 4).min(least));
    let too_late = |wait| window_ends.is_some_and(|end| now.plus(wait) > end);
    if too_late(least) && too_late(most) {
        return given_up(task, ended, found);
    }
    match &ended.then {
        Then::Wait {
            to: Stage::Retrying { until },
            ..
        } => {
            let waits = until.since(now);
            found.expect((least..=most).contains(&waits), || {
                format!(
                    "task {} waits {waits} ms after try {tries}, expected {least} to {most}",
                    task.id
                )
            });
        }
        Then::Done { .. } if too_late(most) => {}
        then => found.add(format!(
            "task {} failed try {tries}, {least} to {most} ms are left to wait, but now {then:?}",
            task.id
        )),
    }
}

/// The first wait, at most.
fn first_wait(retry: &Retry) -> Option<u64> {
    match &retry.waits {
        Waits::Ladder(rungs) => Some(rungs.first().copied().unwrap_or(0)),
        Waits::Exponential { first_ms, most_ms } => Some(*first_ms.min(most_ms)),
    }
}

/// Whether the same thing was submitted while the task was running. The two become one, which is due
/// at the first rung at the latest.
fn has_follow_up(ledger: &Ledger, task: &TaskRow) -> bool {
    let first = task
        .claims
        .first()
        .and_then(|(resource, _)| ledger.resources.get(resource));
    first.is_some_and(|row| {
        let others = row.tasks.iter().filter_map(|id| ledger.tasks.get(id));
        others
            .filter(|other| other.id != task.id)
            .any(|other| other.same_as(task))
    })
}

fn given_up(task: &TaskRow, ended: &RunEnded, found: &mut Findings) {
    let failed = matches!(
        &ended.then,
        Then::Done {
            outcome: Outcome::Failed,
            why: EndWhy::Failure { .. } | EndWhy::RanTooLong,
            ..
        }
    );
    found.expect(failed, || {
        format!("task {} has no try left, but now {:?}", task.id, ended.then)
    });
}

/// What the worker asked for with its finish. One that was told to stop has no say.
fn asked(step: &Step, token: Token) -> Again {
    let finishes: &[Finish] = match &step.command {
        Some(Command::Finish { finishes, .. }) => finishes,
        Some(Command::Take(take)) => &take.finishes,
        _ => &[],
    };
    let how = finishes
        .iter()
        .find(|finish| finish.token == token)
        .map(|finish| &finish.how);
    match how {
        Some(FinishHow::Fail { again, .. }) => *again,
        _ => Again::AsKindSays,
    }
}

/// The shortest and the longest wait before the next try; `None` if there is none.
fn wait(retry: &Retry, tries: u32, again: Again) -> Option<(u64, u64)> {
    if retry.tries_max.is_some_and(|most| tries >= most) {
        return None;
    }
    match again {
        Again::Never => return None,
        Again::In(ms) => return Some((ms, ms)),
        Again::AsKindSays => {}
    }
    match &retry.waits {
        Waits::Ladder(rungs) => {
            let rung = rungs.get(tries as usize - 1).or(rungs.last())?;
            Some((*rung, *rung))
        }
        Waits::Exponential { first_ms, most_ms } => {
            let doubled = first_ms.saturating_mul(1 << (tries - 1).min(40));
            let wait = doubled.min(*most_ms);
            Some((wait - wait / 4, wait))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::{Story, done, failure, spot, wait as waits};

    fn story() -> Story {
        Story::with_kind(Retries::default(), |kind| {
            kind.retry = Retry {
                waits: Waits::Ladder(vec![100, 500]),
                window_ms: 1_000,
                tries_max: None,
            };
        })
    }

    fn fail_until(story: &mut Story, until: u64) {
        let token = story.start(1, 2);
        let to = Stage::Retrying { until: Wall(until) };
        story.end(token, failure(), waits(to, spot(1)));
    }

    #[test]
    fn each_rung_is_waited_out() {
        let mut story = story();
        story.admit(1, &[]);
        fail_until(&mut story, 1_100);
        story.fine().at(1_100);
        fail_until(&mut story, 1_200);
        story.caught("waits 100 ms after try 2");
    }

    #[test]
    fn the_window_ends_the_ladder() {
        let mut story = story();
        story.admit(1, &[]);
        fail_until(&mut story, 1_100);
        story.fine().at(1_600);
        fail_until(&mut story, 2_100);
        story.caught("no try left");
    }

    #[test]
    fn nobody_gives_up_early() {
        let mut story = story();
        story.admit(1, &[]);
        let token = story.start(1, 2);
        story.end(token, failure(), done(Outcome::Failed, EndWhy::RanTooLong));
        story.caught("are left to wait");
    }
}

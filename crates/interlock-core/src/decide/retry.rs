//! The retry ladder: when a task that failed is tried again, if at all.

use crate::Core;
use crate::bugs::Bug;
use crate::command::Again;
use crate::event::{Stage, Then};
use crate::limits;
use crate::state::task::Task;
use crate::words::{Retry, TaskId, Token, Waits};

impl Core {
    /// Where the task of a run that fails now waits for its next try; `None` if there is none.
    pub(crate) fn next_try(&self, token: Token, again: Again) -> Option<Then> {
        let run = &self.state.runs[&token];
        let task = self.state.task(run.task);
        let retry = &self.state.kinds.get(task.kind).kind.retry;
        let tries = task.tries + 1;
        let losses = self.losses_as_tries(task);
        if retry.tries_max.is_some_and(|max| tries + losses >= max) {
            return None;
        }
        let wait_ms = match again {
            Again::Never => return None,
            Again::In(ms) => ms.min(limits::DURATION_MS_MAX),
            Again::AsKindSays => {
                let rung = tries + losses + u32::from(self.bug(Bug::LadderSkipsRung));
                wait(retry, run.task, rung)?
            }
        };
        // With a follow-up it becomes one task, which is due at the first rung at the latest.
        let wait_ms = match self.follow_up(run.task) {
            Some(_) => wait_ms.min(self.first_wait(task)),
            None => wait_ms,
        };
        let until = self.state.now.wall.plus(wait_ms);
        let first_run = task.extra().first_run.unwrap_or(run.started.wall);
        if until > first_run.plus(retry.window_ms) && !self.bug(Bug::WindowIgnored) {
            return None;
        }
        Some(Then::Wait {
            to: Stage::Retrying { until },
            spot: task.spot,
        })
    }

    /// The seeded bug by which a loss burns a try.
    fn losses_as_tries(&self, task: &Task) -> u32 {
        if self.bug(Bug::LossBurnsTry) {
            task.losses
        } else {
            0
        }
    }

    /// The first wait of a task's ladder.
    pub(crate) fn first_wait(&self, task: &Task) -> u64 {
        let retry = &self.state.kinds.get(task.kind).kind.retry;
        wait(retry, task.id, 1).unwrap_or(0)
    }
}

/// The wait after so many failed tries; `None` if the kind has no retries.
fn wait(retry: &Retry, task: TaskId, tries: u32) -> Option<u64> {
    match &retry.waits {
        Waits::Ladder(rungs) => {
            let at = (tries as usize - 1).min(rungs.len().checked_sub(1)?);
            Some(rungs[at])
        }
        Waits::Exponential { first_ms, most_ms } => {
            let doublings = (tries - 1).min(40);
            let full = first_ms.saturating_mul(1 << doublings).min(*most_ms);
            Some(full - jitter(task, tries) % (full / 4 + 1))
        }
    }
}

/// Spreads retries without randomness: a mix of task and try.
fn jitter(task: TaskId, tries: u32) -> u64 {
    let mut mixed = task.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(tries);
    mixed ^= mixed >> 32;
    mixed = mixed.wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 32)
}

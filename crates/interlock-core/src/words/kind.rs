//! A kind: a registered type of task, with its whole policy.

use super::{Name, Op};
use crate::limits;
use serde::{Deserialize, Serialize};

/// A kind and its policy. Changing it affects every decision from then on, also for tasks that wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    /// Its name.
    pub name: Name,
    /// 0 to 9; higher goes first by one `step` of the namespace for each.
    pub priority: u8,
    /// What its tasks do to a resource when the claim does not say.
    pub op: Op,
    /// Whether and how submissions of the same thing become one task.
    pub coalesce: Option<Coalesce>,
    /// Kinds whose earlier tasks on the same resources each submission of this one cancels.
    pub cancels: Vec<Name>,
    /// What happens after a failure.
    pub retry: Retry,
    /// Quotas that each start takes units from.
    pub quotas: Vec<QuotaUse>,
    /// What happens after a worker is lost.
    pub on_loss: OnLoss,
    /// Length of a run's lease.
    pub lease_ms: u64,
    /// How long a run may take before its worker is told to stop.
    pub run_within_ms: Option<u64>,
    /// How long a worker that was told to stop is still renewed.
    pub grace_ms: u64,
    /// At most so many waiting tasks of this kind.
    pub waiting_max: Option<u64>,
    /// How long finished tasks stay readable.
    pub retention: Retention,
}

impl Kind {
    /// A kind with the default policy.
    pub fn new(name: Name) -> Self {
        Self {
            name,
            priority: limits::PRIORITY_DEFAULT,
            op: Op::Update,
            coalesce: None,
            cancels: Vec::new(),
            retry: Retry::default(),
            quotas: Vec::new(),
            on_loss: OnLoss::default(),
            lease_ms: limits::LEASE_MS_DEFAULT,
            run_within_ms: None,
            grace_ms: limits::GRACE_MS_DEFAULT,
            waiting_max: None,
            retention: Retention::default(),
        }
    }
}

/// How submissions of the same thing become one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coalesce {
    /// Which payload the merged task carries.
    pub payload: PayloadRule,
    /// How long the first of a flurry waits so that more can join it; 0 for not at all.
    pub gather_ms: u64,
}

/// Which payload a merged task carries, by order of submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PayloadRule {
    /// The last one submitted.
    Latest,
    /// The first one submitted.
    First,
    /// All of them: JSON arrays joined into one.
    Append,
}

/// What happens after a failed run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// How long to wait before each next try.
    pub waits: Waits,
    /// No try begins later than this after the first run began.
    pub window_ms: u64,
    /// At most so many runs that fail; `None` for no limit within the window.
    pub tries_max: Option<u32>,
}

impl Default for Retry {
    fn default() -> Self {
        const MINUTE: u64 = 60_000;
        Self {
            waits: Waits::Ladder(vec![
                3 * MINUTE,
                20 * MINUTE,
                180 * MINUTE,
                24 * 60 * MINUTE,
            ]),
            window_ms: limits::RETRY_WINDOW_MS_DEFAULT,
            tries_max: None,
        }
    }
}

/// The waits between tries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Waits {
    /// One rung after the other; the last one repeats. Empty means no retry.
    Ladder(Vec<u64>),
    /// `first × 2^n`, at most `most`, shortened by up to a quarter as a jitter.
    Exponential {
        /// The first wait.
        first_ms: u64,
        /// The longest wait.
        most_ms: u64,
    },
}

/// A quota that each start of a kind takes units from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotaUse {
    /// The quota's name.
    pub quota: Name,
    /// Units per start; 0 if only the run itself spends.
    pub cost: u32,
}

/// What follows the loss of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnLoss {
    /// Back to its place in line, at most so many times; then it has failed.
    Retry {
        /// Losses that are forgiven.
        losses_max: u32,
    },
    /// The task is cancelled.
    Cancel,
}

impl Default for OnLoss {
    fn default() -> Self {
        OnLoss::Retry {
            losses_max: limits::LOSSES_MAX_DEFAULT,
        }
    }
}

/// How long a finished task stays in the history, by outcome; 0 deletes it at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retention {
    /// After success.
    pub succeeded_ms: u64,
    /// After failure for good.
    pub failed_ms: u64,
    /// After cancellation.
    pub cancelled_ms: u64,
}

impl Default for Retention {
    fn default() -> Self {
        const DAY: u64 = 86_400_000;
        Self {
            succeeded_ms: DAY,
            failed_ms: 30 * DAY,
            cancelled_ms: 7 * DAY,
        }
    }
}

//! Schedules: they submit tasks by the calendar or at an interval.

use super::{Name, Submission, Wall};
use serde::{Deserialize, Serialize};

/// A schedule and what it submits. It never has two live tasks at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Its name.
    pub name: Name,
    /// When it fires.
    pub timing: Timing,
    /// What it submits each time.
    pub submission: Submission,
}

/// When a schedule fires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Timing {
    /// A cron expression, read in a time zone.
    Cron {
        /// Five fields, or six with seconds first.
        expression: String,
        /// An IANA name such as `Europe/Prague`.
        zone: String,
    },
    /// Every so often.
    Every {
        /// The interval.
        every_ms: u64,
        /// The first firing; one interval from now if none. Later ones keep its beat.
        start: Option<Wall>,
        /// Fires so many times at most.
        count: Option<u64>,
    },
}

//! Schedules: they submit tasks by the calendar or at an interval.

use crate::span::Span;
use crate::submission::Submission;
use crate::time::Time;
use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a schedule is: a `cron` expression, or `every` so often; and what it submits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "cron": "30 3 * * *",
    "zone": "Europe/Prague",
    "submission": {"kind": "sync", "resources": ["repository:f16"]},
}))]
pub struct SchedulePolicy {
    /// Its name. Not needed where the path has it; if given, it must be the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, example = "nightly")]
    pub name: Option<String>,
    /// A cron expression: five fields, or six with seconds first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, example = "30 3 * * *")]
    pub cron: Option<String>,
    /// The time zone of `cron`, an IANA name; `UTC` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, example = "Europe/Prague")]
    pub zone: Option<String>,
    /// Fires this often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<Span>,
    /// The first firing of `every`; one interval from now by default. Later ones keep its beat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Time>,
    /// Fires so many times at most; for `every` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub count: Option<u64>,
    /// What it submits each time. No `idempotency_key` and no `parent`.
    pub submission: Submission,
}

/// A schedule as it is now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Schedule {
    /// Its name.
    #[schema(example = "nightly")]
    pub name: String,
    /// What it is; it can be sent back as it is.
    pub policy: SchedulePolicy,
    /// Whether it is paused.
    pub paused: bool,
    /// When it last fired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Time>,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_fired: Option<Fired>,
    /// When it fires next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Time>,
    /// The next firings, up to five, if nothing is changed; none while it is paused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 5)]
    pub upcoming: Vec<Time>,
    /// Its live task: it never has two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<u64>,
}

/// What came of a firing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "fired", rename_all = "snake_case")]
pub enum Fired {
    /// It submitted this task.
    Submitted {
        /// The task.
        task: u64,
        /// The verdict.
        verdict: Verdict,
    },
    /// Its last task was still live, so nothing was submitted.
    StillLive {
        /// That task.
        task: u64,
    },
    /// The submission was refused or rejected.
    NotAdmitted {
        /// The error code that says how.
        code: String,
    },
}

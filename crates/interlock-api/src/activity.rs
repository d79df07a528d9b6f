//! What went on in a namespace lately, minute by minute.

use crate::overview::Totals;
use crate::span::Span;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What went on in a namespace during the last hour and the last day. It is counted in memory, so it
/// begins anew when the server starts, or when the namespace comes to another node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Activity {
    /// The server's time.
    pub now: Time,
    /// Nothing before this was counted.
    pub since: Time,
    /// The last hour, by minutes.
    pub hour: Stretch,
    /// The last day, by quarters of an hour.
    pub day: Stretch,
}

/// A stretch of time, cut into steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Stretch {
    /// How long each step is.
    pub step: Span,
    /// All of it together.
    pub counts: Totals,
    /// How long tasks waited; none if none began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<WaitTimes>,
    /// Each step, oldest first. The last one is not over yet.
    pub buckets: Vec<Bucket>,
}

/// What was counted in one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Bucket {
    /// When the step began.
    pub from: Time,
    /// What was counted in it.
    pub counts: Totals,
    /// How long the tasks that began in it had waited; none if none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<WaitTimes>,
}

/// How long tasks waited from when they became possible (submitted, due, and whatever they come after
/// done) until their first run began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WaitTimes {
    /// How many began.
    #[schema(minimum = 1)]
    pub tasks: u64,
    /// Half of them waited no longer than about this.
    pub p50: Span,
    /// All but one in twenty waited no longer than about this.
    pub p95: Span,
    /// None waited longer than this.
    pub max: Span,
}

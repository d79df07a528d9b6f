//! Failures, grouped by kind and error, and their retry in bulk.

use crate::time::Time;
use crate::verdict::ItemOutcome;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Tasks of a kind that failed for good with the same error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Failure {
    /// The kind.
    pub kind: String,
    /// The first line of what went wrong.
    pub error: String,
    /// How many tasks.
    pub count: u64,
    /// How many resources are affected.
    pub resources: u64,
    /// The first of them ended then.
    pub first: Time,
    /// The last of them ended then.
    pub last: Time,
    /// How many ended in each of the last 24 hours, oldest first; the last one is not over yet. It is
    /// counted in memory, so it begins anew when the server starts; none if none was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 24, max_items = 24)]
    pub trend: Option<Vec<u64>>,
}

/// Submits failed tasks again, each through admission, up to 1,000 of them,
/// the newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RetryFailures {
    /// The kind.
    #[schema(min_length = 1, max_length = 200)]
    pub kind: String,
    /// Only those with this error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Where the last retry ended: `next` of its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 402)]
    pub cursor: Option<String>,
}

/// How many groups of failures to list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FailureQuery {
    /// At most so many, those with the latest failure first; 100 if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
}

/// What became of a retry in bulk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Retried {
    /// One for each failed task.
    pub retried: Vec<RetriedTask>,
    /// There are more to be retried: ask again with this as `cursor`. None if these were all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// What became of the retry of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RetriedTask {
    /// The task that had failed.
    pub task: u64,
    /// What became of its new submission.
    pub outcome: ItemOutcome,
}

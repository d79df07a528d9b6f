//! Resources as they are shown.

use crate::claim::Op;
use crate::quota::QuotaCount;
use crate::reason::{Brief, Reason};
use crate::task::State;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A resource in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResourceState {
    /// Nothing runs, nothing waits.
    Idle,
    /// Something runs.
    Busy,
    /// Nothing runs, something waits.
    Queued,
    /// Something waits for another try after a failure, and nothing runs.
    Failing,
    /// Somebody holds it.
    Held,
}

/// A resource as it is now. It needs no declaration, so there is always an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Resource {
    /// The resource.
    #[schema(example = "repository:f16")]
    pub resource: String,
    /// In one word.
    pub state: ResourceState,
    /// Whether an operator holds it.
    pub held: bool,
    /// All tasks that wait and claim it, wherever they wait.
    pub waiting: u64,
    /// The tasks whose runs hold it.
    pub holders: Vec<Brief>,
    /// Its line in order, the first 100.
    pub line: Vec<InLine>,
    /// Pending creates and deletes, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub barriers: Vec<Brief>,
    /// Those who wait outside the line behind a create or delete, in order, the first 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<InLine>,
    /// Tasks on it that are not due yet, the next 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scheduled: Vec<InLine>,
    /// The last success and failure of each kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last: Vec<LastEnded>,
    /// Its quotas.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotas: Vec<QuotaCount>,
}

/// A task in the line of a resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InLine {
    /// The task.
    pub task: u64,
    /// Its kind.
    pub kind: String,
    /// What it does to the resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<Op>,
    /// Its priority.
    #[schema(minimum = 0, maximum = 9)]
    pub priority: u8,
    /// Whether it waits or runs.
    pub state: State,
    /// When it was submitted.
    pub submitted: Time,
    /// Why it waits, nearest causes first.
    pub reasons: Vec<Reason>,
}

/// When tasks of a kind last ended on a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LastEnded {
    /// The kind.
    pub kind: String,
    /// The last success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub succeeded: Option<LastTask>,
    /// The last failure for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<LastTask>,
}

/// A task that ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LastTask {
    /// The task.
    pub task: u64,
    /// When it ended.
    pub ended: Time,
    /// What went wrong, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A resource in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ResourceRow {
    /// The resource.
    #[schema(example = "repository:f16")]
    pub resource: String,
    /// In one word.
    pub state: ResourceState,
    /// Runs that hold it.
    pub running: u64,
    /// Tasks that wait and claim it.
    pub waiting: u64,
}

/// Which resources to list, in no particular order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ResourceQuery {
    /// Only names that begin with this, such as `repository:`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(max_length = 400, example = "repository:")]
    pub prefix: Option<String>,
    /// Only this state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(inline)]
    pub state: Option<ResourceState>,
    /// Where the last page ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(max_length = 402)]
    pub cursor: Option<String>,
    /// At most so many; 100 if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
}

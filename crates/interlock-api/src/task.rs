//! Tasks as they are shown, and the verbs on them.

use crate::claim::Claim;
use crate::id::RunToken;
use crate::json::Json;
use crate::progress::ShownProgress;
use crate::reason::Reason;
use crate::span::Span;
use crate::text::is_false;
use crate::time::Time;
use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Not running; the reasons say why.
    Waiting,
    /// A run is live.
    Running,
    /// A run reported success.
    Succeeded,
    /// It will not be tried again.
    Failed,
    /// It was called off, by a person or by a rule.
    Cancelled,
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A run reported success.
    Succeeded,
    /// It will not be tried again.
    Failed,
    /// It was called off, by a person or by a rule.
    Cancelled,
}

/// A task, waiting, running or ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Task {
    /// Its id; another one than asked for if it was folded into another task.
    #[schema(minimum = 1, maximum = 9007199254740991_u64)]
    pub task: u64,
    /// Its kind. Unknown for a task that ended and whose history is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its state.
    pub state: State,
    /// What it touches, and how.
    pub resources: Vec<Claim>,
    /// Its priority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 9)]
    pub priority: Option<u8>,
    /// Why it waits, nearest causes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// Its live run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
    /// How many submissions it stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub stands_for: Option<u64>,
    /// Failed runs so far.
    #[serde(default)]
    pub tries: u32,
    /// Lost runs so far.
    #[serde(default)]
    pub losses: u32,
    /// When it was submitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted: Option<Time>,
    /// What its first submitter was told. Only of the latest tasks since the server began to serve the
    /// namespace, and not in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<Told>,
    /// When its last run began, once it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Time>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Time>,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
    /// What went wrong in the last run that failed. Not in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<FailedRun>,
    /// Its runs that ended, oldest first; of very many the first and the last ones. Not in lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<PastRun>,
    /// The worker of its last run, once it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// What was submitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json)]
    pub payload: Option<Json>,
    /// What the successful run had to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json)]
    pub result: Option<Json>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The group it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u64>,
    /// The task whose run submitted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u64>,
    /// The schedule that submitted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// The ended task that it repeats at an operator's wish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<u64>,
}

/// What a submitter was told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Told {
    /// Whether anything stood in its way.
    pub verdict: Verdict,
    /// What stood in its way then, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
}

/// A live run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Run {
    /// Names and fences the run.
    pub token: RunToken,
    /// Who runs it.
    pub worker: String,
    /// Since when.
    pub started: Time,
    /// For how long.
    pub running: Span,
    /// When its lease ends unless it is renewed.
    pub lease_ends: Time,
    /// How far it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<ShownProgress>,
    /// It was told to stop.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stopping: bool,
}

/// A run that ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PastRun {
    /// Named and fenced the run.
    pub token: RunToken,
    /// Who ran it, unless the worker had left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// When it began.
    pub started: Time,
    /// When it ended.
    pub ended: Time,
    /// How it ended.
    pub how: RunHow,
    /// What went wrong, in one line, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Whatever helps to find the cause.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunHow {
    /// The worker reported success.
    Succeeded,
    /// The worker reported a failure.
    Failed,
    /// The worker gave the task back.
    Released,
    /// The worker could not be reached with it.
    Returned,
    /// Its lease ended, or another process took over.
    Lost,
    /// It was told to stop, because somebody cancelled it.
    Stopped,
    /// It was told to stop, because it ran too long.
    TooLong,
}

/// A run that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FailedRun {
    /// What went wrong, in one line.
    #[schema(example = "connection refused")]
    pub message: String,
    /// Whatever helps to find the cause.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Who ran it, unless the worker had left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// When it began.
    pub started: Time,
    /// When it ended.
    pub ended: Time,
}

/// Why a task ended: as data, and as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct End {
    /// Why.
    #[serde(flatten)]
    pub why: EndWhy,
    /// The same for a person.
    #[schema(example = "Task 12 deleted repository:f16.")]
    pub sentence: String,
}

/// Why a task ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum EndWhy {
    /// A run succeeded.
    Success,
    /// A run failed, and there is no next try.
    Failure {
        /// What went wrong in the last run: one line, by which failures are grouped.
        message: String,
        /// Whatever helps to find the cause.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
    },
    /// Its workers were lost too often, or once if the kind says so.
    WorkerLost,
    /// It ran longer than its kind allows, and there is no next try.
    RanTooLong,
    /// Somebody cancelled it.
    Asked {
        /// Who.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// It did not start in time.
    NotStartedInTime,
    /// A delete of a resource that it claims succeeded.
    ResourceDeleted {
        /// The resource.
        resource: String,
        /// The delete.
        by: u64,
    },
    /// A create of a resource that it claims did not succeed.
    ResourceNotCreated {
        /// The resource.
        resource: String,
        /// The create.
        by: u64,
    },
    /// A task that it depends on did not succeed.
    DependencyFailed {
        /// That task.
        on: u64,
    },
    /// When its time came, the future of a resource was decided against it.
    FutureDecided {
        /// The resource.
        resource: String,
        /// The create or delete that decided it.
        by: u64,
    },
    /// A submission of a kind that cancels its kind came after it.
    CancelledBy {
        /// That submission's task.
        by: u64,
    },
}

/// Which tasks to list: all that fit every filter, the newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TaskQuery {
    /// Only these states, with commas between them: `waiting,running`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(example = "waiting,running", max_length = 64)]
    pub state: Option<String>,
    /// Only this kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(min_length = 1, max_length = 200)]
    pub kind: Option<String>,
    /// Only tasks that claim this resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(min_length = 3, max_length = 400, example = "repository:f16")]
    pub resource: Option<String>,
    /// Only tasks that this worker runs or ran last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(min_length = 1, max_length = 200)]
    pub worker: Option<String>,
    /// Only tasks with this tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(min_length = 1, max_length = 200)]
    pub tag: Option<String>,
    /// Only tasks that this schedule submitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(min_length = 1, max_length = 200)]
    pub schedule: Option<String>,
    /// Only tasks of this group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u64>,
    /// Only tasks that a run of this task submitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u64>,
    /// Only tasks that were submitted (or, if ended, ended) at this time or later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
    /// Only tasks that were submitted (or, if ended, ended) before this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// Where the last page ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(max_length = 402)]
    pub cursor: Option<String>,
    /// At most so many; 100 if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
}

/// How to look at one task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct WaitQuery {
    /// Wait up to so long for it, at most a minute; then the answer shows it as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Span>,
    /// For what to wait.
    #[serde(default)]
    #[param(inline, required = false)]
    pub until: Until,
}

/// What to wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// Until the task has ended.
    #[default]
    Ended,
    /// Until a run of it has started, or it has ended.
    Started,
}

/// Calls a task off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    /// Needed if the task stands for several submissions: cancels all of them.
    #[serde(default, skip_serializing_if = "is_false")]
    pub all: bool,
}

/// The task is cancelled, or its worker is being told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Cancelling {
    /// The task.
    pub task: u64,
    /// It still runs; its worker is told with its next beat.
    pub running: bool,
}

/// Raises the priority of a waiting task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Bump {
    /// The new priority, higher than the old one.
    #[schema(minimum = 0, maximum = 9)]
    pub priority: u8,
}

/// Which ended tasks to delete from the history: all that fit every filter. At least one is needed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"outcomes": ["succeeded"], "ended_before": "2026-11-01T00:00:00Z"}))]
pub struct Purge {
    /// Only these outcomes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<Outcome>,
    /// Only this kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200)]
    pub kind: Option<String>,
    /// Only tasks that claimed this resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 3, max_length = 400)]
    pub resource: Option<String>,
    /// Only tasks that ended before this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_before: Option<Time>,
}

/// What a purge deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Purged {
    /// So many tasks.
    pub tasks: u64,
}

/// There is nothing more to say than that it was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Done {}

/// The body of a request whose path says everything; it may be left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

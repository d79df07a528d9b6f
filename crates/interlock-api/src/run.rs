//! What workers say and hear: register, take, beat, progress, finish, spend, goodbye.

use crate::claim::Claim;
use crate::id::RunToken;
use crate::json::Json;
use crate::kind::KindPolicy;
use crate::problem::Problem;
use crate::progress::Progress;
use crate::quota::Limit;
use crate::span::Span;
use crate::task::Outcome;
use crate::text::is_false;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

mod again;

pub use again::Again;

/// A worker starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "w1", "kinds": ["sync", "publish"]}))]
pub struct Register {
    /// The worker's name.
    #[schema(min_length = 1, max_length = 200, example = "w1")]
    pub name: String,
    /// The kinds it handles.
    #[schema(max_items = 256)]
    pub kinds: Vec<String>,
    /// The caller vouches that an older process of this name is dead: its runs end at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub takeover: bool,
    /// Kinds to register first, each with its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 256)]
    pub policies: Vec<KindPolicy>,
}

/// Welcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Registered {
    /// The new session; every later call carries it.
    pub session: u64,
}

/// A worker asks for tasks, and may report how its last ones ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"session": 12, "number": 3, "max": 4, "wait": "30s"}))]
pub struct Take {
    /// The session.
    pub session: u64,
    /// Numbers the takes of a session, upwards. The last one may be repeated and gets the same
    /// answer.
    pub number: u64,
    /// At most so many tasks; 1 by default.
    #[serde(default = "one")]
    #[schema(minimum = 1, maximum = 256, default = 1)]
    pub max: u64,
    /// How long to wait for the first one; not at all by default. Longer than a minute is cut to that.
    #[serde(default)]
    pub wait: Span,
    /// How the last runs ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 1000)]
    pub finishes: Vec<Finish>,
}

fn one() -> u64 {
    1
}

/// Tasks for a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Taken {
    /// The tasks handed out.
    pub hand_outs: Vec<HandOut>,
    /// What became of each finish that the take carried, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub finished: Vec<FinishAnswer>,
    /// The worker shall take no more and leave.
    #[serde(default, skip_serializing_if = "is_false")]
    pub draining: bool,
}

/// A task in the hands of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HandOut {
    /// Names and fences the run; every later call carries it.
    pub token: RunToken,
    /// The task.
    pub task: u64,
    /// Its kind.
    pub kind: String,
    /// What it touches, and how.
    pub resources: Vec<Claim>,
    /// What was submitted; `null` if nothing was.
    #[schema(value_type = Json)]
    pub payload: Option<Json>,
    /// How many submissions this run satisfies.
    #[schema(minimum = 1)]
    pub stands_for: u64,
    /// 1 for the first run.
    #[schema(minimum = 1)]
    pub attempt: u32,
    /// The length of the lease, to be counted from the *sending* of the take.
    pub lease: Span,
    /// The run is told to stop after this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_within: Option<Span>,
    /// Quotas that the run spends by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<Budget>,
    /// The submitter's trace context, a W3C `traceparent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// A quota that a run spends by itself, since it alone holds the resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Budget {
    /// The quota.
    pub quota: String,
    /// Its limits, for the worker to keep.
    pub limits: Vec<Limit>,
    /// Units the run may use before it hears of more.
    pub slice: u64,
    /// Recent use, one list for each window among the limits, in order.
    pub recent: Vec<Vec<RecentUse>>,
    /// Nothing may be spent for this long.
    #[serde(default)]
    pub paused: Span,
}

/// Units that still count against a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecentUse {
    /// How long ago they were used; they count until this is as long as the window.
    pub ago: Span,
    /// Units.
    pub units: u64,
}

/// A worker is alive and goes on with the runs that it names. A run that is not named runs out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Beat {
    /// The session.
    pub session: u64,
    /// The runs that go on.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub runs: Vec<BeatRun>,
}

/// One run that goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BeatRun {
    /// The run.
    pub token: RunToken,
    /// How far it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// Units of its own budgets used since the last report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 16)]
    pub used: Vec<Units>,
    /// Units of permits given back since the last report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 16)]
    pub dropped: Vec<Units>,
}

/// Units of a quota.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Units {
    /// The quota.
    #[schema(min_length = 1, max_length = 200)]
    pub quota: String,
    /// How many.
    #[schema(maximum = 1000000000000_u64)]
    pub units: u64,
}

/// What a beat is answered with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Beaten {
    /// One for each run named, in order.
    pub runs: Vec<RunOrder>,
}

/// What a worker shall do with a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunOrder {
    /// The run.
    pub token: RunToken,
    /// What to do.
    pub order: Order,
    /// Why it shall stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<StopWhy>,
    /// News of its budgets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<BudgetNews>,
}

/// What a worker shall do with a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Go on: the lease counts anew from the sending of the beat.
    GoOn,
    /// Stop soon: the lease was renewed, but will not be for long.
    Stop,
    /// Stop: the lease is not renewed any more.
    Ending,
    /// The run is not yours any more: drop everything.
    Gone,
}

/// Why a run shall stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopWhy {
    /// Somebody cancelled it.
    Cancelled,
    /// It has run longer than its kind allows.
    TooLong,
}

/// News of a budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BudgetNews {
    /// The quota.
    pub quota: String,
    /// Units that the slice now has, unreported use included.
    pub slice: u64,
    /// Nothing may be spent for this long.
    #[serde(default)]
    pub paused: Span,
}

/// A worker tells how far a run is. This is a beat of that run alone: it renews its lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportProgress {
    /// The session.
    pub session: u64,
    /// The run.
    pub token: RunToken,
    /// How far it is.
    pub progress: Progress,
}

/// A worker reports how runs ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Finishes {
    /// The session.
    pub session: u64,
    /// One for each run.
    #[schema(max_items = 1000)]
    pub finishes: Vec<Finish>,
}

/// How one run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"token": "1.4711", "how": "succeed", "result": {"packages": 1000}}))]
pub struct Finish {
    /// The run.
    pub token: RunToken,
    /// How it ended.
    pub how: How,
    /// For the submitter to read; with `succeed` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Json)]
    pub result: Option<Json>,
    /// What went wrong; with `fail`, and needed there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// What the worker thinks of trying again; with `fail` only. As the kind says if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Again>,
    /// Units of its own budgets used since the last report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 16)]
    pub used: Vec<Units>,
}

/// How a worker says that a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It did what was asked.
    Succeed,
    /// It did not.
    Fail,
    /// It gives the task back undone: not a failure.
    Release,
}

/// What went wrong in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"message": "connection refused", "detail": "mirror.example.org:443"}))]
pub struct RunError {
    /// One line, of which 1 KiB is kept; failures are grouped by it. Further lines go to the detail.
    /// Together with that at most 16 KiB are kept.
    pub message: String,
    /// Whatever helps to find the cause.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// What became of each finish.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Finished {
    /// One for each, in order.
    pub finished: Vec<FinishAnswer>,
}

/// What became of one finish: the task's new state, or a problem. Repeating the finish gets the same
/// answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FinishAnswer {
    /// The run.
    pub token: RunToken,
    /// The task has ended, like this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// It will be tried again at this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Time>,
    /// It is back in its place.
    #[serde(default, skip_serializing_if = "is_false")]
    pub waiting: bool,
    /// The finish was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// A run asks for units of a quota that it does not spend by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Spend {
    /// The session.
    pub session: u64,
    /// The run.
    pub token: RunToken,
    /// The quota.
    #[schema(min_length = 1, max_length = 200)]
    pub quota: String,
    /// How many units.
    #[schema(minimum = 1, maximum = 1000000000000_u64)]
    pub units: u64,
}

/// The answer to a spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Spending {
    /// The units are the run's until it gives the permit back.
    pub granted: bool,
    /// If not, ask again after this long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Span>,
}

/// A worker leaves; what it still runs is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Goodbye {
    /// The session.
    pub session: u64,
}

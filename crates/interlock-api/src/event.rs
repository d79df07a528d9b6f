//! Events: what happens in a namespace, as a stream (SSE). The `id` of each is its position in the
//! log, by which a reader resumes; `progress` has none, since only its latest value counts.

use crate::claim::Claim;
use crate::id::RunToken;
use crate::progress::ShownProgress;
use crate::reason::HoldTarget;
use crate::run::StopWhy;
use crate::schedule::Fired;
use crate::span::Span;
use crate::task::{End, Outcome, Task};
use crate::time::Time;
use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{self, RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Its position in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// When it happened.
    pub at: Time,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
}

/// One message of the stream of events, as SSE has it. For the OpenAPI document only.
#[derive(Clone, Copy, Debug)]
pub struct EventMessage;

impl PartialSchema for EventMessage {
    fn schema() -> RefOr<Schema> {
        let event = json!(openapi::Ref::from_schema_name("Event"));
        let data = ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("The event, as JSON."))
            .content_media_type("application/json")
            .extensions(Some(Extensions::from_iter([("contentSchema", event)])));
        let id = ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(
                "Its position in the log, to go on from; progress has none.",
            ));
        ObjectBuilder::new()
            .description(Some("One message of the stream."))
            .property("data", data)
            .property("id", id)
            .required("data")
            .into()
    }
}

impl ToSchema for EventMessage {}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum What {
    /// The events that were asked for are not kept any more. What follows, up to `caught_up`, is the
    /// current state.
    Reset,
    /// A task as it is now, after a reset. Without payload and result.
    TaskNow {
        /// The task.
        now: Box<Task>,
    },
    /// All that had happened before was sent; from now on events come as they happen.
    CaughtUp,
    /// A submission became a task.
    Submitted(Box<Submitted>),
    /// A submission joined a waiting task.
    Coalesced {
        /// The task.
        task: u64,
        /// Its priority from now on.
        priority: u8,
    },
    /// A waiting task became one with another; both ids lead there.
    Folded {
        /// The task that stands for both.
        task: u64,
        /// The task that is no more.
        from: u64,
    },
    /// A waiting task waits for something else now.
    Moved {
        /// The task.
        task: u64,
        /// What it waits for.
        to: Stage,
    },
    /// A task that another one waited for succeeded.
    DependencyMet {
        /// The task that waited.
        task: u64,
        /// What it waited for.
        on: u64,
    },
    /// The priority of a waiting task was raised.
    Bumped {
        /// The task.
        task: u64,
        /// The new priority.
        priority: u8,
        /// Who asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// Something is held.
    Held {
        /// What.
        what: HoldTarget,
        /// Who asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// A hold ended.
    Released {
        /// What was held.
        what: HoldTarget,
        /// Who asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// A run began.
    Started {
        /// The task.
        task: u64,
        /// The run.
        token: RunToken,
        /// Who runs it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worker: Option<String>,
        /// The length of its lease.
        lease: Span,
    },
    /// A run was told to stop.
    Stopping {
        /// The task.
        task: u64,
        /// The run.
        token: RunToken,
        /// Why.
        why: StopWhy,
        /// Who asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// A run told how far it is.
    Progress {
        /// The task.
        task: u64,
        /// How far it is.
        progress: ShownProgress,
    },
    /// A run ended, and the task waits again.
    RunEnded {
        /// The task.
        task: u64,
        /// The run.
        token: RunToken,
        /// How it ended.
        how: RunEnd,
        /// What went wrong, if it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// What the task waits for now.
        to: Stage,
    },
    /// A task ended.
    Ended {
        /// The task.
        task: u64,
        /// The run that ended with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<RunToken>,
        /// How.
        outcome: Outcome,
        /// Why.
        end: End,
    },
    /// Tasks were admitted together.
    GroupFormed {
        /// The group.
        group: u64,
        /// Its tasks, in order of the items.
        tasks: Vec<u64>,
    },
    /// A worker registered.
    WorkerRegistered {
        /// The worker.
        worker: String,
        /// Its session.
        session: u64,
        /// The kinds it handles.
        kinds: Vec<String>,
    },
    /// A session ended.
    WorkerLeft {
        /// The worker.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worker: Option<String>,
        /// Its session.
        session: u64,
    },
    /// A worker gets no new work.
    WorkerDrained {
        /// The worker.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worker: Option<String>,
        /// Its session.
        session: u64,
        /// Who asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// A kind was registered or changed.
    KindSet {
        /// The kind.
        kind: String,
    },
    /// A kind was removed.
    KindRemoved {
        /// The kind.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
    },
    /// A kind gained its first live worker, or has had none for a lease.
    KindStaffed {
        /// The kind.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
        /// Whether it has a worker.
        staffed: bool,
    },
    /// A quota was defined or changed.
    QuotaSet {
        /// The quota.
        quota: String,
    },
    /// A quota was removed.
    QuotaRemoved {
        /// The quota.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        quota: Option<String>,
    },
    /// A quota grants nothing until then.
    QuotaPaused {
        /// The quota.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        quota: Option<String>,
        /// The resource, for a quota per resource.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resource: Option<String>,
        /// Until then.
        until: Time,
    },
    /// A schedule was defined, changed, paused or resumed.
    ScheduleSet {
        /// The schedule.
        schedule: String,
        /// Its next firing; none while it is paused, or if it will not fire again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next: Option<Time>,
    },
    /// A schedule was removed.
    ScheduleRemoved {
        /// The schedule.
        schedule: String,
    },
    /// A schedule fired.
    ScheduleFired {
        /// The schedule.
        schedule: String,
        /// What came of it.
        outcome: Fired,
        /// Its next firing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next: Option<Time>,
    },
    /// The settings of the namespace changed.
    NamespaceSet,
}

/// A new task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Submitted {
    /// The task.
    pub task: u64,
    /// Its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What it touches, and how.
    pub resources: Vec<Claim>,
    /// Its priority.
    pub priority: u8,
    /// The verdict.
    pub verdict: Verdict,
    /// What it waits for.
    pub to: Stage,
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
    /// The ended task that it repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<u64>,
}

/// What a task waits for. `explain` has the names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "stage", rename_all = "snake_case")]
pub enum Stage {
    /// For tasks to succeed.
    Dependent,
    /// For its due time.
    Scheduled {
        /// Until then.
        until: Time,
    },
    /// For more submissions to join it.
    Gathering {
        /// Until then.
        until: Time,
    },
    /// For the next try.
    Retrying {
        /// Until then.
        until: Time,
    },
    /// For an operator to release it.
    Held,
    /// For a worker of its kind.
    NoWorker,
    /// For a create or delete of a resource to end.
    Outside,
    /// For its turn.
    InLine,
    /// For units of a quota.
    Throttled {
        /// The quota.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        quota: Option<String>,
        /// The resource, for a quota per resource.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resource: Option<String>,
    },
    /// For nothing: a run of it is live.
    Running,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// The worker reported success.
    Succeeded,
    /// The worker reported a failure.
    Failed,
    /// The worker gave it back.
    Released,
    /// The hand-out could not be delivered.
    Returned,
    /// Its lease ended, or another process took over.
    Lost,
    /// It was told to stop, and did or ran out of lease.
    Stopped,
}

/// Which events to stream: those of one task or resource, or of the whole namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventQuery {
    /// Only events of this task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u64>,
    /// Only events of tasks that claim this resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(min_length = 3, max_length = 400)]
    pub resource: Option<String>,
    /// Begin after this position; now if none. The header `Last-Event-ID` goes before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
}

//! Events: what was decided. Hard state is exactly their fold, so everything a restart must know is
//! in here, and `apply` decides nothing.

use crate::command::{HoldTarget, RunError};
use crate::reply::{Finished, Report, StopWhy, Verdict};
use crate::words::{
    Elapsed, GroupId, Kind, KindId, Name, Namespace, Now, Op, Outcome, Payload, Quota, QuotaId,
    ResourceName, Schedule, SessionId, TaskId, Token, Wall,
};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::sync::Arc;

/// The events of one decision, as they go to the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// When it was decided.
    pub at: Now,
    /// Log position of the first event; the others follow without a gap.
    pub position: u64,
    /// What was decided.
    pub events: Vec<Event>,
}

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// The namespace was loaded from its log: live runs get a fresh lease.
    Opened {
        /// The store's generation, no lower than before.
        generation: u32,
    },
    /// Settings changed.
    NamespaceSet(Namespace),
    /// A kind was registered or changed.
    KindSet {
        /// Its number.
        id: KindId,
        /// Its policy.
        kind: Arc<Kind>,
    },
    /// A kind was removed.
    KindRemoved {
        /// Its number.
        id: KindId,
    },
    /// A kind gained its first live worker, or has had none for a lease.
    KindStaffed {
        /// The kind.
        kind: KindId,
        /// Whether it has a worker.
        staffed: bool,
    },
    /// A quota was defined or changed.
    QuotaSet {
        /// Its number.
        id: QuotaId,
        /// What it allows.
        quota: Arc<Quota>,
    },
    /// A quota was removed.
    QuotaRemoved {
        /// Its number.
        id: QuotaId,
    },
    /// A quota grants nothing until then.
    QuotaPaused {
        /// Which count of it.
        instance: InstanceName,
        /// Until then.
        until: Elapsed,
    },
    /// A schedule was defined or changed.
    ScheduleSet {
        /// What it is.
        schedule: Arc<Schedule>,
        /// Its next firing.
        next: Option<Wall>,
    },
    /// A schedule was removed.
    ScheduleRemoved {
        /// Its name.
        name: Name,
    },
    /// A schedule was paused or resumed.
    SchedulePaused {
        /// Its name.
        name: Name,
        /// Whether it is paused.
        paused: bool,
        /// Its next firing.
        next: Option<Wall>,
    },
    /// A schedule fired. The task it submitted, if any, was admitted just before.
    ScheduleFired {
        /// Its name.
        name: Name,
        /// What came of it.
        fired: Fired,
        /// Its next firing.
        next: Option<Wall>,
    },
    /// A worker registered; its session is this event's position.
    Registered {
        /// The worker.
        name: Name,
        /// What it handles.
        kinds: Vec<KindId>,
    },
    /// A session ended: by goodbye, by a successor of the same name, or after long silence.
    Departed {
        /// The session.
        session: SessionId,
    },
    /// A session gets no new work.
    Drained {
        /// The session.
        session: SessionId,
        /// Who asked.
        by: Option<Name>,
    },
    /// A submission became a task.
    Admitted(Box<Admitted>),
    /// A submission joined a waiting task.
    Merged {
        /// The task.
        into: TaskId,
        /// The number that the submission drew.
        seq: TaskId,
        /// Its payload.
        payload: Payload,
        /// The priority and rank from now on.
        priority: u8,
        /// The better rank.
        rank: i64,
    },
    /// A waiting task joined another: both ids lead to the one that stays.
    Folded {
        /// The task that is no more.
        from: TaskId,
        /// The task that stands for both.
        into: TaskId,
        /// The priority from now on.
        priority: u8,
        /// The better rank.
        rank: i64,
    },
    /// A waiting task went from one place to another.
    Moved {
        /// The task.
        task: TaskId,
        /// Where it waits now.
        to: Stage,
        /// Its spot in the order.
        spot: Spot,
    },
    /// A dependency of a waiting task succeeded.
    DependencyMet {
        /// The task that waited.
        task: TaskId,
        /// What it waited for.
        on: TaskId,
    },
    /// The priority of a waiting task was raised.
    Bumped {
        /// The task.
        task: TaskId,
        /// The new priority.
        priority: u8,
        /// The new rank.
        rank: i64,
        /// Who asked.
        by: Option<Name>,
    },
    /// Something is held, or not any more.
    HoldSet {
        /// What.
        what: HoldTarget,
        /// Whether it is held.
        held: bool,
        /// Who asked.
        by: Option<Name>,
    },
    /// Units of quotas were set aside for a throttled task.
    SetAside {
        /// The task.
        task: TaskId,
        /// From which counts, and how many.
        charges: Charges,
    },
    /// A task was handed to a worker: a run began, and this position is its token's.
    Started(Box<Started>),
    /// The first beat of a run after the namespace was opened.
    Beaten {
        /// The run.
        token: Token,
    },
    /// Units that a run used of its own budget, and the slice it has from now on.
    BudgetUsed {
        /// The run.
        token: Token,
        /// Which quota.
        quota: QuotaId,
        /// Units used since the last report.
        used: u64,
        /// Units added to the slice.
        added: u64,
    },
    /// Units granted to a run through the server.
    PermitGranted {
        /// The run.
        token: Token,
        /// Which count.
        instance: InstanceName,
        /// Units.
        units: u64,
    },
    /// Units given back by a run: they occupy their windows from now.
    PermitDropped {
        /// The run.
        token: Token,
        /// Which count.
        instance: InstanceName,
        /// Units.
        units: u64,
    },
    /// A run was asked to stop.
    StopAsked {
        /// The run.
        token: Token,
        /// Its task.
        task: TaskId,
        /// Why.
        why: StopWhy,
        /// Who asked.
        by: Option<Name>,
    },
    /// A running task gets no further run.
    LastRun {
        /// The task.
        task: TaskId,
        /// The submission that cancelled it.
        by: TaskId,
    },
    /// A run ended.
    RunEnded(Box<RunEnded>),
    /// A waiting task ended.
    Ended {
        /// The task.
        task: TaskId,
        /// How.
        outcome: Outcome,
        /// Why.
        why: EndWhy,
        /// How long it stays in the history.
        keep_ms: u64,
    },
    /// Something that concerns many tasks took effect; they are moved in slices.
    SweepBegun {
        /// Its number.
        id: u64,
        /// What it does.
        sweep: Sweep,
    },
    /// A slice of a sweep is done: tasks up to here were looked at.
    SweepMoved {
        /// Its number.
        id: u64,
        /// Go on after this one.
        cursor: (KindId, TaskId),
    },
    /// A sweep is done.
    SweepEnded {
        /// Its number.
        id: u64,
    },
    /// Tasks were admitted together.
    GroupFormed {
        /// The group.
        id: GroupId,
        /// Its tasks, in order of the items.
        tasks: Vec<TaskId>,
    },
    /// The answer to a request with an idempotency key.
    Remembered {
        /// The key.
        key: Name,
        /// A digest of the request.
        digest: u64,
        /// The answers, and whether each submission was coalesced.
        reports: Vec<(Report, bool)>,
        /// The group, if one was formed.
        group: Option<GroupId>,
    },
}

/// A new task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Admitted {
    /// Its id.
    pub task: TaskId,
    /// Its kind.
    pub kind: KindId,
    /// Its claims, frozen.
    pub claims: SmallVec<[(ResourceName, Op); 1]>,
    /// Its payload.
    pub payload: Payload,
    /// Its priority.
    pub priority: u8,
    /// Its key.
    pub key: Option<Name>,
    /// Whether it takes part in coalescing.
    pub coalesces: bool,
    /// Not to start before.
    pub due: Option<Wall>,
    /// Given up if not started by then.
    pub start_by: Option<Wall>,
    /// Tasks that must succeed first and have not yet.
    pub after: Vec<TaskId>,
    /// Held from the start.
    pub hold: bool,
    /// Words to find it by.
    pub tags: Vec<Name>,
    /// The group it belongs to.
    pub group: Option<GroupId>,
    /// The task whose run submitted it.
    pub parent: Option<TaskId>,
    /// The schedule that submitted it.
    pub schedule: Option<Name>,
    /// The task that it repeats.
    pub retry_of: Option<TaskId>,
    /// The caller's trace context.
    pub trace: Option<Box<str>>,
    /// The verdict at submission.
    pub verdict: Verdict,
    /// Where it waits.
    pub to: Stage,
    /// Its spot in the order.
    pub spot: Spot,
}

/// A spot in the total order of a namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spot {
    /// When the task last became possible.
    pub since: Elapsed,
    /// `since − priority × step`, or the floor of a lifecycle task. Lower goes first.
    pub rank: i64,
    /// Breaks ties; drawn on each arrival.
    pub place: u64,
}

/// Where a task is. It is in exactly one of these, and this is the only record of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Waits for tasks to succeed.
    Dependent,
    /// Waits for its due time.
    Scheduled {
        /// Until then.
        until: Wall,
    },
    /// Waits so that more can join it.
    Gathering {
        /// Until then.
        until: Elapsed,
    },
    /// Waits for the next try.
    Retrying {
        /// Until then.
        until: Wall,
    },
    /// Kept from starting by a hold on it, its kind, a resource or the namespace.
    Held,
    /// Its kind has no live worker.
    NoWorker,
    /// Waits outside its lines behind lifecycle tasks, one entry per claim concerned.
    Outside(SmallVec<[Behind; 1]>),
    /// Stands in its lines.
    InLine,
    /// Waits in the queue of a quota.
    Throttled {
        /// Which count.
        instance: InstanceName,
    },
    /// A run of it is live.
    Running {
        /// The run.
        token: Token,
    },
}

impl Stage {
    /// The words for all of them, by number.
    pub const WORDS: [&'static str; 10] = [
        "dependent",
        "scheduled",
        "gathering",
        "retrying",
        "held",
        "no_worker",
        "behind",
        "in_line",
        "throttled",
        "running",
    ];

    /// In a word.
    pub fn word(&self) -> &'static str {
        Self::WORDS[self.number()]
    }

    /// Which of them it is.
    pub(crate) fn number(&self) -> usize {
        match self {
            Stage::Dependent => 0,
            Stage::Scheduled { .. } => 1,
            Stage::Gathering { .. } => 2,
            Stage::Retrying { .. } => 3,
            Stage::Held => 4,
            Stage::NoWorker => 5,
            Stage::Outside(_) => 6,
            Stage::InLine => 7,
            Stage::Throttled { .. } => 8,
            Stage::Running { .. } => 9,
        }
    }
}

/// What a task waits behind on one of its claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Behind {
    /// Index of the claim.
    pub claim: u8,
    /// Where in the resource's order: the arrival of the lifecycle task it is behind.
    pub arrival: u64,
    /// It came back behind a pending delete.
    pub doomed: bool,
}

/// One count of a quota: the quota, and the resource if it is per resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct InstanceName {
    /// The quota.
    pub quota: QuotaId,
    /// The resource.
    pub resource: Option<ResourceName>,
}

/// Units by count, in the order in which the kind names its quotas.
pub type Charges = SmallVec<[(InstanceName, u32); 1]>;

/// A run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// The task.
    pub task: TaskId,
    /// Who runs it.
    pub session: SessionId,
    /// Which take of the session it answers.
    pub take: u64,
    /// The length of its lease.
    pub lease_ms: u64,
    /// Units taken for the start.
    pub charges: Charges,
    /// Units handed to the run to spend by itself.
    pub budgets: SmallVec<[(InstanceName, u64); 1]>,
}

/// A run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnded {
    /// The run.
    pub token: Token,
    /// Its task.
    pub task: TaskId,
    /// How.
    pub how: RunEnd,
    /// What becomes of the task.
    pub then: Then,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunEnd {
    /// The worker reported success.
    Succeeded {
        /// For the submitter to read.
        result: Payload,
    },
    /// The worker reported a failure.
    Failed {
        /// What went wrong.
        error: RunError,
    },
    /// The worker gave it back.
    Released,
    /// The hand-out could not be delivered.
    Returned,
    /// The lease ended, or another process took over.
    Lost,
    /// It was told to stop, and did or ran out of lease.
    Stopped {
        /// Why.
        why: StopWhy,
        /// It ran out of lease.
        lost: bool,
    },
}

/// What becomes of a task whose run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Then {
    /// It has ended.
    Done {
        /// How.
        outcome: Outcome,
        /// Why.
        why: EndWhy,
        /// How long it stays in the history.
        keep_ms: u64,
    },
    /// It waits again.
    Wait {
        /// Where.
        to: Stage,
        /// Its spot in the order.
        spot: Spot,
    },
}

impl Then {
    /// What the worker is told.
    pub fn answer(&self) -> Finished {
        match self {
            Then::Done { outcome, .. } => Finished::Ended(*outcome),
            Then::Wait {
                to: Stage::Retrying { until },
                ..
            } => Finished::Retrying(*until),
            Then::Wait { .. } => Finished::Waiting,
        }
    }
}

/// Why a task ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndWhy {
    /// A run succeeded.
    Success,
    /// A run failed, and there is no next try.
    Failure {
        /// What went wrong in the last run.
        error: RunError,
    },
    /// Its workers were lost too often, or once if the kind says so.
    WorkerLost,
    /// It ran longer than its kind allows, and there is no next try.
    RanTooLong,
    /// Somebody cancelled it.
    Asked {
        /// Who.
        by: Option<Name>,
    },
    /// It did not start in time.
    NotStartedInTime,
    /// A delete of a resource it claims succeeded.
    ResourceDeleted {
        /// The resource.
        resource: ResourceName,
        /// The delete.
        by: TaskId,
    },
    /// A create of a resource it claims did not succeed.
    ResourceNotCreated {
        /// The resource.
        resource: ResourceName,
        /// The create.
        by: TaskId,
    },
    /// A task it depends on did not succeed.
    DependencyFailed {
        /// That task.
        on: TaskId,
    },
    /// When it came to join, the future of a resource was decided against it.
    FutureDecided {
        /// The resource.
        resource: ResourceName,
        /// The lifecycle task that decided it.
        by: TaskId,
    },
    /// A submission of a kind that cancels its kind came after it.
    CancelledBy {
        /// That submission's task.
        by: TaskId,
    },
}

/// What came of a firing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fired {
    /// It submitted this task.
    Submitted {
        /// The task.
        task: TaskId,
        /// The verdict.
        verdict: Verdict,
    },
    /// Its last task is still live.
    StillLive {
        /// That task.
        task: TaskId,
    },
    /// The submission was refused or rejected; the code says how.
    NotAdmitted {
        /// A refusal's code, or `rejected`.
        code: Box<str>,
    },
}

/// Something that concerns many tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sweep {
    /// Cancels the waiting tasks on a resource with `after < id < before`, of these kinds or of all.
    CancelOnResource {
        /// The resource.
        resource: ResourceName,
        /// Only these kinds; empty for all.
        kinds: Vec<KindId>,
        /// Tasks after this one …
        after: TaskId,
        /// … and before this one.
        before: TaskId,
        /// Leave lifecycle creates alone.
        spare_creates: bool,
        /// The reason they get.
        why: EndWhy,
    },
    /// Tells the tasks that depend on one that it ended.
    Dependents {
        /// The task that ended.
        of: TaskId,
        /// Whether it succeeded.
        succeeded: bool,
    },
    /// Cancels the tasks of a group.
    CancelGroup {
        /// The group.
        group: GroupId,
        /// Who asked.
        by: Option<Name>,
    },
    /// Looks at the waiting tasks of a kind, resource or the namespace anew: are they held, has
    /// their kind a worker?
    Reroute {
        /// Which tasks.
        what: HoldTarget,
    },
}

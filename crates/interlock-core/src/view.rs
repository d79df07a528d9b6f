//! Views: what people and machines may see of the state. All derived, nothing stored.

mod check;
mod explain;
mod line;
mod list;
mod names;
mod resource;
mod rows;
mod task;
mod worker;

pub use list::{TaskFilter, TaskPage};

use crate::command::Progress;
use crate::reply::Reason;
use crate::row::PastRun;
use crate::words::{
    Claim, Elapsed, GroupId, Kind, Limit, Name, Outcome, Payload, ResourceName, SessionId, TaskId,
    Token, Wall,
};
use std::sync::Arc;

/// A task as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskView {
    /// The task; another id than asked for if it was folded into another task.
    pub task: TaskId,
    /// Its kind.
    pub kind: Name,
    /// Its claims, with their operations.
    pub claims: Vec<Claim>,
    /// Its priority.
    pub priority: u8,
    /// Its state.
    pub state: TaskState,
    /// Why it waits, nearest causes first; empty while it runs.
    pub reasons: Vec<Reason>,
    /// How many submissions it stands for.
    pub stands_for: u64,
    /// Failed runs so far.
    pub tries: u32,
    /// Lost runs so far.
    pub losses: u32,
    /// When it was submitted.
    pub submitted: Wall,
    /// Tells it apart from what is otherwise the same.
    pub key: Option<Name>,
    /// What was submitted.
    pub payload: Payload,
    /// Runs that ended, oldest first.
    pub runs: Vec<PastRun>,
    /// Words to find it by.
    pub tags: Vec<Name>,
    /// The group it belongs to.
    pub group: Option<GroupId>,
    /// The task whose run submitted it.
    pub parent: Option<TaskId>,
    /// The schedule that submitted it.
    pub schedule: Option<Name>,
    /// The finished task that it repeats at an operator's wish.
    pub retry_of: Option<TaskId>,
}

/// The state of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// Not running; the reasons say why.
    Waiting,
    /// A run is live.
    Running {
        /// The run.
        token: Token,
        /// Who runs it.
        worker: Name,
        /// For how long.
        running_ms: u64,
        /// When its lease ends unless it is renewed.
        lease_ends: Elapsed,
        /// How far it is.
        progress: Option<Progress>,
        /// It was told to stop.
        stopping: bool,
    },
}

/// What is known of an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A live task.
    Live(Box<TaskView>),
    /// It ended not long ago; the history has the rest.
    Ended(Outcome),
    /// Never admitted, or ended too long ago to be known here.
    Unknown,
}

/// What is known of an id, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It waits.
    Waiting,
    /// It runs.
    Running,
    /// It ended not long ago.
    Ended(Outcome),
    /// Never admitted, or ended too long ago to be known here.
    Unknown,
}

/// Why a task is not running, with the causes of the causes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The task.
    pub task: TaskId,
    /// Whether it runs.
    pub running: bool,
    /// The causes, nearest first; empty if it runs.
    pub causes: Vec<Cause>,
    /// Its place in each line it stands in: tasks that conflict with it and go first.
    pub places: Vec<PlaceInLine>,
}

/// One cause, and why the task behind it is not done yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The cause.
    pub reason: Reason,
    /// The explanation of the task that it names.
    pub then: Option<Box<Explanation>>,
}

/// A place in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceInLine {
    /// The resource.
    pub resource: ResourceName,
    /// Tasks ahead that conflict with it.
    pub ahead: usize,
    /// There are more than were counted.
    pub at_least: bool,
}

/// A resource as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceView {
    /// The resource.
    pub resource: ResourceName,
    /// In one word.
    pub state: ResourceState,
    /// Whether somebody holds it.
    pub held: bool,
    /// The runs that hold it.
    pub holders: Vec<TaskId>,
    /// Its line in order, as far as it is shown.
    pub line: Vec<TaskId>,
    /// Pending lifecycle tasks, in order.
    pub barriers: Vec<TaskId>,
    /// Those that wait outside behind the barriers, in order, as far as they are shown.
    pub outside: Vec<TaskId>,
    /// All tasks that wait and claim it.
    pub waiting: u64,
    /// Its quotas.
    pub quotas: Vec<QuotaView>,
}

/// A resource that somebody waits for, at a glance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineView {
    /// The resource.
    pub resource: ResourceName,
    /// In one word.
    pub state: ResourceState,
    /// Runs that hold it.
    pub running: u64,
    /// All tasks that wait and claim it.
    pub waiting: u64,
    /// The first of the runs that hold it.
    pub holder: Option<TaskId>,
    /// Who is next: the first in line, or outside of it, or any that waits if nobody is in either.
    pub first: Option<TaskId>,
}

/// A resource in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// One count of a quota as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaView {
    /// The quota.
    pub quota: Name,
    /// The resource, for a quota per resource.
    pub resource: Option<ResourceName>,
    /// Each limit with the units in use.
    pub limits: Vec<LimitView>,
    /// Units that live runs have been given and that were neither used nor given back, as far as is
    /// known.
    pub lent: u64,
    /// Tasks that wait for units.
    pub waiting: u64,
    /// When the first of them goes on, if only time stands in the way.
    pub next: Option<Elapsed>,
    /// Nothing is granted until then.
    pub paused_until: Option<Elapsed>,
}

/// One limit of a quota as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitView {
    /// The limit.
    pub limit: Limit,
    /// Units in use, those that are lent included.
    pub used: u64,
    /// When all of it is free again if nothing more is used; `None` if all of it is, or if a run has
    /// to end first.
    pub resets: Option<Elapsed>,
    /// When the oldest of them come free, for a window.
    pub frees: Option<Elapsed>,
}

/// A worker's current session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerView {
    /// Its name.
    pub name: Name,
    /// Its session.
    pub session: SessionId,
    /// The kinds it handles.
    pub kinds: Vec<Name>,
    /// Its live runs.
    pub running: Vec<TaskId>,
    /// It lost a run and must register again.
    pub lost: bool,
    /// It gets no new work.
    pub draining: bool,
    /// It waits for work right now, and can run so many tasks at once.
    pub at_once: Option<u64>,
    /// When it was last heard of.
    pub heard: Option<Elapsed>,
}

/// A kind as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindView {
    /// Its policy.
    pub kind: Arc<Kind>,
    /// Whether somebody holds it.
    pub held: bool,
    /// Whether it has a worker, or had one within a lease.
    pub staffed: bool,
    /// Tasks that run.
    pub running: u64,
    /// Tasks that wait.
    pub waiting: u64,
    /// When the oldest of those that wait was submitted.
    pub oldest: Option<Wall>,
}

/// Where to go on in a list of resources. Means nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceIndex(pub u32);

/// A schedule as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleView {
    /// Its name.
    pub name: Name,
    /// Whether it is paused.
    pub paused: bool,
    /// When it last fired.
    pub last: Option<Wall>,
    /// What came of it.
    pub last_fired: Option<crate::event::Fired>,
    /// When it fires next.
    pub next: Option<Wall>,
    /// Its live task.
    pub live: Option<TaskId>,
    /// How many times it has fired.
    pub fired: u64,
}

/// A group as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupView {
    /// The group.
    pub group: GroupId,
    /// Its tasks, each with its outcome once it ended.
    pub tasks: Vec<(TaskId, Option<Outcome>)>,
}

/// How many of what there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tasks that wait.
    pub waiting: u64,
    /// Tasks that run.
    pub running: u64,
    /// Resources that are claimed, held or metered.
    pub resources: u64,
    /// Sessions.
    pub sessions: u64,
    /// Takes that are parked.
    pub parked_takes: u64,
}

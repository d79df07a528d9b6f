//! The rows of the ledger.

use interlock_core::event::{Fired, InstanceName, Spot, Stage};
use interlock_core::reply::StopWhy;
use interlock_core::words::{
    Elapsed, Kind, KindId, Name, Now, Op, Outcome, Payload, ResourceName, Schedule, SessionId,
    TaskId, Token, Wall,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A kind.
#[derive(Clone, Debug)]
pub struct KindRow {
    /// Its policy.
    pub kind: Arc<Kind>,
    /// Whether it has a worker, as the log says.
    pub staffed: bool,
    /// Tasks of it in line, best first.
    pub line: BTreeMap<(i64, u64), TaskId>,
    /// How often its policy was set.
    pub version: u32,
}

/// One submission that a task stands for.
#[derive(Clone, Debug)]
pub struct SubmissionRow {
    /// Its number.
    pub seq: TaskId,
    /// Not to be satisfied before.
    pub due: Option<Wall>,
}

/// A live task.
#[derive(Clone, Debug)]
pub struct TaskRow {
    /// Its id.
    pub id: TaskId,
    /// Its kind.
    pub kind: KindId,
    /// Its claims.
    pub claims: Vec<(ResourceName, Op)>,
    /// Its priority.
    pub priority: u8,
    /// Its key.
    pub key: Option<Name>,
    /// Whether it takes part in coalescing.
    pub coalesces: bool,
    /// Given up if not started by then.
    pub start_by: Option<Wall>,
    /// All its dependencies.
    pub after: Vec<TaskId>,
    /// Those that have not succeeded yet.
    pub unmet: BTreeSet<TaskId>,
    /// Held by itself.
    pub held: bool,
    /// Its parent.
    pub parent: Option<TaskId>,
    /// The schedule it came from.
    pub schedule: Option<Name>,
    /// Where it is.
    pub stage: Stage,
    /// Its spot.
    pub spot: Spot,
    /// Its spot when its run began.
    pub spot_of_run: Spot,
    /// Whether it was ever tested against the future of its resources.
    pub tested: bool,
    /// Whether it ever stood in line or outside it.
    pub arrived: bool,
    /// Whether it ever stood in line.
    pub stood: bool,
    /// Whether it stands in line or outside it, or runs.
    pub visiting: bool,
    /// By claim, where in the order of the resource it came, this time; a lifecycle task comes only
    /// once to what it decides over.
    pub came: Vec<u64>,
    /// The same, but a doomed task is let in right behind the delete that dooms it.
    pub let_in: Vec<u64>,
    /// What it stands for, in order of submission.
    pub submissions: Vec<SubmissionRow>,
    /// Failed runs.
    pub tries: u32,
    /// Lost runs.
    pub losses: u32,
    /// Runs, of any end.
    pub runs: u32,
    /// When the first run of its retry window began.
    pub window_start: Option<Wall>,
    /// When it last failed.
    pub last_failure: Option<Wall>,
    /// The submission that denied it any further run.
    pub last_run_by: Option<TaskId>,
    /// Units are set aside for it.
    pub set_aside: bool,
    /// Which.
    pub aside: Vec<(InstanceName, u32)>,
    /// The payload that its next run shall see, as far as the observer can tell.
    pub payload: Option<Payload>,
    /// When it came to where it is.
    pub moved: Now,
}

impl TaskRow {
    /// Whether a run of it is live.
    pub fn is_running(&self) -> bool {
        matches!(self.stage, Stage::Running { .. })
    }

    /// Where it stands in the total order.
    pub fn order(&self) -> (i64, u64) {
        (self.spot.rank, self.spot.place)
    }

    /// Where in the order of a resource it came.
    pub fn came_to(&self, resource: &ResourceName) -> u64 {
        self.place_in(&self.came, resource)
    }

    /// Where in the order of a resource it may be let in at the earliest.
    pub fn let_in_to(&self, resource: &ResourceName) -> u64 {
        self.place_in(&self.let_in, resource)
    }

    fn place_in(&self, places: &[u64], resource: &ResourceName) -> u64 {
        let claim = self
            .claims
            .iter()
            .position(|(claimed, _)| claimed == resource);
        claim
            .and_then(|claim| places.get(claim))
            .copied()
            .unwrap_or(self.spot.place)
    }

    /// What it does to a resource.
    pub fn op_on(&self, resource: &ResourceName) -> Option<Op> {
        self.claims
            .iter()
            .find(|(claimed, _)| claimed == resource)
            .map(|(_, op)| *op)
    }

    /// Whether it decides the future of any resource.
    pub fn is_lifecycle(&self) -> bool {
        self.claims.iter().any(|(_, op)| op.is_lifecycle())
    }

    /// Whether both are the same in the sense of coalescing.
    pub fn same_as(&self, other: &TaskRow) -> bool {
        self.coalesces
            && other.coalesces
            && self.kind == other.kind
            && self.key == other.key
            && self.claims == other.claims
    }
}

/// A task that has ended.
#[derive(Clone, Debug)]
pub struct EndedRow {
    /// How.
    pub outcome: Outcome,
    /// When.
    pub at: Now,
    /// The number of the last submission that it stood for.
    pub last_joined: TaskId,
    /// Its claims.
    pub claims: Vec<(ResourceName, Op)>,
}

/// A run; kept after it ended.
#[derive(Clone, Debug)]
pub struct RunRow {
    /// Its task.
    pub task: TaskId,
    /// Who runs it.
    pub session: SessionId,
    /// Which take it answers.
    pub take: u64,
    /// Its lease.
    pub lease_ms: u64,
    /// When it began.
    pub started: Now,
    /// How many submissions its task stood for then.
    pub covers: usize,
    /// When its lease ends, as the observer reckons.
    pub deadline: Elapsed,
    /// The recovery that granted it a fresh lease, unless it has beaten since.
    pub granted_at_open: Option<Elapsed>,
    /// When it was told to stop, and why.
    pub stop: Option<(StopWhy, Elapsed)>,
    /// Units that its start took.
    pub charges: Vec<(InstanceName, u32)>,
    /// Units it may spend by itself and has not reported.
    pub slices: BTreeMap<InstanceName, u64>,
    /// Permits it holds.
    pub permits: BTreeMap<InstanceName, u64>,
    /// Whether it has ended.
    pub ended: bool,
}

/// A session.
#[derive(Clone, Debug)]
pub struct SessionRow {
    /// The worker's name.
    pub name: Name,
    /// What it handles.
    pub kinds: Vec<KindId>,
    /// It lost a run.
    pub lost: bool,
    /// It gets no new work.
    pub drained: bool,
    /// Its live runs.
    pub runs: BTreeSet<Token>,
    /// When it was last heard.
    pub heard: Elapsed,
    /// The take that is parked: number, until when.
    pub parked: Option<(u64, Elapsed)>,
}

/// A schedule.
#[derive(Clone, Debug)]
pub struct ScheduleRow {
    /// What it is.
    pub schedule: Arc<Schedule>,
    /// Whether it is paused.
    pub paused: bool,
    /// Its next firing.
    pub next: Option<Wall>,
    /// What came of the last one.
    pub last: Option<(Now, Fired)>,
    /// Firings since it was set.
    pub fired: u64,
}

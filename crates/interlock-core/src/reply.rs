//! Replies: what a caller is told, once everything decided before it is committed.

use crate::command::{HoldTarget, Progress};
use crate::event::Record;
use crate::refusal::Refusal;
use crate::words::{
    Claim, Elapsed, GroupId, Limit, Name, Op, Outcome, Payload, ResourceName, SessionId, TaskId,
    Token, Wall,
};
use serde::{Deserialize, Serialize};

/// The outcome of one decision.
#[derive(Clone, Debug)]
pub struct Decision {
    /// What to append to the log; `None` if nothing changed.
    pub record: Option<Record>,
    /// The answer to the command.
    pub reply: Reply,
    /// Answers to takes that were parked by earlier commands.
    pub wakes: Vec<Wake>,
    /// Work begun in slices is left: send a `Tick` soon.
    pub more: bool,
}

/// The answer to a take that was parked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wake {
    /// Whose take.
    pub session: SessionId,
    /// Which take.
    pub number: u64,
    /// What it gets; empty if its time is up.
    pub taken: Taken,
}

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Done, and there is nothing to say.
    Done,
    /// Refused; nothing was changed.
    Refused(Refusal),
    /// One answer per item.
    Submitted {
        /// One per item, in order.
        answers: Vec<Answer>,
        /// The group, if one was formed.
        group: Option<GroupId>,
    },
    /// Welcome.
    Registered {
        /// The new session.
        session: SessionId,
    },
    /// Tasks, or none because the worker is draining.
    Taken(Taken),
    /// Nothing to do yet; a [`Wake`] follows.
    Parked {
        /// The answers to the finishes that the take carried.
        finished: Vec<Result<Finished, Refusal>>,
    },
    /// One answer per run named.
    Beaten(Vec<Beaten>),
    /// One answer per finish.
    Finished(Vec<Result<Finished, Refusal>>),
    /// Units were granted, or when to ask again.
    Spent(Spending),
    /// The task is cancelled, or its worker is being told.
    Cancelling {
        /// Whether it still runs.
        running: bool,
    },
}

/// The answer to a take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// The tasks handed out.
    pub hand_outs: Vec<HandOut>,
    /// The answers to the finishes that the take carried.
    pub finished: Vec<Result<Finished, Refusal>>,
    /// The worker shall take no more and leave.
    pub draining: bool,
}

/// A task in the hands of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandOut {
    /// Names and fences the run; every later call carries it.
    pub token: Token,
    /// The task.
    pub task: TaskId,
    /// Its kind.
    pub kind: Name,
    /// Its claims, with their operations.
    pub claims: Vec<Claim>,
    /// What was submitted.
    pub payload: Payload,
    /// How many submissions this run satisfies.
    pub stands_for: u64,
    /// 1 for the first run. A run that was released or returned is not counted.
    pub attempt: u32,
    /// The length of the lease, to be counted from the sending of the take.
    pub lease_ms: u64,
    /// The run is told to stop after this.
    pub run_within_ms: Option<u64>,
    /// Quotas that the run spends by itself.
    pub budgets: Vec<Budget>,
    /// The submitter's trace context.
    pub trace: Option<Box<str>>,
}

/// A quota that a run spends by itself, since it alone holds the resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The quota.
    pub quota: Name,
    /// Its limits, to be kept locally.
    pub limits: Vec<Limit>,
    /// Units the run may use before it hears of more.
    pub slice: u64,
    /// Recent use, by window of `limits` in order: how long ago, and units. Counts against the
    /// limits until it is as old as the window is long.
    pub recent: Vec<Vec<(u64, u64)>>,
    /// Nothing may be spent for this long.
    pub paused_ms: u64,
}

/// The answer for one run of a beat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beaten {
    /// The run.
    pub token: Token,
    /// What the worker shall do.
    pub order: Order,
    /// News of its budgets: quota, units added to the slice, pause.
    pub budgets: Vec<BudgetNews>,
}

/// What a worker shall do with a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Go on: the lease counts anew from the sending of the beat.
    GoOn,
    /// Stop soon: the lease was renewed, but will not be for long.
    Stop(StopWhy),
    /// Stop: the lease is not renewed any more.
    Ending(StopWhy),
    /// The run is not yours any more. Drop everything.
    Gone,
}

/// Why a run shall stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopWhy {
    /// Somebody cancelled it.
    Cancelled,
    /// It has run longer than its kind allows.
    TooLong,
}

/// News of a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetNews {
    /// The quota.
    pub quota: Name,
    /// Units that the slice now has, unreported use included.
    pub slice: u64,
    /// Nothing may be spent for this long.
    pub paused_ms: u64,
}

/// The answer to a finish. Repeating the finish gets the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finished {
    /// The task has ended.
    Ended(Outcome),
    /// It will be tried again at this time.
    Retrying(Wall),
    /// It is back in its place.
    Waiting,
}

/// The answer to a spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spending {
    /// The units are the run's until it gives the permit back.
    Granted,
    /// Not now; ask again after this long.
    Wait {
        /// How long.
        wait_ms: u64,
    },
}

/// The answer to one submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It became a task.
    Admitted(Report),
    /// It joined a task that was waiting.
    Coalesced(Report),
    /// It can never run, or would have to wait and must not.
    Rejected {
        /// Why.
        reasons: Vec<Reason>,
    },
    /// It breaks a rule of form or a cap.
    Refused(Refusal),
}

/// What became of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The task; `None` in a dry run of something that would become a new task.
    pub task: Option<TaskId>,
    /// Whether anything stands in its way.
    pub verdict: Verdict,
    /// What, at most eight.
    pub reasons: Vec<Reason>,
    /// How many tasks stand in each of its lines and wait behind its barriers.
    pub lines: Vec<LineLength>,
    /// How many submissions the task stands for.
    pub stands_for: u64,
    /// This is the answer to an earlier request with the same idempotency key.
    pub repeated: bool,
}

/// Whether anything stands in the way of a task that was let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Nothing: the next free worker gets it.
    Accepted,
    /// Something; the reasons say what.
    Postponed,
}

/// The length of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineLength {
    /// The resource.
    pub resource: ResourceName,
    /// Tasks in line or outside it behind a barrier, this one included.
    pub waiting: u64,
}

/// Why a task is not running, or can never run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// It is not due.
    Scheduled {
        /// Until then.
        until: Wall,
    },
    /// It waits a moment so that more can join it.
    Gathering {
        /// Until then.
        until: Elapsed,
    },
    /// It failed and waits for the next try.
    Retrying {
        /// Until then.
        until: Wall,
        /// Failed runs so far.
        tries: u32,
    },
    /// A conflicting run holds the resource.
    HeldBy {
        /// The resource.
        resource: ResourceName,
        /// The holder.
        by: Brief,
    },
    /// A conflicting task is ahead in line.
    Ahead {
        /// The resource.
        resource: ResourceName,
        /// The task ahead.
        by: Brief,
    },
    /// It waits outside for a lifecycle task to end.
    Behind {
        /// The resource.
        resource: ResourceName,
        /// The lifecycle task.
        by: Brief,
    },
    /// It came back behind a pending delete, and is cancelled if that succeeds.
    Doomed {
        /// The resource.
        resource: ResourceName,
        /// The delete.
        by: Brief,
    },
    /// The resource's future is decided: rejected.
    FutureDecided {
        /// The resource.
        resource: ResourceName,
        /// The lifecycle task that decides it.
        by: Brief,
        /// What that task does.
        op: Op,
    },
    /// An earlier item of the same group stands against it: rejected.
    EarlierItem {
        /// The resource.
        resource: ResourceName,
        /// Index of that item.
        item: usize,
        /// What that item does.
        op: Op,
    },
    /// A quota has no units for it.
    Throttled {
        /// The quota.
        quota: Name,
        /// The resource, for a quota per resource.
        resource: Option<ResourceName>,
        /// When it will go on, if only time stands in the way.
        until: Option<Elapsed>,
    },
    /// A task it depends on has not succeeded yet.
    Dependent {
        /// That task.
        on: Brief,
    },
    /// A task it depends on did not succeed: rejected.
    DependencyFailed {
        /// That task.
        on: TaskId,
    },
    /// Somebody holds it.
    Held {
        /// What is held.
        what: HoldTarget,
    },
    /// No live worker handles its kind.
    NoWorker {
        /// The kind.
        kind: Name,
    },
    /// Nothing: it waits for the next free worker.
    Ready,
}

/// A task in a few words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brief {
    /// The task.
    pub task: TaskId,
    /// Its kind.
    pub kind: Name,
    /// The worker that runs it.
    pub worker: Option<Name>,
    /// How long it has been running.
    pub running_ms: Option<u64>,
    /// How far it is.
    pub progress: Option<Progress>,
}

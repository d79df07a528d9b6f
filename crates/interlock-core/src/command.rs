//! Commands: everything that can be asked of a namespace. One verb, one variant, one file in `decide`.

use crate::words::{
    GroupId, Kind, Name, Namespace, Payload, Quota, ResourceName, Schedule, SessionId, Submission,
    TaskId, Token,
};

/// Everything that can be asked of a namespace.
#[derive(Clone, Debug)]
pub enum Command {
    /// Nothing but the passing of time: timers fire, and work begun in slices goes on.
    Tick,
    /// Submits tasks.
    Submit(Submit),
    /// A worker starts.
    Register(Register),
    /// A worker asks for tasks.
    Take(Take),
    /// The answer to a take could not be delivered: its hand-outs go back to their places.
    ReturnTake {
        /// The session.
        session: SessionId,
        /// The take's number.
        number: u64,
    },
    /// A worker is alive and goes on with the runs that it names.
    Beat(Beat),
    /// A worker reports how runs ended.
    Finish {
        /// The session.
        session: SessionId,
        /// One per run.
        finishes: Vec<Finish>,
    },
    /// A run asks for units of a quota that it may not spend by itself.
    Spend(Spend),
    /// Somebody outside said "too many requests": the quota pauses for everyone.
    PauseQuota {
        /// The quota.
        quota: Name,
        /// The resource, for a quota per resource.
        resource: Option<ResourceName>,
        /// For how long from now; 0 ends a pause.
        for_ms: u64,
    },
    /// A worker leaves; what it still runs is released.
    Goodbye {
        /// The session.
        session: SessionId,
    },
    /// Calls a task off.
    Cancel {
        /// The task.
        task: TaskId,
        /// Needed if the task stands for several submissions.
        all: bool,
        /// Who asks.
        by: Option<Name>,
    },
    /// Calls off every task of a group.
    CancelGroup {
        /// The group.
        group: GroupId,
        /// Who asks.
        by: Option<Name>,
    },
    /// Raises the priority of a waiting task.
    Bump {
        /// The task.
        task: TaskId,
        /// The new priority, higher than the old one.
        priority: u8,
        /// Who asks.
        by: Option<Name>,
    },
    /// Keeps tasks from starting until released.
    Hold {
        /// What to hold.
        what: HoldTarget,
        /// Who asks.
        by: Option<Name>,
    },
    /// Ends a hold.
    Release {
        /// What to release.
        what: HoldTarget,
        /// Who asks.
        by: Option<Name>,
    },
    /// A worker gets no new work.
    Drain {
        /// The worker's name.
        worker: Name,
        /// Who asks.
        by: Option<Name>,
    },
    /// Registers a kind or changes its policy.
    SetKind(Box<Kind>),
    /// Removes a kind that has no tasks.
    RemoveKind(Name),
    /// Defines or changes a quota.
    SetQuota(Box<Quota>),
    /// Removes a quota that no kind names.
    RemoveQuota(Name),
    /// Defines or changes a schedule.
    SetSchedule(Box<Schedule>),
    /// Removes a schedule.
    RemoveSchedule(Name),
    /// Pauses or resumes a schedule.
    PauseSchedule {
        /// The schedule.
        name: Name,
        /// Whether it is to be paused.
        paused: bool,
    },
    /// Changes the namespace's settings.
    SetNamespace(Namespace),
}

/// What can be held.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum HoldTarget {
    /// One task.
    Task(TaskId),
    /// Every task that claims this resource.
    Resource(ResourceName),
    /// Every task of this kind.
    Kind(Name),
    /// Every task.
    Namespace,
}

/// Submits tasks.
#[derive(Clone, Debug)]
pub struct Submit {
    /// What is asked for.
    pub items: Vec<Submission>,
    /// All or none, and the items may wait for one another.
    pub group: bool,
    /// Only the verdicts; nothing changes. Not for groups.
    pub dry_run: bool,
}

/// A worker starts.
#[derive(Clone, Debug)]
pub struct Register {
    /// The worker's name.
    pub name: Name,
    /// The kinds it handles.
    pub kinds: Vec<Name>,
    /// The caller vouches that an older process of this name is dead.
    pub takeover: bool,
}

/// A worker asks for tasks.
#[derive(Clone, Debug)]
pub struct Take {
    /// The session.
    pub session: SessionId,
    /// Numbers the takes of a session, upwards. The last one may be repeated.
    pub number: u64,
    /// At most so many tasks.
    pub max: usize,
    /// How long to wait for the first one.
    pub wait_ms: u64,
    /// How the last runs ended.
    pub finishes: Vec<Finish>,
}

/// A worker is alive.
#[derive(Clone, Debug)]
pub struct Beat {
    /// The session.
    pub session: SessionId,
    /// The runs that go on. A run that is not named runs out.
    pub runs: Vec<BeatRun>,
}

/// One run that goes on.
#[derive(Clone, Debug)]
pub struct BeatRun {
    /// The run.
    pub token: Token,
    /// How far it is.
    pub progress: Option<Progress>,
    /// Units of its own budgets used since the last report.
    pub used: Vec<Used>,
    /// Permits given back, by quota.
    pub dropped: Vec<Used>,
}

/// Units of a quota.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// The quota.
    pub quota: Name,
    /// Units.
    pub units: u64,
}

/// How far a run is. The latest value only; never logged.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Progress {
    /// Units done.
    pub done: u64,
    /// Units in all, if known.
    pub total: Option<u64>,
    /// What is counted.
    pub unit: Box<str>,
    /// What it is doing.
    pub message: Box<str>,
}

/// How one run ended.
#[derive(Clone, Debug)]
pub struct Finish {
    /// The run.
    pub token: Token,
    /// How it ended.
    pub how: FinishHow,
    /// Units of its own budgets used since the last report.
    pub used: Vec<Used>,
}

/// How a worker says a run ended.
#[derive(Clone, Debug)]
pub enum FinishHow {
    /// It did what was asked.
    Succeed {
        /// For the submitter to read.
        result: Payload,
    },
    /// It did not.
    Fail {
        /// What went wrong.
        error: RunError,
        /// What the worker thinks of trying again.
        again: Again,
    },
    /// It gives the task back undone: not a failure.
    Release,
}

/// What went wrong in a run.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RunError {
    /// One line; failures are grouped by it.
    pub message: Box<str>,
    /// Whatever helps to find the cause.
    pub detail: Box<str>,
}

/// What the worker thinks of trying again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// As the kind says.
    AsKindSays,
    /// After this long.
    In(u64),
    /// Not at all.
    Never,
}

/// A run asks for units of a quota.
#[derive(Clone, Debug)]
pub struct Spend {
    /// The session.
    pub session: SessionId,
    /// The run.
    pub token: Token,
    /// The quota.
    pub quota: Name,
    /// How many units.
    pub units: u64,
}

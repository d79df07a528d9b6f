//! Timers that follow from hard state. Timers of soft state are in `soft`.

use crate::event::InstanceName;
use crate::words::{Elapsed, Name, TaskId, Wall};
use std::collections::BTreeSet;

/// A timer on the calendar clock.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WallTimer {
    /// A task is due, or its next try is.
    Due(TaskId),
    /// A task must have started.
    StartBy(TaskId),
    /// A schedule fires.
    Schedule(Name),
}

/// A timer on the boot-time clock.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ElapsedTimer {
    /// A flurry was gathered.
    Gathered(TaskId),
    /// A quota has room again.
    Quota(InstanceName),
}

/// All timers that follow from hard state, in order.
#[derive(Default)]
pub(crate) struct Timers {
    pub(crate) wall: BTreeSet<(Wall, WallTimer)>,
    pub(crate) elapsed: BTreeSet<(Elapsed, ElapsedTimer)>,
}

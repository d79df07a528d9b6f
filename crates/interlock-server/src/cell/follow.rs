//! What those who follow a namespace get to see.

use interlock_core::Record;
use interlock_core::command::Progress;
use interlock_core::words::TaskId;
use std::sync::Arc;

/// Something new.
#[derive(Clone, Debug)]
pub enum Followed {
    /// Events were committed.
    Committed(Arc<Committed>),
    /// A run is further. Not logged, and not repeated.
    Progress(Arc<ProgressNote>),
}

/// Events that were committed together.
#[derive(Debug)]
pub struct Committed {
    /// In order.
    pub records: Vec<Arc<Record>>,
}

/// How far a run is.
#[derive(Debug)]
pub struct ProgressNote {
    /// The task.
    pub task: TaskId,
    /// How far it is.
    pub progress: Progress,
}

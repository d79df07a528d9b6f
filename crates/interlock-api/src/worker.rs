//! Workers as they are shown.

use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A worker, by its current session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Worker {
    /// Its name.
    #[schema(example = "w1")]
    pub name: String,
    /// Its state, in one word.
    pub state: WorkerState,
    /// Its session: every start of it is a new one.
    pub session: u64,
    /// The kinds it handles.
    pub kinds: Vec<String>,
    /// The tasks it runs.
    pub running: Vec<u64>,
    /// How many tasks it can run at once, while it asks for more; none if it does not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_once: Option<u64>,
    /// When it was last heard of. A worker that asks for tasks may be silent while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard: Option<Time>,
}

/// A worker in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkerState {
    /// It waits for work right now.
    Idle,
    /// It runs something.
    Busy,
    /// It runs nothing and asks for nothing.
    Quiet,
    /// It gets no new work and leaves when it is done.
    Draining,
    /// It lost a run and must register again.
    Lost,
}

//! Which rows changed since they were last given out. Empty unless rows are tracked, which only
//! somebody who keeps them in a store asks for.

use crate::row::{EndedTask, RowKey};
use crate::words::{TaskId, Token};
use std::collections::BTreeSet;

/// What changed since the last time that somebody asked.
#[derive(Default)]
pub(crate) struct Touched {
    /// Somebody keeps rows.
    pub(crate) on: bool,
    /// Tasks that changed; a task knows by itself whether it is listed, and may have ended since.
    pub(crate) tasks: Vec<TaskId>,
    /// Tasks that have a row and are no more.
    pub(crate) gone: Vec<TaskId>,
    /// Runs that have a row.
    pub(crate) stored_runs: BTreeSet<Token>,
    /// Everything else that changed.
    pub(crate) others: BTreeSet<RowKey>,
    /// Tasks that ended.
    pub(crate) ended: Vec<EndedTask>,
}

impl Touched {
    /// A row changed, or is no more.
    pub(crate) fn touch(&mut self, key: impl FnOnce() -> RowKey) {
        if self.on {
            self.others.insert(key());
        }
    }

    /// A run is no more. One that never had a row leaves no trace.
    pub(crate) fn run_is_gone(&mut self, token: Token) {
        if self.stored_runs.remove(&token) {
            self.touch(|| RowKey::Run(token));
        } else {
            self.others.remove(&RowKey::Run(token));
        }
    }

    /// How many rows changed, about.
    pub(crate) fn len(&self) -> usize {
        self.tasks.len() + self.gone.len() + self.others.len()
    }
}

//! Which rows changed since they were last given out. Empty unless rows are tracked, which only
//! somebody who keeps them in a store asks for.

use crate::row::{Cut, EndedTask, RowKey};
use crate::words::{TaskId, Token};
use std::collections::BTreeSet;

/// What changed since the last time that somebody asked.
#[derive(Default)]
pub(crate) struct Touched {
    /// Somebody keeps rows.
    pub(crate) on: bool,
    /// What tasks that change now are marked with.
    pub(crate) since: Since,
    /// Tasks that changed; a task knows by itself whether it is listed, and may have ended since.
    pub(crate) tasks: Vec<TaskId>,
    /// How many of them have a row.
    pub(crate) replaced: usize,
    /// Tasks that have a row and are no more.
    pub(crate) gone: Vec<TaskId>,
    /// Runs that have a row.
    pub(crate) stored_runs: BTreeSet<Token>,
    /// Everything else that changed.
    pub(crate) others: BTreeSet<RowKey>,
    /// Tasks that ended.
    pub(crate) ended: Vec<EndedTask>,
    /// What is being given out.
    pub(crate) cut: Option<Cut>,
}

/// Since which cut a task has changed. There are two at most: the one that is being given out, and
/// the one that comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Since {
    /// Its row is as it was given out.
    #[default]
    Never,
    Even,
    Odd,
}

impl Since {
    /// What the cut after this one is marked with.
    pub(crate) fn next(self) -> Self {
        match self {
            Since::Odd => Since::Even,
            Since::Never | Since::Even => Since::Odd,
        }
    }
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

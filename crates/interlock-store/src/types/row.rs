//! Rows of the tables that the log is folded into, and the checkpoints that change them.

use std::borrow::Cow;
use std::sync::Arc;

use super::{HistoryRow, LogRecord, NamespaceId};

/// Which of the tables other than that of the tasks. The numbers are the caller's and are stored:
/// never use one again for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Table(pub u8);

/// The readable part of a task's row, for people with an SQL shell. The store gives it no meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Its kind.
    pub kind: Arc<str>,
    /// What it claims, as `type:id`.
    pub resources: Vec<Arc<str>>,
    /// Where it stands.
    pub stage: Cow<'static, str>,
    /// From 0 to 9.
    pub priority: u8,
    /// When it was submitted.
    pub submitted_ms: u64,
}

/// One change of the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowChange {
    /// Writes a task's row, whether or not there is one.
    PutTask {
        /// Its id.
        task: u64,
        /// What people see of it.
        shown: Shown,
        /// The task.
        body: Vec<u8>,
    },
    /// Deletes a task's row, if there is one.
    DeleteTask {
        /// Its id.
        task: u64,
    },
    /// Writes a row of another table, whether or not there is one.
    Put {
        /// Of which table.
        table: Table,
        /// Under which key.
        key: Vec<u8>,
        /// The row.
        body: Vec<u8>,
    },
    /// Deletes a row of another table, if there is one.
    Delete {
        /// Of which table.
        table: Table,
        /// Under which key.
        key: Vec<u8>,
    },
}

/// Folds the log of a namespace into its tables, up to a position. One transaction.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// Of which namespace.
    pub namespace: NamespaceId,
    /// With these changes the rows are exactly the fold of the log before this position. It may lie
    /// within a record.
    pub position: u64,
    /// What changed since the last checkpoint; of two changes of one row the later one counts.
    pub rows: Vec<RowChange>,
    /// Tasks that ended since. One that is in the history already is replaced, so the same rows may
    /// have been written ahead by [`record`](crate::Store::record).
    pub ended: Vec<HistoryRow>,
    /// Records that end at or before this are deleted; at most `position`.
    pub keep_log_from: u64,
}

/// What [`load`](crate::Store::load) hands out, in this order: rows, tasks, the position,
/// records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// A row of another table, in the order of tables and keys.
    Row {
        /// Of which table.
        table: Table,
        /// Under which key.
        key: Vec<u8>,
        /// The row.
        body: Vec<u8>,
    },
    /// A task's row, in the order of ids.
    Task {
        /// Its id.
        task: u64,
        /// The task.
        body: Vec<u8>,
    },
    /// The rows are the fold of the log before this position. Handed out once.
    Position(u64),
    /// A record that ends after the position. The first one may begin before it.
    Record(LogRecord),
}

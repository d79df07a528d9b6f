//! Rows: the hard state cut into pieces that a store keeps, so that recovery need not fold the log
//! from its beginning. [`Core::changes`](crate::Core::changes) gives what changed since it was last asked, exactly as of
//! the core's position; [`Restore`] makes a core of rows, and [`Core::replay`](crate::Core::replay) goes on from
//! there. The store sees keys and bytes only.

mod cut;
mod export;
mod restore;

pub(crate) use cut::Cut;
pub use restore::Restore;

use crate::event::{EndWhy, InstanceName, RunEnd};
use crate::words::{
    Claim, GroupId, KindId, Name, Namespace, Now, Outcome, Payload, QuotaId, ResourceName,
    SessionId, TaskId, Token, Wall,
};
use serde::{Deserialize, Serialize};

/// What kind of thing a row is about. Persisted numbers, never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Table {
    /// Counters and settings of the namespace: one row.
    Namespace = 1,
    /// Kinds.
    Kind = 2,
    /// Quotas.
    Quota = 3,
    /// Counts of quotas.
    Count = 4,
    /// Live tasks.
    Task = 5,
    /// Live runs.
    Run = 6,
    /// Worker sessions.
    Session = 7,
    /// Schedules.
    Schedule = 8,
    /// Groups with live tasks.
    Group = 9,
    /// Sweeps under way.
    Sweep = 10,
    /// Remembered answers.
    Remembered = 11,
    /// Resources that are held.
    Resource = 12,
    /// Outcomes of tasks that ended not long ago.
    Outcomes = 13,
}

impl Table {
    /// All of them, in the order in which they have to be restored: the tasks come last.
    pub const ALL: [Table; 13] = [
        Table::Namespace,
        Table::Kind,
        Table::Quota,
        Table::Count,
        Table::Run,
        Table::Session,
        Table::Schedule,
        Table::Group,
        Table::Sweep,
        Table::Remembered,
        Table::Resource,
        Table::Outcomes,
        Table::Task,
    ];

    /// The table with this number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|table| *table as u8 == number)
    }
}

/// One row that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What it is about.
    pub table: Table,
    /// Names it within its table.
    pub key: Vec<u8>,
    /// What it says now; `None` if it is no more.
    pub body: Option<Vec<u8>>,
    /// Of a task, a few words for people who look at the store.
    pub shown: Option<Shown>,
}

/// A task in a few words, for people who look at the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its kind.
    pub kind: Name,
    /// Its resources.
    pub resources: Vec<ResourceName>,
    /// Where it is, in a word.
    pub stage: &'static str,
    /// Its priority.
    pub priority: u8,
    /// When it was submitted.
    pub submitted: Wall,
}

/// A row that can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a row of table {table:?} can't be read: {why}")]
pub struct RowError {
    /// Which table.
    pub table: Table,
    /// What is wrong.
    pub why: String,
}

/// A task that has ended, for the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedTask {
    /// Its id.
    pub task: TaskId,
    /// Other ids that lead to it.
    pub aliases: Vec<TaskId>,
    /// Its kind.
    pub kind: Name,
    /// Its claims, with their operations.
    pub claims: Vec<Claim>,
    /// What was submitted.
    pub payload: Payload,
    /// Its priority.
    pub priority: u8,
    /// Its key.
    pub key: Option<Name>,
    /// Words to find it by.
    pub tags: Vec<Name>,
    /// The groups it belonged to.
    pub groups: Vec<GroupId>,
    /// The task whose run submitted it.
    pub parent: Option<TaskId>,
    /// The schedule that submitted it.
    pub schedule: Option<Name>,
    /// The task that it repeats.
    pub retry_of: Option<TaskId>,
    /// The caller's trace context.
    pub trace: Option<Box<str>>,
    /// How many submissions it stood for.
    pub stands_for: u64,
    /// Failed runs.
    pub tries: u32,
    /// Lost runs.
    pub losses: u32,
    /// When it was submitted.
    pub submitted: Wall,
    /// When it ended.
    pub ended: Wall,
    /// How.
    pub outcome: Outcome,
    /// Why.
    pub why: EndWhy,
    /// What the run left for the submitter.
    pub result: Payload,
    /// Its runs, oldest first; of very many the first and the last ones.
    pub runs: Vec<PastRun>,
    /// How long the history keeps it.
    pub keep_ms: u64,
}

/// A run that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastRun {
    /// Its token.
    pub token: Token,
    /// Who ran it, unless the worker had left.
    pub worker: Option<Name>,
    /// When it began.
    pub started: Wall,
    /// When it ended.
    pub ended: Wall,
    /// How; a result is kept with the task, not here.
    pub how: RunEnd,
}

/// Names a row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum RowKey {
    Kind(KindId),
    Quota(QuotaId),
    Count(InstanceName),
    Run(Token),
    Session(SessionId),
    Schedule(Name),
    Group(GroupId),
    Sweep(u64),
    Remembered(Name),
    Resource(ResourceName),
    Outcomes(u64),
}

impl RowKey {
    fn table(&self) -> Table {
        match self {
            RowKey::Kind(_) => Table::Kind,
            RowKey::Quota(_) => Table::Quota,
            RowKey::Count(_) => Table::Count,
            RowKey::Run(_) => Table::Run,
            RowKey::Session(_) => Table::Session,
            RowKey::Schedule(_) => Table::Schedule,
            RowKey::Group(_) => Table::Group,
            RowKey::Sweep(_) => Table::Sweep,
            RowKey::Remembered(_) => Table::Remembered,
            RowKey::Resource(_) => Table::Resource,
            RowKey::Outcomes(_) => Table::Outcomes,
        }
    }
}

/// Counters and settings.
#[derive(Debug, Serialize, Deserialize)]
struct NamespaceRow {
    now: Now,
    position: u64,
    generation: u32,
    next_task: u64,
    next_place: u64,
    next_sweep: u64,
    next_kind: u32,
    next_quota: u32,
    namespace: Namespace,
    hold: bool,
}

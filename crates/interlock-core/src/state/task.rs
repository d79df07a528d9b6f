//! A task as it is kept. What is rarely set stands apart, so that a plain waiting task is small.

use super::touched::Since;
use crate::command::RunError;
use crate::event::{Charges, Spot, Stage};
use crate::row::PastRun;
use crate::words::{GroupId, KindId, Name, Op, Payload, TaskId, Wall};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Number of a resource in the state's slab. Internal: never logged, never a reason to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ResourceIx(pub(crate) u32);

/// A claim with its resource found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FoundClaim {
    pub(crate) resource: ResourceIx,
    pub(crate) op: Op,
}

/// The claims of a task, sorted by name of the resource.
pub(crate) type FoundClaims = SmallVec<[FoundClaim; 2]>;

/// A spot in the total order of a namespace, with the task that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    pub(crate) rank: i64,
    pub(crate) place: u64,
    pub(crate) task: TaskId,
}

/// A live task.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) id: TaskId,
    pub(crate) kind: KindId,
    pub(crate) priority: u8,
    /// Takes part in coalescing.
    pub(crate) coalesces: bool,
    /// Held by itself (not by its kind, a resource or the namespace).
    pub(crate) hold: bool,
    /// Has passed the test against the futures of its resources once.
    pub(crate) arrived: bool,
    /// Has stood in line once. A lifecycle task keeps its spot from then on.
    pub(crate) joined: bool,
    /// Gets no further run.
    pub(crate) last_run: Option<TaskId>,
    pub(crate) claims: FoundClaims,
    pub(crate) payload: Payload,
    /// Number of the submission that brought the payload.
    pub(crate) payload_seq: TaskId,
    pub(crate) stage: Stage,
    pub(crate) spot: Spot,
    /// When it passed the test against the futures; a delete that came later dooms it.
    pub(crate) accepted: u64,
    /// When it came to its resources for the first time; orders the chain of lifecycle tasks.
    pub(crate) arrival: u64,
    pub(crate) stands_for: u32,
    pub(crate) tries: u32,
    pub(crate) losses: u32,
    pub(crate) submitted: Wall,
    pub(crate) extra: Option<Box<Extra>>,
    /// Derived: it is in the ready set of its kind.
    pub(crate) exposed: bool,
    /// Derived: the claim on whose resource it is watched, if any.
    pub(crate) watch: Option<u8>,
    /// Derived: since which cut it changed, if its row is still to be given out.
    pub(crate) touched: Since,
    /// Derived: it has a row.
    pub(crate) stored: bool,
}

/// What most tasks don't have.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Extra {
    pub(crate) key: Option<Name>,
    /// The due time of a task that waits for others first.
    pub(crate) due: Option<Wall>,
    pub(crate) start_by: Option<Wall>,
    /// Tasks that must still succeed first.
    pub(crate) after: Vec<TaskId>,
    pub(crate) tags: Vec<Name>,
    /// Groups it belongs to: more than one if submissions of several were merged into it.
    pub(crate) groups: Vec<GroupId>,
    pub(crate) parent: Option<TaskId>,
    pub(crate) schedule: Option<Name>,
    pub(crate) retry_of: Option<TaskId>,
    pub(crate) trace: Option<Box<str>>,
    /// When the retry window began.
    pub(crate) first_run: Option<Wall>,
    pub(crate) last_failure: Option<Wall>,
    pub(crate) last_error: Option<RunError>,
    /// Runs that ended, oldest first.
    pub(crate) runs: Vec<PastRun>,
    /// Units that were set aside for it.
    pub(crate) set_aside: Charges,
    /// Ids that lead here since they were folded into this task.
    pub(crate) aliases: Vec<TaskId>,
    /// Of a payload that was appended to: what each submission brought, in order.
    pub(crate) parts: Vec<Part>,
}

/// Bytes of an appended payload that one submission brought, brackets and commas not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) seq: TaskId,
    pub(crate) bytes: usize,
}

impl Task {
    pub(crate) fn key(&self) -> Key {
        Key {
            rank: self.spot.rank,
            place: self.spot.place,
            task: self.id,
        }
    }

    pub(crate) fn is_lifecycle(&self) -> bool {
        self.claims.iter().any(|claim| claim.op.is_lifecycle())
    }

    pub(crate) fn is_running(&self) -> bool {
        matches!(self.stage, Stage::Running { .. })
    }

    /// A lifecycle task that has stood in line and has not ended.
    pub(crate) fn is_at_work(&self) -> bool {
        self.joined && self.is_lifecycle()
    }

    /// Submissions of the same thing may be merged into it where it is.
    pub(crate) fn is_open_to_merge(&self) -> bool {
        self.coalesces
            && !self.hold
            && !matches!(
                self.stage,
                Stage::Dependent | Stage::Scheduled { .. } | Stage::Running { .. }
            )
    }

    pub(crate) fn extra(&self) -> &Extra {
        static NONE: std::sync::LazyLock<Extra> = std::sync::LazyLock::new(Extra::default);
        self.extra.as_deref().unwrap_or(&NONE)
    }

    pub(crate) fn extra_mut(&mut self) -> &mut Extra {
        self.extra.get_or_insert_default()
    }
}

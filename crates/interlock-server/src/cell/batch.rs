//! A batch: what was decided together, on its way to the committer.

use super::follow::{Committed, Followed};
use super::{CellError, Shared};
use interlock_core::Record;
use interlock_store::{Checkpoint, Consumed, HistoryRow, NamespaceId, RowChange};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;

/// An answer that is held back until everything before it is committed.
pub type Release = Box<dyn FnOnce(Result<(), CellError>) + Send>;

/// What was decided together.
pub struct Batch {
    /// By which cell.
    pub origin: Origin,
    /// Position of the first event, and of the one after the last.
    pub positions: (u64, u64),
    /// When the last was decided.
    pub at_ms: u64,
    /// The events; empty if there are none.
    pub bytes: Vec<u8>,
    /// What came through the store, and is consumed by the commit of these events.
    pub consumed: Vec<Consumed>,
    /// Rows to be kept once the events are.
    pub part: Option<Part>,
    pub(super) releases: Vec<Release>,
    /// The events as they are, if somebody follows them.
    pub(super) records: Vec<Arc<Record>>,
}

/// Part of a checkpoint, whose rows are given out while decisions go on.
pub struct Part {
    /// The checkpoint that begins with it, without rows; none if it belongs to the one before.
    pub begins: Option<Checkpoint>,
    /// Rows that changed, in short lists.
    pub rows: Vec<Vec<RowChange>>,
    /// Tasks that ended.
    pub ended: Vec<HistoryRow>,
    /// Whether that was all.
    pub is_last: bool,
}

/// Which cell something comes from, and in which of its lives.
#[derive(Clone)]
pub struct Origin {
    /// Its namespace.
    pub namespace: NamespaceId,
    pub(super) epoch: u64,
    pub(super) shared: Arc<Shared>,
    pub(super) kept: Sender<Kept>,
}

/// What the committer tells the cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// A batch was written.
    Batch {
        /// Room for the bytes of another one.
        room: Vec<u8>,
    },
    /// Of the checkpoint everything that was given out was written.
    Part,
    /// So was the whole checkpoint.
    Checkpoint,
    /// Something could not be written.
    Failed(CellError),
}

impl Batch {
    /// How many events there are in it.
    pub fn events(&self) -> u64 {
        self.positions.1 - self.positions.0
    }

    /// Whether there is anything in it that the store has to keep.
    pub fn is_kept(&self) -> bool {
        !self.bytes.is_empty() || !self.consumed.is_empty()
    }

    /// Tells those who follow events, and the cell, that everything up to here is committed; the
    /// answers that may go now are the caller's to send.
    pub fn committed(self) -> Vec<Release> {
        if !self.records.is_empty() {
            let records = self.records;
            let committed = Followed::Committed(Arc::new(Committed { records }));
            let _nobody = self.origin.shared.feed.send(committed);
        }
        let mut room = self.bytes;
        room.clear();
        self.origin.tell(Kept::Batch { room });
        self.releases
    }

    /// What is in it does not count, nor does anything that the cell decided after it: the cell has
    /// to load again.
    pub fn fail(self, error: CellError) {
        self.origin.end_life();
        for release in self.releases {
            release(Err(error));
        }
        self.origin.tell(Kept::Failed(error));
    }
}

impl Origin {
    /// Whether it is the cell's present life.
    pub fn is_current(&self) -> bool {
        self.shared.epoch.load(Ordering::Acquire) == self.epoch
    }

    /// Whether it is the same life of the same cell.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared) && self.epoch == other.epoch
    }

    /// Tells the cell.
    pub fn tell(&self, kept: Kept) {
        let _stopped = self.kept.send(kept);
    }

    /// What came from it counts no more: the cell has to load again.
    pub fn fail(&self, error: CellError) {
        self.end_life();
        self.tell(Kept::Failed(error));
    }

    fn end_life(&self) {
        let (then, now) = (self.epoch, self.epoch + 1);
        let _already =
            (self.shared.epoch).compare_exchange(then, now, Ordering::AcqRel, Ordering::Acquire);
    }
}

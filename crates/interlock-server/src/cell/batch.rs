//! A batch: what was decided together, on its way to the committer.

use super::follow::{Committed, Followed};
use super::{CellError, Shared};
use interlock_core::Record;
use interlock_store::{Checkpoint, Consumed, NamespaceId};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;

/// An answer that is held back until everything before it is committed.
pub type Release = Box<dyn FnOnce(Result<(), CellError>) + Send>;

/// What was decided together.
pub struct Batch {
    /// By which cell.
    pub namespace: NamespaceId,
    /// In which of its lives.
    pub epoch: u64,
    /// Position of the first event, and of the one after the last.
    pub positions: (u64, u64),
    /// When the last was decided.
    pub at_ms: u64,
    /// The events; empty if there are none.
    pub bytes: Vec<u8>,
    /// What came through the store, and is consumed by the commit of these events.
    pub consumed: Vec<Consumed>,
    /// Rows to be kept once the events are.
    pub checkpoint: Option<Checkpoint>,
    /// Whether it came with a checkpoint.
    pub(super) folds: bool,
    pub(super) releases: Vec<Release>,
    /// The events as they are, if somebody follows them.
    pub(super) records: Vec<Arc<Record>>,
    pub(super) shared: Arc<Shared>,
    pub(super) kept: Sender<Kept>,
}

/// What the committer tells the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// A batch was written.
    Batch,
    /// A batch with a checkpoint was written, and its rows.
    Checkpoint,
    /// A batch could not be written.
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

    /// Whether it was decided in the cell's present life.
    pub fn is_current(&self) -> bool {
        self.shared.epoch.load(Ordering::Acquire) == self.epoch
    }

    /// Tells those who follow events that everything up to here is committed; the answers that may
    /// go now are the caller's to send.
    pub fn committed(&mut self) -> Vec<Release> {
        if !self.records.is_empty() {
            let records = std::mem::take(&mut self.records);
            let committed = Committed { records };
            let _nobody = self
                .shared
                .feed
                .send(Followed::Committed(Arc::new(committed)));
        }
        std::mem::take(&mut self.releases)
    }

    /// Tells the cell that the batch is done with, its checkpoint too.
    pub fn done(self) {
        let kept = match self.folds {
            true => Kept::Checkpoint,
            false => Kept::Batch,
        };
        let _stopped = self.kept.send(kept);
    }

    /// What is left of it does not count, nor does anything that the cell decided after it: the
    /// cell has to load again.
    pub fn fail(self, error: CellError) {
        let (then, now) = (self.epoch, self.epoch + 1);
        let _already =
            (self.shared.epoch).compare_exchange(then, now, Ordering::AcqRel, Ordering::Acquire);
        for release in self.releases {
            release(Err(error));
        }
        let _stopped = self.kept.send(Kept::Failed(error));
    }
}

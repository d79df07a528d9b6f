//! Checkpoints that are being made in slices between commits. Their rows come in parts, as the cells
//! give them out.

use crate::cell::{CellError, Kept, Origin, Part};
use crate::limits;
use interlock_store::{Sliced, Store, StoreError};
use std::collections::VecDeque;

/// Checkpoints under way, oldest first.
#[derive(Default)]
pub(super) struct Foldings {
    all: VecDeque<Folding>,
    /// Rows that they are behind what is logged.
    owed: u64,
}

/// A checkpoint under way, and the cell that asked for it.
struct Folding {
    origin: Origin,
    sliced: Sliced,
    is_whole: bool,
}

impl Folding {
    /// Whether there is something to be written.
    fn is_due(&self) -> bool {
        self.is_whole || !self.sliced.is_dry()
    }
}

impl Foldings {
    /// Takes in part of a checkpoint.
    pub(super) fn add(&mut self, origin: &Origin, part: Part) {
        if let Some(begins) = part.begins {
            self.all.push_back(Folding {
                origin: origin.clone(),
                sliced: Sliced::new(begins),
                is_whole: false,
            });
        }
        // Otherwise its life is over.
        let same = |folding: &&mut Folding| folding.origin.is(origin);
        if let Some(folding) = self.all.iter_mut().rev().find(same) {
            for rows in part.rows {
                folding.sliced.add(rows, Vec::new());
            }
            folding.sliced.add(Vec::new(), part.ended);
            folding.is_whole = part.is_last;
        }
    }

    /// Whether there is something to be written.
    pub(super) fn are_due(&self) -> bool {
        self.all.iter().any(Folding::is_due)
    }

    /// So many events were logged: how many rows are to be written now, so that checkpoints keep up,
    /// in slices that are worth a transaction of their own.
    pub(super) fn rows_due(&mut self, events: u64) -> Option<u64> {
        if self.all.is_empty() {
            self.owed = 0;
            return None;
        }
        // Also while the next part is on its way.
        self.owed += limits::FOLD_PER_COMMIT.max(events);
        let now = self.owed >= limits::FOLD_AT_ONCE && self.are_due();
        now.then(|| std::mem::take(&mut self.owed))
    }

    /// Writes a slice of the oldest one of which there is something to be written. The answers have
    /// gone long ago: the log has everything already.
    pub(super) fn write(
        &mut self,
        store: &mut dyn Store,
        rows: u64,
    ) -> Result<(), (Origin, StoreError)> {
        let Some(at) = self.all.iter().position(Folding::is_due) else {
            return Ok(());
        };
        let folding = &mut self.all[at];
        let staged = store.stage(&mut folding.sliced, rows as usize);
        if matches!(staged, Ok(more) if more || !folding.is_whole) {
            if !folding.is_due() {
                folding.origin.tell(Kept::Part);
            }
            return Ok(());
        }
        let Some(folding) = self.all.remove(at) else {
            return Ok(());
        };
        let written = staged.and_then(|_| store.checkpoint(&folding.sliced.rest()));
        written.map_err(|error| (folding.origin.clone(), error))?;
        folding.origin.tell(Kept::Checkpoint);
        Ok(())
    }

    /// What a cell decided before its store failed counts no more.
    pub(super) fn drop_old(&mut self) {
        self.all.retain(|folding| {
            let is_current = folding.origin.is_current();
            if !is_current {
                folding.origin.fail(CellError::Unknown);
            }
            is_current
        });
    }
}

//! What goes to the committer, and what it says: batches, and checkpoints with them.

use super::super::batch::{Batch, Kept};
use super::super::history::error_of;
use super::super::row_change::row_change;
use super::{Keeping, Life, Over};
use crate::{clock, limits};
use interlock_store::Checkpoint;
use std::time::Instant;

impl Life<'_> {
    /// Passes on what was gathered, if there is anything.
    pub(super) fn flush(&mut self) -> Result<(), Over> {
        self.hear()?;
        self.note_ended();
        let checkpoint = self.wants_checkpoint().then(|| self.checkpoint());
        if self.bytes.is_empty() && self.releases.is_empty() && checkpoint.is_none() {
            return Ok(());
        }
        self.send(checkpoint);
        Ok(())
    }

    fn send(&mut self, checkpoint: Option<Checkpoint>) {
        let bytes = std::mem::take(&mut self.bytes);
        self.logged += bytes.len();
        let next = self.core.position();
        self.cell.committer.write(Batch {
            namespace: self.cell.namespace,
            epoch: self.epoch,
            positions: (self.first, next),
            at_ms: clock::wall().0,
            bytes,
            consumed: std::mem::take(&mut self.consumed),
            folds: checkpoint.is_some(),
            checkpoint,
            releases: std::mem::take(&mut self.releases),
            records: std::mem::take(&mut self.records),
            shared: self.cell.shared.clone(),
            kept: self.cell.kept.clone(),
        });
        self.first = next;
        self.ahead += 1;
    }

    /// Keeps what has ended until it is in the history, where everybody who looks can see it.
    pub(super) fn note_ended(&mut self) {
        for ended in self.core.take_ended() {
            if let Some(error) = error_of(&ended) {
                let mut activity = self.cell.activity.borrow_mut();
                (activity.trends).failed(ended.kind.as_str(), &error, ended.ended.0);
            }
            self.pending.add(ended);
        }
    }

    fn wants_checkpoint(&self) -> bool {
        let unkept = self.core.changed() > 0 || !self.pending.is_empty();
        // One at a time: the ended tasks of the last one must be out of memory first.
        if !self.keeping.is_empty() {
            return false;
        }
        !self.settling.is_empty()
            || unkept
                && (self.core.changed() >= limits::CHECKPOINT_ROWS
                    || self.pending.len() >= limits::CHECKPOINT_ENDED
                    || self.logged >= limits::CHECKPOINT_BYTES
                    || self.checkpointed.elapsed() >= limits::CHECKPOINT_EVERY)
    }

    /// Everything that changed, as of the last decision.
    fn checkpoint(&mut self) -> Checkpoint {
        self.logged = 0;
        self.checkpointed = Instant::now();
        let position = self.core.position();
        let (tasks, ended) = self.pending.rows();
        let settling = std::mem::take(&mut self.settling);
        self.keeping.push_back(Keeping {
            position,
            tasks,
            settling,
        });
        Checkpoint {
            namespace: self.cell.namespace,
            position,
            rows: self.core.changes().into_iter().map(row_change).collect(),
            ended,
            keep_log_from: self.keep_log_from(position),
        }
    }

    /// Events older than both an hour and a million others may go.
    fn keep_log_from(&mut self, position: u64) -> u64 {
        let now = clock::wall().0;
        self.marks.push_back((now, position));
        let old = |(at, _): &(u64, u64)| now.saturating_sub(*at) > limits::EVENTS_KEPT_MS;
        while self.marks.len() > 1 && self.marks.get(1).is_some_and(old) {
            self.marks.pop_front();
        }
        let by_age = (self.marks.front().filter(|mark| old(mark))).map_or(0, |(_, at)| *at);
        by_age.max(position.saturating_sub(limits::EVENTS_KEPT))
    }

    /// Takes in what the committer reported.
    pub(super) fn hear(&mut self) -> Result<(), Over> {
        while let Ok(kept) = self.cell.keeps.try_recv() {
            self.heard(kept)?;
        }
        Ok(())
    }

    pub(super) fn wait_for_committer(&mut self) -> Result<(), Over> {
        match self.cell.keeps.recv() {
            Ok(kept) => self.heard(kept),
            Err(_) => Err(Over::Stopped),
        }
    }

    fn heard(&mut self, kept: Kept) -> Result<(), Over> {
        self.ahead -= 1;
        match kept {
            Kept::Batch => Ok(()),
            Kept::Checkpoint => {
                if let Some(kept) = self.keeping.pop_front() {
                    self.folded = kept.position;
                    self.pending.kept(&kept.tasks);
                    for to in kept.settling {
                        let _gone = to.send(Ok(()));
                    }
                }
                Ok(())
            }
            Kept::Failed(error) => Err(Over::Failed(error)),
        }
    }

    /// Sends the last batch, with everything in it.
    pub(super) fn stop(&mut self) {
        self.note_ended();
        let checkpoint = self.checkpoint();
        self.send(Some(checkpoint));
    }
}

//! What goes to the committer, and what it says: batches, and checkpoints with them.

use super::super::batch::{Batch, Kept, Origin, Part};
use super::super::history::{error_of, history_row};
use super::super::row_change::row_change;
use super::{Keeping, Life, Over};
use crate::{clock, limits};
use interlock_store::Checkpoint;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

impl Life<'_> {
    /// Passes on what was gathered, if there is anything.
    pub(super) fn flush(&mut self) -> Result<(), Over> {
        self.hear()?;
        self.note_ended();
        let part = self.next_part();
        let is_kept = !self.bytes.is_empty() || !self.consumed.is_empty() || part.is_some();
        if is_kept || self.ahead > 0 && !self.releases.is_empty() {
            self.send(part);
            // It may be written already.
            self.hear()
        } else {
            self.release();
            Ok(())
        }
    }

    /// Everything that these answers tell is committed already.
    fn release(&mut self) {
        for release in self.releases.drain(..) {
            release(Ok(()));
        }
    }

    fn send(&mut self, part: Option<Part>) {
        let room = std::mem::take(&mut self.room);
        let bytes = std::mem::replace(&mut self.bytes, room);
        self.logged += bytes.len();
        let next = self.core.position();
        self.busy = self.releases.len() >= limits::BUSY_ANSWERS;
        self.cell.committer.write(Batch {
            origin: Origin {
                namespace: self.cell.namespace,
                epoch: self.epoch,
                shared: self.cell.shared.clone(),
                kept: self.cell.kept.clone(),
            },
            positions: (self.first, next),
            at_ms: clock::wall().0,
            bytes,
            consumed: std::mem::take(&mut self.consumed),
            part,
            releases: std::mem::take(&mut self.releases),
            records: std::mem::take(&mut self.records),
        });
        self.first = next;
        self.ahead += 1;
    }

    /// Nothing is being written, so both are empty: what large batches needed is not kept for small
    /// ones.
    pub(super) fn give_back_room(&mut self) {
        debug_assert!(
            self.bytes.is_empty(),
            "what was decided is with the committer"
        );
        self.bytes = Vec::new();
        self.room = Vec::new();
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

    /// What goes on with a checkpoint, or begins one.
    fn next_part(&mut self) -> Option<Part> {
        if self.wants_checkpoint() {
            return Some(self.begin_checkpoint());
        }
        (self.is_giving() && self.is_part_wanted()).then(|| self.part_that_keeps_up(None))
    }

    /// Whether what was given out of it last is written.
    fn is_part_wanted(&self) -> bool {
        (self.keeping.back()).is_some_and(|keeping| keeping.is_wanted)
    }

    /// Whether there is a checkpoint of which not everything is given out.
    fn is_giving(&self) -> bool {
        (self.keeping.back()).is_some_and(|keeping| !keeping.is_given)
    }

    fn wants_checkpoint(&self) -> bool {
        // One at a time: the ended tasks of the last one must be out of memory first.
        if !self.keeping.is_empty() {
            return false;
        }
        !self.settling.is_empty()
            || self.core.changed() >= limits::CHECKPOINT_ROWS
            || self.core.replaced() >= limits::CHECKPOINT_REPLACED
            || self.pending.len() >= limits::CHECKPOINT_ENDED
            || self.quiet && self.unkept() >= limits::CHECKPOINT_ROWS_QUIET
            || self.unkept() > 0 && self.logged >= limits::CHECKPOINT_BYTES
            || self.checkpoint_in() == Some(Duration::ZERO)
    }

    /// About how many rows a checkpoint would have.
    fn unkept(&self) -> usize {
        self.core.changed() + self.pending.len()
    }

    /// How soon there has to be a checkpoint if nobody asks for anything.
    pub(super) fn checkpoint_in(&self) -> Option<Duration> {
        (self.unkept() > 0 && self.keeping.is_empty())
            .then(|| limits::CHECKPOINT_EVERY.saturating_sub(self.checkpointed.elapsed()))
    }

    /// How soon to listen to the committer if nobody asks for anything; or to notice that.
    pub(super) fn hears_in(&self) -> Option<Duration> {
        let mut keeping = self.keeping.iter();
        if keeping.any(|keeping| !keeping.is_given || !keeping.settling.is_empty()) {
            return Some(limits::HEAR_SOON);
        }
        let hears = self.ahead > 0
            || !self.keeping.is_empty()
            || self.unkept() >= limits::CHECKPOINT_ROWS_QUIET;
        hears.then_some(limits::HEAR_EVERY)
    }

    /// Everything that changed, as of the last decision; and the first part of it.
    fn begin_checkpoint(&mut self) -> Part {
        self.logged = 0;
        self.checkpointed = Instant::now();
        let position = self.core.position();
        let (tasks, ended) = self.pending.all();
        self.core.cut();
        self.keeping.push_back(Keeping {
            position,
            tasks,
            ended: ended.into_iter(),
            given_at: position,
            settling: std::mem::take(&mut self.settling),
            is_wanted: true,
            is_given: false,
        });
        let begins = Checkpoint {
            namespace: self.cell.namespace,
            position,
            rows: Vec::new(),
            ended: Vec::new(),
            keep_log_from: self.keep_log_from(position),
        };
        self.part_that_keeps_up(Some(begins))
    }

    /// The next part of the checkpoint that is being given out. The more is decided meanwhile, the
    /// more has to be given out to keep up with it.
    fn part_that_keeps_up(&mut self, begins: Option<Checkpoint>) -> Part {
        let position = self.core.position();
        let decided = self.keeping.back_mut().map_or(0, |keeping| {
            let before = std::mem::replace(&mut keeping.given_at, position);
            (position - before).saturating_mul(2)
        });
        let rows = (decided as usize).clamp(limits::PART_ROWS, limits::PART_ROWS_MAX);
        self.part(begins, rows)
    }

    /// The next rows of it, so many or a few more.
    fn part(&mut self, begins: Option<Checkpoint>, rows: usize) -> Part {
        let mut part = Part {
            begins,
            rows: Vec::new(),
            ended: Vec::new(),
            is_last: true,
        };
        if let Some(keeping) = self.keeping.back_mut() {
            let ended = keeping.ended.by_ref().take(rows);
            part.ended = ended.map(|ended| history_row(&ended)).collect();
            let mut left = rows - part.ended.len();
            while left > 0 && self.core.is_cutting() {
                let rows = self.core.next_changes(left.min(limits::PART_LIST));
                left = left.saturating_sub(rows.len());
                part.rows.push(rows.into_iter().map(row_change).collect());
            }
            part.is_last = keeping.ended.as_slice().is_empty() && !self.core.is_cutting();
            keeping.is_wanted = false;
            keeping.is_given = part.is_last;
        }
        part
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

    /// The same, but goes on after a moment.
    pub(super) fn wait_for_committer_a_moment(&mut self) -> Result<(), Over> {
        let time = match self.each < limits::WORTH_WAKING {
            true => limits::GATHER_FOR,
            false => limits::GATHER_LARGE_FOR,
        };
        match self.cell.keeps.recv_timeout(time) {
            Ok(kept) => self.heard(kept),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => Err(Over::Stopped),
        }
    }

    /// The same, but not for ever: the committer may be gone already.
    fn wait_for_committer_at_the_end(&mut self) -> Result<(), Over> {
        match self.cell.keeps.recv_timeout(limits::LAST_PART_WITHIN) {
            Ok(kept) => self.heard(kept),
            Err(_) => Err(Over::Stopped),
        }
    }

    fn heard(&mut self, kept: Kept) -> Result<(), Over> {
        match kept {
            Kept::Batch { room } => {
                self.ahead -= 1;
                if room.capacity() <= limits::BATCH_ROOM_MAX {
                    self.room = room;
                }
            }
            Kept::Part => {
                if let Some(keeping) = self.keeping.back_mut() {
                    keeping.is_wanted = true;
                }
            }
            Kept::Checkpoint => {
                if let Some(kept) = self.keeping.pop_front() {
                    self.folded = kept.position;
                    self.pending.kept(&kept.tasks);
                    for to in kept.settling {
                        let _gone = to.send(Ok(()));
                    }
                }
            }
            Kept::Failed(error) => return Err(Over::Failed(error)),
        }
        Ok(())
    }

    /// Sends the last batch, with everything in it, if the store can take it.
    pub(super) fn stop(&mut self) {
        // Whoever was answered does not wait for a checkpoint. If the store has failed, sending says so.
        let _failed = self.flush();
        self.give_all();
        if self.is_giving() {
            return self.send(None);
        }
        let part = self.begin_checkpoint();
        self.send(Some(part));
        self.give_all();
    }

    /// Gives out the rest of the checkpoint, each part when the one before is written: all of it at
    /// once may take more memory than there is.
    fn give_all(&mut self) {
        while self.is_giving() {
            if self.is_part_wanted() {
                let part = self.part(None, limits::PART_ROWS_MAX);
                self.send(Some(part));
            } else if self.wait_for_committer_at_the_end().is_err() {
                // What was not given out is in the log.
                return;
            }
        }
    }
}

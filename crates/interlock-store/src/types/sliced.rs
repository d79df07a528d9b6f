//! A checkpoint that is made in slices.

use std::collections::VecDeque;

use super::{Checkpoint, HistoryRow, NamespaceId, RowChange};

/// A checkpoint of which parts are written ahead by [`stage`](crate::Store::stage), between appends;
/// what is [left](Sliced::rest) is then written as one commit. Its rows may come in parts as well:
/// none of it counts before the last has come.
#[derive(Debug)]
pub struct Sliced {
    /// Looked at and left for the end.
    left: Checkpoint,
    /// Not looked at yet.
    rows: VecDeque<RowChange>,
    ended: VecDeque<HistoryRow>,
    /// Whether tasks have been written ahead.
    pub(crate) is_begun: bool,
}

impl Sliced {
    /// Nothing of it is written yet.
    pub fn new(mut checkpoint: Checkpoint) -> Self {
        let rows = std::mem::take(&mut checkpoint.rows).into();
        let ended = std::mem::take(&mut checkpoint.ended).into();
        Self {
            left: checkpoint,
            rows,
            ended,
            is_begun: false,
        }
    }

    /// Of which namespace.
    pub fn namespace(&self) -> NamespaceId {
        self.left.namespace
    }

    /// More of it has come.
    pub fn add(&mut self, rows: Vec<RowChange>, ended: Vec<HistoryRow>) {
        self.rows.extend(rows);
        self.ended.extend(ended);
    }

    /// Whether everything that has come was looked at.
    pub fn is_dry(&self) -> bool {
        self.rows.is_empty() && self.ended.is_empty()
    }

    /// What has not been written ahead.
    pub fn rest(mut self) -> Checkpoint {
        self.leave();
        self.left
    }

    /// Leaves everything that has come for the end.
    pub(crate) fn leave(&mut self) {
        self.left.rows.extend(self.rows.drain(..));
        self.left.ended.extend(self.ended.drain(..));
    }

    /// Which checkpoint it is; what there is to write of it is incomplete.
    pub(crate) fn frame(&self) -> &Checkpoint {
        &self.left
    }

    /// The next ended tasks, up to so many.
    pub(crate) fn next_ended(&mut self, limit: usize) -> Vec<HistoryRow> {
        let many = limit.min(self.ended.len());
        self.ended.drain(..many).collect()
    }

    /// The next changes that can be written ahead, up to so many. Others are dropped, or left for
    /// the end.
    pub(crate) fn next_rows(
        &mut self,
        limit: usize,
        mut when: impl FnMut(&RowChange) -> When,
    ) -> Vec<RowChange> {
        let mut now = Vec::new();
        while now.len() < limit
            && let Some(change) = self.rows.pop_front()
        {
            match when(&change) {
                When::Ahead => now.push(change),
                When::AtTheEnd => self.left.rows.push(change),
                When::Never => {}
            }
        }
        now
    }
}

/// When a change is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Ahead,
    AtTheEnd,
    /// It changes nothing.
    Never,
}

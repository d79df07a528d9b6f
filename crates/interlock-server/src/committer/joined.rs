//! What goes into one commit: the batches of each namespace as one record.

use crate::cell::{Batch, join_records};
use interlock_store::{Append, Consumed, NamespaceId};
use std::borrow::Cow;

/// The events of one namespace in one commit.
pub(super) struct Joined<'a> {
    namespace: NamespaceId,
    positions: (u64, u64),
    at_ms: u64,
    bytes: Cow<'a, [u8]>,
    consumed: Cow<'a, [Consumed]>,
}

impl<'a> Joined<'a> {
    /// All events of these batches, which follow one another in each namespace.
    pub(super) fn of(batches: &'a [Batch]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for batch in batches.iter().filter(|batch| batch.is_kept()) {
            // The last one first: mostly there is only one namespace at work.
            let same = |joined: &&mut Self| joined.namespace == batch.origin.namespace;
            match all.iter_mut().rev().find(same) {
                Some(joined) => joined.add(batch),
                None => all.push(Self {
                    namespace: batch.origin.namespace,
                    positions: batch.positions,
                    at_ms: batch.at_ms,
                    bytes: Cow::Borrowed(&batch.bytes),
                    consumed: Cow::Borrowed(&batch.consumed),
                }),
            }
        }
        all
    }

    fn add(&mut self, batch: &'a Batch) {
        debug_assert_eq!(self.positions.1, batch.positions.0, "batches are gapless");
        self.positions.1 = batch.positions.1;
        self.at_ms = batch.at_ms;
        if self.bytes.is_empty() {
            self.bytes = Cow::Borrowed(&batch.bytes);
        } else if !batch.bytes.is_empty() {
            join_records(self.bytes.to_mut(), &batch.bytes);
        }
        if !batch.consumed.is_empty() {
            self.consumed.to_mut().extend_from_slice(&batch.consumed);
        }
    }

    /// How many bytes of events.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// As the store takes it.
    pub(super) fn append(&self) -> Append<'_> {
        Append {
            namespace: self.namespace,
            position: self.positions.0,
            next: self.positions.1,
            at_ms: self.at_ms,
            bytes: &self.bytes,
            consumed: &self.consumed,
        }
    }
}

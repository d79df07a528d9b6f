//! Reading what a store in memory holds.

use std::path::Path;
use std::sync::{Arc, Mutex};

use super::space::Space;
use super::{Shared, lock};
use crate::error::StoreError;
use crate::store::{Reader, Result};
use crate::types::{
    FailureGroup, HistoryFilter, HistoryPage, HistoryRow, LastEnded, LogPage, NamespaceId,
};

pub(super) struct MemoryReader {
    shared: Arc<Mutex<Shared>>,
}

impl MemoryReader {
    pub(super) fn new(shared: Arc<Mutex<Shared>>) -> Self {
        Self { shared }
    }

    fn read<T>(&self, of: NamespaceId, read: impl FnOnce(&Space) -> T) -> Result<T> {
        lock(&self.shared).space(of).map(|space| read(space))
    }
}

impl Reader for MemoryReader {
    fn find(&mut self, namespace: NamespaceId, task: u64) -> Result<Option<HistoryRow>> {
        self.read(namespace, |space| space.history.find(task).cloned())
    }

    fn list(
        &mut self,
        namespace: NamespaceId,
        filter: &HistoryFilter,
        before: Option<u64>,
        limit: usize,
    ) -> Result<HistoryPage> {
        self.read(namespace, |space| space.history.list(filter, before, limit))
    }

    fn failures(&mut self, namespace: NamespaceId, limit: usize) -> Result<Vec<FailureGroup>> {
        self.read(namespace, |space| space.history.failures(limit))
    }

    fn last_ended(&mut self, namespace: NamespaceId, resource: &str) -> Result<Vec<LastEnded>> {
        self.read(namespace, |space| space.history.last_ended(resource))
    }

    fn log(&mut self, namespace: NamespaceId, from: u64, limit: usize) -> Result<LogPage> {
        self.read(namespace, |space| space.log(from, limit))
    }

    fn folded_until(&mut self, namespace: NamespaceId) -> Result<Option<u64>> {
        self.read(namespace, Space::folded_until)
    }

    fn backup(&mut self, _to: &Path) -> Result<()> {
        Err(StoreError::Unsupported("a store in memory has no backup"))
    }
}

//! What this process owns, as far as it knows: shared by the store, which asserts it with every
//! write, and by ownership, which changes it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ownership::NodeId;
use crate::types::NamespaceId;

/// Which node this is, and the epochs of the namespaces that it owns. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Held(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    node: Option<NodeId>,
    epochs: BTreeMap<NamespaceId, u64>,
}

impl Held {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn node(&self) -> Option<NodeId> {
        self.lock().node
    }

    /// This is another node now, and owns nothing yet.
    pub(super) fn join(&self, node: Option<NodeId>) {
        let mut inner = self.lock();
        inner.node = node;
        inner.epochs.clear();
    }

    pub(super) fn epoch(&self, namespace: NamespaceId) -> Option<u64> {
        self.lock().epochs.get(&namespace).copied()
    }

    pub(super) fn hold(&self, namespace: NamespaceId, epoch: u64) {
        self.lock().epochs.insert(namespace, epoch);
    }

    pub(super) fn forget(&self, namespace: NamespaceId) {
        self.lock().epochs.remove(&namespace);
    }

    /// Forgets one only if it is still held under this epoch.
    pub(super) fn forget_epoch(&self, namespace: NamespaceId, epoch: u64) {
        let mut inner = self.lock();
        if inner.epochs.get(&namespace) == Some(&epoch) {
            inner.epochs.remove(&namespace);
        }
    }

    /// Nothing is certain any more.
    pub(super) fn forget_all(&self) {
        self.lock().epochs.clear();
    }
}

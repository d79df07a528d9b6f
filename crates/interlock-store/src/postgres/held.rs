//! What this process owns, as far as it knows: shared by the store, which asserts it with every
//! write, and by ownership, which changes it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::ownership::NodeId;
use crate::types::NamespaceId;

/// Which node this is, and the epochs of the namespaces that it owns. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Held(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    node: Option<NodeId>,
    lease: Duration,
    /// It ended its lease itself.
    has_left: bool,
    epochs: BTreeMap<NamespaceId, u64>,
}

impl Held {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn node(&self) -> Option<NodeId> {
        self.lock().node
    }

    /// How long the node's leases are.
    pub(super) fn lease(&self) -> Duration {
        self.lock().lease
    }

    /// This is another node now, and owns nothing yet.
    pub(super) fn join(&self, node: NodeId, lease: Duration) {
        *self.lock() = Inner {
            node: Some(node),
            lease,
            ..Inner::default()
        };
    }

    /// This is no node any more, by its own wish or not.
    pub(super) fn leave(&self, has_left: bool) {
        *self.lock() = Inner {
            has_left,
            ..Inner::default()
        };
    }

    /// Did it end its lease itself?
    pub(super) fn has_left(&self) -> bool {
        self.lock().has_left
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

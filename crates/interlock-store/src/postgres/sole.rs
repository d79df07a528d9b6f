//! A store for a process that is the only node: it owns every namespace, and claims anew whatever it
//! loads without owning it.

use std::ops::ControlFlow;
use std::time::Duration;

use super::{Lease, NewNode, Ownership, PostgresStore};
use crate::error::StoreError;
use crate::store::{Reader, Result, Store};
use crate::types::{
    Append, Checkpoint, HistoryRow, Loaded, Namespace, NamespaceId, NewToken, Purge, Purged,
    Sliced, Token,
};

/// The only node. Somebody else has to renew its lease: see [`SoleNode::ownership`].
pub struct SoleNode {
    store: PostgresStore,
    ownership: Ownership,
    /// What the namespaces are loaded for. If it changes, everything has to begin anew.
    generation: u32,
}

impl SoleNode {
    /// Joins and claims every namespace. Fails with [`StoreError::NodeAlive`] or [`StoreError::Owned`]
    /// as long as the lease of another node, such as the last process of the same name, is not over.
    pub fn join(store: PostgresStore, new: &NewNode) -> Result<(Self, Lease)> {
        let mut ownership = store.ownership();
        let lease = ownership.join(new)?;
        for claim in ownership.claims()? {
            if let Err(error) = ownership.claim(claim.namespace)
                && !matches!(error, StoreError::UnknownNamespace(_))
            {
                ownership.leave()?;
                return Err(error);
            }
        }
        let node = Self {
            generation: store.generation(),
            store,
            ownership,
        };
        Ok((node, lease))
    }

    /// Ownership on another connection, for whoever renews the lease.
    pub fn ownership(&self) -> Ownership {
        self.store.ownership()
    }

    /// How long to wait before joining is worth another attempt; none if it never is.
    pub fn join_again_after(error: &StoreError) -> Option<Duration> {
        match error {
            StoreError::NodeAlive { left, .. } | StoreError::Owned { left, .. } => Some(*left),
            _ => None,
        }
    }
}

impl Store for SoleNode {
    fn generation(&self) -> u32 {
        self.generation
    }

    fn namespaces(&mut self) -> Result<Vec<Namespace>> {
        self.store.namespaces()
    }

    fn create_namespace(&mut self, name: &str, now_ms: u64) -> Result<Namespace> {
        self.store.create_namespace(name, now_ms)
    }

    fn remove_namespace(&mut self, namespace: NamespaceId) -> Result<()> {
        self.store.remove_namespace(namespace)
    }

    fn sweep(&mut self, limit: usize) -> Result<u64> {
        self.store.sweep(limit)
    }

    fn end(&mut self, namespace: NamespaceId) -> Result<u64> {
        self.store.end(namespace)
    }

    fn append(&mut self, records: &[Append<'_>]) -> Result<()> {
        self.store.append(records)
    }

    fn tend(&mut self) -> Result<()> {
        self.store.tend()
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        self.store.checkpoint(checkpoint)
    }

    fn record(&mut self, namespace: NamespaceId, ended: &[HistoryRow]) -> Result<()> {
        self.store.record(namespace, ended)
    }

    fn stage(&mut self, checkpoint: &mut Sliced, limit: usize) -> Result<bool> {
        self.store.stage(checkpoint, limit)
    }

    /// Under a new epoch if the last one was given up, so that no write whose outcome is unknown can
    /// still arrive.
    fn load(
        &mut self,
        namespace: NamespaceId,
        visit: &mut dyn FnMut(Loaded) -> ControlFlow<()>,
    ) -> Result<()> {
        if self.ownership.holds(namespace).is_none() {
            self.ownership.claim(namespace)?;
        }
        if self.store.generation() != self.generation {
            let why = "the database was restored, or another server has taken its place";
            return Err(StoreError::Poisoned(why.to_owned()));
        }
        self.store.load(namespace, visit)
    }

    fn purge(&mut self, namespace: NamespaceId, what: &Purge<'_>, limit: usize) -> Result<Purged> {
        self.store.purge(namespace, what, limit)
    }

    fn put_token(&mut self, token: &NewToken) -> Result<Token> {
        self.store.put_token(token)
    }

    fn tokens(&mut self) -> Result<Vec<Token>> {
        self.store.tokens()
    }

    fn revoke_token(&mut self, id: u64, now_ms: u64) -> Result<bool> {
        self.store.revoke_token(id, now_ms)
    }

    fn put_setting(&mut self, name: &str, value: Option<&[u8]>) -> Result<()> {
        self.store.put_setting(name, value)
    }

    fn setting(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        self.store.setting(name)
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        self.store.reader()
    }

    /// Leaves, so that another node need not wait for the end of the lease.
    fn stop(mut self: Box<Self>) -> Result<()> {
        self.ownership.leave()?;
        Box::new(self.store).stop()
    }
}

//! A store that forgets everything with the process: for simulation and for tests of others.

mod history;
mod reader;
mod space;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::check;
use crate::error::StoreError;
use crate::store::{Reader, Result, Store};
use crate::types::{
    Append, Checkpoint, HistoryRow, Loaded, Namespace, NamespaceId, NewToken, Purge, Purged,
    Sliced, Token,
};
use reader::MemoryReader;
use space::Space;

/// A store in memory. Cloning it is opening it again: both see the same.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    spaces: BTreeMap<NamespaceId, Space>,
    removed: Vec<Space>,
    namespaces_made: u32,
    tokens: Vec<Token>,
    settings: BTreeMap<String, Vec<u8>>,
}

impl Shared {
    fn space(&mut self, namespace: NamespaceId) -> Result<&mut Space> {
        self.spaces
            .get_mut(&namespace)
            .ok_or(StoreError::UnknownNamespace(namespace))
    }
}

/// The data is never left half changed, so a panic of somebody who held the lock spoils nothing.
fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        lock(&self.shared)
    }
}

impl Store for MemoryStore {
    fn generation(&self) -> u32 {
        1
    }

    fn namespaces(&mut self) -> Result<Vec<Namespace>> {
        let shared = self.shared();
        Ok(shared
            .spaces
            .values()
            .map(|space| space.row.clone())
            .collect())
    }

    fn create_namespace(&mut self, name: &str, now_ms: u64) -> Result<Namespace> {
        check::name("namespace", name)?;
        let mut shared = self.shared();
        if shared.spaces.values().any(|space| space.row.name == name) {
            return Err(StoreError::NameTaken(name.to_owned()));
        }
        shared.namespaces_made += 1;
        let row = Namespace {
            id: NamespaceId(shared.namespaces_made),
            name: name.to_owned(),
            created_ms: now_ms,
        };
        shared.spaces.insert(row.id, Space::new(row.clone()));
        Ok(row)
    }

    fn remove_namespace(&mut self, namespace: NamespaceId) -> Result<()> {
        let mut shared = self.shared();
        let space = shared.spaces.remove(&namespace);
        let space = space.ok_or(StoreError::UnknownNamespace(namespace))?;
        shared.removed.push(space);
        Ok(())
    }

    fn sweep(&mut self, _limit: usize) -> Result<u64> {
        let removed = self.shared().removed.pop();
        Ok(removed.map_or(0, |_| 1))
    }

    fn end(&mut self, namespace: NamespaceId) -> Result<u64> {
        Ok(self.shared().space(namespace)?.end())
    }

    fn append(&mut self, records: &[Append<'_>]) -> Result<()> {
        check::consumes_nothing(records)?;
        let mut shared = self.shared();
        check::append(records, |of| shared.spaces.get(&of).map(Space::end))?;
        for record in records {
            shared.space(record.namespace)?.append(record);
        }
        Ok(())
    }

    fn tend(&mut self) -> Result<()> {
        Ok(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        let mut shared = self.shared();
        let space = shared.space(checkpoint.namespace)?;
        check::checkpoint(checkpoint, space.position, space.end())?;
        space.checkpoint(checkpoint);
        Ok(())
    }

    fn record(&mut self, namespace: NamespaceId, ended: &[HistoryRow]) -> Result<()> {
        check::history(ended)?;
        let mut shared = self.shared();
        let space = shared.space(namespace)?;
        ended.iter().for_each(|row| space.history.put(row.clone()));
        Ok(())
    }

    /// Nobody waits for memory.
    fn stage(&mut self, checkpoint: &mut Sliced, _limit: usize) -> Result<bool> {
        let mut shared = self.shared();
        let space = shared.space(checkpoint.namespace())?;
        check::bounds(checkpoint.frame(), space.position, space.end())?;
        checkpoint.leave();
        Ok(false)
    }

    fn load(
        &mut self,
        namespace: NamespaceId,
        visit: &mut dyn FnMut(Loaded) -> ControlFlow<()>,
    ) -> Result<()> {
        // A copy, so that the visitor may use the store.
        let loaded: Vec<_> = self.shared().space(namespace)?.load().collect();
        let _stopped_early = loaded.into_iter().try_for_each(visit);
        Ok(())
    }

    fn purge(&mut self, namespace: NamespaceId, what: &Purge<'_>, limit: usize) -> Result<Purged> {
        let mut shared = self.shared();
        Ok(shared.space(namespace)?.history.purge(what, limit))
    }

    fn put_token(&mut self, token: &NewToken) -> Result<Token> {
        check::name("token", &token.name)?;
        let mut shared = self.shared();
        let token = Token {
            id: shared.tokens.len() as u64 + 1,
            made: token.clone(),
            revoked_ms: None,
        };
        shared.tokens.push(token.clone());
        Ok(token)
    }

    fn tokens(&mut self) -> Result<Vec<Token>> {
        Ok(self.shared().tokens.clone())
    }

    fn revoke_token(&mut self, id: u64, now_ms: u64) -> Result<bool> {
        let mut shared = self.shared();
        let live = |token: &&mut Token| token.id == id && token.revoked_ms.is_none();
        let Some(token) = shared.tokens.iter_mut().find(live) else {
            return Ok(false);
        };
        token.revoked_ms = Some(now_ms);
        Ok(true)
    }

    fn put_setting(&mut self, name: &str, value: Option<&[u8]>) -> Result<()> {
        check::name("setting", name)?;
        let mut shared = self.shared();
        match value {
            Some(value) => shared.settings.insert(name.to_owned(), value.to_vec()),
            None => shared.settings.remove(name),
        };
        Ok(())
    }

    fn setting(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.shared().settings.get(name).cloned())
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        Ok(Box::new(MemoryReader::new(Arc::clone(&self.shared))))
    }

    fn stop(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

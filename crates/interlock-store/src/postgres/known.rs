//! What a store knows of the namespaces that it writes to, and by what right it does.

use super::fault::Tried;
use super::ledger::Space;
use super::reader::SNAPSHOT;
use super::session::Session;
use super::stage::Staged;
use super::{PostgresStore, log, owned};
use crate::error::StoreError;
use crate::store::Result;
use crate::types::NamespaceId;

/// What the owner of a namespace knows about it: nobody else changes it.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) space: Space,
    pub(super) end: u64,
    /// What was written ahead of the next checkpoint; none if nothing is known of that.
    pub(super) staged: Option<Staged>,
}

impl Known {
    pub(super) fn new(space: Space, end: u64) -> Self {
        Self {
            space,
            end,
            staged: None,
        }
    }
}

impl PostgresStore {
    /// The epoch under which this process may write to a namespace.
    pub(super) fn epoch(&mut self, of: NamespaceId) -> Result<u64> {
        let Some(epoch) = self.shared.held.epoch(of) else {
            self.link.read("looking for a namespace", async |session| {
                Space::read(session, of).await.map(|_| ())
            })?;
            let why = "it was not claimed, or nobody knows what became of the last write";
            return Err(StoreError::NotOwned { namespace: of, why });
        };
        if *self.served.entry(of).or_insert(epoch) != epoch {
            let why = "it was claimed anew and not loaded since";
            return Err(StoreError::NotOwned { namespace: of, why });
        }
        Ok(epoch)
    }

    /// Makes sure that everything is known of a namespace that is owned. Returns its epoch.
    pub(super) fn know(&mut self, of: NamespaceId) -> Result<u64> {
        self.link.ensure("connecting")?;
        let epoch = self.epoch(of)?;
        self.forget_old();
        if self.known.contains_key(&of) {
            return Ok(epoch);
        }
        let known = self.link.read("reading a namespace", async |session| {
            session
                .transaction(SNAPSHOT, async |session| {
                    let space = Space::read(session, of).await?;
                    let end = log::end(session, &space).await?;
                    Ok(Known::new(space, end))
                })
                .await
        })?;
        self.forget_old();
        self.known.insert(of, known);
        Ok(epoch)
    }

    /// Whatever was known is known anew.
    pub(super) fn forget(&mut self, of: NamespaceId) {
        self.served.remove(&of);
        self.known.remove(&of);
        self.begun.remove(&of);
    }

    pub(super) fn known(&mut self, of: NamespaceId) -> Result<&mut Known> {
        let known = self.known.get_mut(&of);
        known.ok_or(StoreError::UnknownNamespace(of))
    }

    /// What was written ahead without waiting for the disk may be lost with the connection.
    pub(super) fn forget_old(&mut self) {
        if self.link.made() != self.known_from {
            self.known.clear();
            self.known_from = self.link.made();
        }
    }

    /// A transaction that writes to a namespace that is owned and known. What is known of it after
    /// that counts when it is committed; otherwise it is read again.
    pub(super) fn write_to<T>(
        &mut self,
        doing: &'static str,
        begin: &str,
        of: NamespaceId,
        epoch: u64,
        work: impl AsyncFnOnce(&mut Session, &mut Known) -> Tried<T>,
    ) -> Result<T> {
        let known = self.known.remove(&of);
        let mut known = known.ok_or(StoreError::UnknownNamespace(of))?;
        let from = self.known_from;
        let done = self.link.write_on(from, doing, &[of], async |session| {
            session
                .transaction(begin, async |session| {
                    owned::lock(session, of, epoch).await?;
                    work(session, &mut known).await
                })
                .await
        });
        match done {
            Ok(value) => {
                self.known.insert(of, known);
                Ok(value)
            }
            Err(error) => {
                self.let_go(of, epoch, &error);
                Err(error)
            }
        }
    }

    /// Somebody else owns it.
    pub(super) fn let_go(&mut self, of: NamespaceId, epoch: u64, error: &StoreError) {
        self.known.remove(&of);
        if matches!(error, StoreError::NotOwned { .. }) {
            self.shared.held.forget_epoch(of, epoch);
        }
    }

    /// A part of a checkpoint was written ahead on a connection that is gone, and may be lost: what is
    /// left of it must not be taken for all of it.
    pub(super) fn begun_elsewhere(&mut self, of: NamespaceId) -> StoreError {
        self.shared.held.forget(of);
        let why = "what was written ahead of its checkpoint may be lost";
        StoreError::NotOwned { namespace: of, why }
    }
}

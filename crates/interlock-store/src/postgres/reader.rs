//! Reading history and log on a connection of its own.

use std::path::Path;
use std::sync::Arc;

use super::fault::Tried;
use super::ledger::Space;
use super::link::{Link, Shared};
use super::session::Session;
use super::{failures, history, list, log};
use crate::error::StoreError;
use crate::store::{Reader, Result};
use crate::types::{
    FailureGroup, HistoryFilter, HistoryPage, HistoryRow, LastEnded, LogPage, NamespaceId,
};

/// One moment, and nothing is written.
pub(super) const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

pub(super) struct PostgresReader {
    link: Link,
}

impl PostgresReader {
    pub(super) fn new(shared: Arc<Shared>) -> Result<Self> {
        let mut link = Link::new(shared);
        link.read("opening a reader", async |_| Ok(()))?;
        Ok(Self { link })
    }

    fn read<T>(
        &mut self,
        of: NamespaceId,
        mut read: impl AsyncFnMut(&mut Session, &Space) -> Tried<T>,
    ) -> Result<T> {
        self.link.read("reading", async |session| {
            session
                .transaction(SNAPSHOT, async |session| {
                    let space = Space::read(session, of).await?;
                    read(session, &space).await
                })
                .await
        })
    }
}

impl Reader for PostgresReader {
    fn find(&mut self, namespace: NamespaceId, task: u64) -> Result<Option<HistoryRow>> {
        self.read(namespace, async |session, _| {
            history::find(session, namespace, task).await
        })
    }

    fn list(
        &mut self,
        namespace: NamespaceId,
        filter: &HistoryFilter,
        before: Option<u64>,
        limit: usize,
    ) -> Result<HistoryPage> {
        self.read(namespace, async |session, _| {
            list::list(session, namespace, filter, before, limit).await
        })
    }

    fn failures(&mut self, namespace: NamespaceId, limit: usize) -> Result<Vec<FailureGroup>> {
        self.read(namespace, async |session, _| {
            failures::list(session, namespace, limit).await
        })
    }

    fn last_ended(&mut self, namespace: NamespaceId, resource: &str) -> Result<Vec<LastEnded>> {
        self.read(namespace, async |session, _| {
            list::last_ended(session, namespace, resource).await
        })
    }

    fn log(&mut self, namespace: NamespaceId, from: u64, limit: usize) -> Result<LogPage> {
        self.read(namespace, async |session, space| {
            log::page(session, space, from, limit).await
        })
    }

    fn folded_until(&mut self, namespace: NamespaceId) -> Result<Option<u64>> {
        self.read(namespace, async |session, space| {
            log::folded_until(session, space).await
        })
    }

    fn backup(&mut self, _to: &Path) -> Result<()> {
        Err(StoreError::Unsupported(
            "a PostgreSQL database is backed up with its own tools: pg_basebackup with archived \
             write-ahead logs, or pg_dump --schema=interlock; docs/postgresql.md says how to restore",
        ))
    }
}

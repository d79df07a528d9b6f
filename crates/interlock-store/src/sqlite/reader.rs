//! Reading history and log on a connection of its own.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension};

use super::fault::{Fault, Tried, snapshot};
use super::ledger::Space;
use super::{DATABASE, backup, failures, history, list, log, settings};
use crate::error::StoreError;
use crate::store::{Reader, Result};
use crate::types::{
    FailureGroup, HistoryFilter, HistoryPage, HistoryRow, LastEnded, LogPage, NamespaceId,
};

pub(super) struct SqliteReader {
    db: PathBuf,
    conn: Connection,
}

impl SqliteReader {
    pub(super) fn open(dir: &Path) -> Result<Self> {
        let db = dir.join(DATABASE);
        let conn = settings::reader(&db).map_err(|fault| fault.of_reading(&db))?;
        Ok(Self { db, conn })
    }

    fn read<T>(
        &self,
        namespace: NamespaceId,
        read: impl FnOnce(&Connection, &Space) -> Tried<T>,
    ) -> Result<T> {
        let read = snapshot(&self.conn, |conn| read(conn, &space(conn, namespace)?));
        read.map_err(|fault| fault.of_reading(&self.db))
    }
}

fn space(conn: &Connection, namespace: NamespaceId) -> Tried<Space> {
    let mut found = conn.prepare_cached("SELECT * FROM namespaces WHERE id = ?")?;
    let space = found
        .query_one([namespace.0], |row| Ok(Space::from_row(row)))
        .optional()?
        .transpose()?;
    let space = space.filter(|space| !space.removed);
    space.ok_or_else(|| Fault::from(StoreError::UnknownNamespace(namespace)))
}

impl Reader for SqliteReader {
    fn find(&mut self, namespace: NamespaceId, task: u64) -> Result<Option<HistoryRow>> {
        self.read(namespace, |conn, _| history::find(conn, namespace, task))
    }

    fn list(
        &mut self,
        namespace: NamespaceId,
        filter: &HistoryFilter,
        before: Option<u64>,
        limit: usize,
    ) -> Result<HistoryPage> {
        self.read(namespace, |conn, _| {
            list::list(conn, namespace, filter, before, limit)
        })
    }

    fn failures(&mut self, namespace: NamespaceId, limit: usize) -> Result<Vec<FailureGroup>> {
        self.read(namespace, |conn, _| failures::list(conn, namespace, limit))
    }

    fn last_ended(&mut self, namespace: NamespaceId, resource: &str) -> Result<Vec<LastEnded>> {
        self.read(namespace, |conn, _| {
            list::last_ended(conn, namespace, resource)
        })
    }

    fn log(&mut self, namespace: NamespaceId, from: u64, limit: usize) -> Result<LogPage> {
        self.read(namespace, |conn, space| log::page(conn, space, from, limit))
    }

    fn folded_until(&mut self, namespace: NamespaceId) -> Result<Option<u64>> {
        self.read(namespace, log::folded_until)
    }

    fn backup(&mut self, to: &Path) -> Result<()> {
        backup::backup(&self.conn, to)
    }
}

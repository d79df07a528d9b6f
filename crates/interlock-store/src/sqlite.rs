//! The store on one machine: a SQLite database in a data directory.
//!
//! The directory holds `interlock.db` and what SQLite puts beside it, `lock` against a second
//! process, and `position`, by which a store that has lost its end is known.
//!
//! After a write or sync that failed with an unknown outcome the store is *poisoned*: it answers
//! nothing more until it is opened again, which reads everything anew.

mod append;
mod backup;
mod checkpoint;
mod failures;
mod fault;
mod folder;
mod history;
mod ledger;
mod list;
mod load;
mod lock;
mod log;
mod open;
mod purge;
mod reader;
mod room;
mod rows;
mod schema;
mod settings;
mod settings_table;
mod side_file;
mod stage;
mod tokens;
mod upgrade;
mod verify;
mod write_ahead_file;

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::check;
use crate::error::StoreError;
use crate::limits::{UNSYNCED_PAGES_MAX, WAL_PAGES_SOFT};
use crate::store::{Reader, Result, Store};
use crate::types::{
    Append, Checkpoint, HistoryRow, Loaded, Namespace, NamespaceId, NewToken, Purge, Purged,
    Sliced, Token,
};
pub use backup::backup_of;
use fault::{Fault, Tried, snapshot, transaction};
use folder::Folder;
use ledger::Ledger;
use lock::Lock;
use reader::SqliteReader;
use room::Room;
use side_file::Bounds;
use stage::Staged;
pub use verify::{Damage, NamespaceReport, Report, verify};

/// The name of the database in a data directory.
const DATABASE: &str = "interlock.db";

/// A store in a SQLite database.
pub struct SqliteStore {
    dir: PathBuf,
    /// Dropped before the connection, which is the last to go.
    folder: Folder,
    /// Dropped before the lock.
    conn: Connection,
    ledger: Ledger,
    /// Where the logs end.
    ends: BTreeMap<NamespaceId, u64>,
    /// What was written ahead of checkpoints. Of a namespace that is not in it nothing is known.
    staged: BTreeMap<NamespaceId, Staged>,
    /// Pages of the write-ahead file after which `tend` folds it.
    fold_after: u64,
    /// Pages in the write-ahead file, about.
    wal_pages: u64,
    /// Those of them that were written ahead since the last sync.
    unsynced_pages: u64,
    room: Room,
    /// Why nothing is answered any more.
    poisoned: Option<String>,
    _lock: Lock,
}

impl SqliteStore {
    /// Opens the store in a data directory, and makes both if there are none. Refuses one that is
    /// in use, damaged, or ends before what the side file says was in it.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self> {
        let dir = dir.as_ref();
        let opened = open::open(dir)?;
        let mut store = Self {
            dir: dir.to_owned(),
            folder: Folder::of(&dir.join(DATABASE)),
            conn: opened.conn,
            ledger: opened.ledger,
            ends: opened.ends,
            staged: BTreeMap::new(),
            fold_after: WAL_PAGES_SOFT,
            wal_pages: 0,
            unsynced_pages: 0,
            room: Room::of(&dir.join(DATABASE)),
            poisoned: None,
            _lock: opened.lock,
        };
        store.note_position()?;
        Ok(store)
    }

    /// Has [`tend`](Store::tend) move the write-ahead file into the database after this many pages,
    /// instead of [`WAL_PAGES_SOFT`], and [`keep_up`](Store::keep_up) after some times as many.
    pub fn fold_after(&mut self, pages: u64) {
        self.fold_after = pages;
    }

    fn healthy(&self) -> Result<()> {
        match &self.poisoned {
            Some(why) => Err(StoreError::Poisoned(why.clone())),
            None => Ok(()),
        }
    }

    fn poison(&mut self, why: String) {
        // The write-ahead file stays as it is for the next opening; if even that can't be said, the
        // next opening finds it folded.
        let _ = settings::fold_on_close(&self.conn, false);
        self.poisoned = Some(why);
    }

    /// What a failed transaction means, for this call and for all later ones.
    fn blame(&mut self, doing: &'static str, fault: Fault) -> StoreError {
        let (error, stop) = fault.of_writing(doing);
        if stop {
            self.poison(error.to_string());
        }
        if matches!(error, StoreError::Full { .. }) {
            // Folding the write-ahead file makes room in it.
            self.wal_pages = self.wal_pages.max(self.fold_after);
        }
        error
    }

    /// Any transaction but an append.
    fn write<T>(
        &mut self,
        doing: &'static str,
        work: impl FnOnce(&Connection, &mut Ledger) -> Tried<T>,
    ) -> Result<T> {
        self.healthy()?;
        let mut ledger = self.ledger.clone();
        let written = transaction(&self.conn, |conn| {
            let value = work(conn, &mut ledger)?;
            ledger.write_card(conn)?;
            Ok(value)
        });
        match written {
            Ok(value) => {
                self.ledger = ledger;
                self.keep_room();
                Ok(value)
            }
            Err(fault) => Err(self.blame(doing, fault)),
        }
    }

    /// A transaction of about so many pages that is on the disk when the next append is, and counts
    /// for nothing before. Without appends it is synced now and then, so that whoever syncs next has
    /// little to wait for.
    fn write_ahead<T>(
        &mut self,
        doing: &'static str,
        pages: u64,
        work: impl FnOnce(&Connection, &mut Ledger) -> Tried<T>,
    ) -> Result<T> {
        self.wal_pages += pages;
        self.unsynced_pages += pages;
        if self.unsynced_pages >= UNSYNCED_PAGES_MAX {
            self.unsynced_pages = 0;
            return self.write(doing, work);
        }
        self.write_unsynced(doing, work)
    }

    fn write_unsynced<T>(
        &mut self,
        doing: &'static str,
        work: impl FnOnce(&Connection, &mut Ledger) -> Tried<T>,
    ) -> Result<T> {
        self.healthy()?;
        settings::sync_commits(&self.conn, false).map_err(|fault| self.blame(doing, fault))?;
        let written = self.write(doing, work);
        if let Err(fault) = settings::sync_commits(&self.conn, true) {
            // Whatever the reason: without it nothing would be durable from now on.
            let (error, _) = fault.of_writing(doing);
            self.poison(error.to_string());
            return Err(StoreError::Poisoned(error.to_string()));
        }
        written
    }

    /// A transaction after which the side file is brought up to date.
    fn write_and_note<T>(
        &mut self,
        doing: &'static str,
        work: impl FnOnce(&Connection, &mut Ledger) -> Tried<T>,
    ) -> Result<T> {
        let value = self.write(doing, work)?;
        self.note_position()?;
        Ok(value)
    }

    fn read<T>(&self, read: impl FnOnce(&Connection) -> Tried<T>) -> Result<T> {
        self.healthy()?;
        snapshot(&self.conn, read).map_err(|fault| fault.of_reading(&self.dir.join(DATABASE)))
    }

    /// Writes the side file. On a full disk the old one stays, which is still true.
    fn note_position(&mut self) -> Result<()> {
        let bounds = Bounds {
            store: self.ledger.card.id,
            changes: self.ledger.card.changes,
            ends: self.ends.clone(),
        };
        match side_file::write(&self.dir, &bounds) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::StorageFull => Ok(()),
            Err(error) => {
                let why = format!("writing the side file `position` failed: {error}");
                self.poison(why.clone());
                Err(StoreError::Poisoned(why))
            }
        }
    }
}

impl Store for SqliteStore {
    fn generation(&self) -> u32 {
        self.ledger.card.generation
    }

    fn namespaces(&mut self) -> Result<Vec<Namespace>> {
        self.healthy()?;
        Ok(self
            .ledger
            .spaces()
            .map(|space| space.row.clone())
            .collect())
    }

    fn create_namespace(&mut self, name: &str, now_ms: u64) -> Result<Namespace> {
        check::name("namespace", name)?;
        check::number("now_ms", now_ms)?;
        if self.ledger.spaces().any(|space| space.row.name == name) {
            return Err(StoreError::NameTaken(name.to_owned()));
        }
        let made = self.write("making a namespace", |conn, ledger| {
            ledger.add_space(conn, name, now_ms)
        })?;
        self.ends.insert(made.id, check::FIRST_POSITION);
        self.note_position()?;
        Ok(made)
    }

    fn remove_namespace(&mut self, namespace: NamespaceId) -> Result<()> {
        self.write("removing a namespace", |conn, ledger| {
            ledger.change_space(conn, namespace, |space| {
                space.removed = true;
                Ok(())
            })
        })?;
        self.ends.remove(&namespace);
        self.note_position()
    }

    fn sweep(&mut self, limit: usize) -> Result<u64> {
        if self.ledger.removed().is_none() {
            return self.healthy().map(|()| 0);
        }
        self.write("sweeping", |conn, ledger| purge::sweep(conn, ledger, limit))
    }

    fn end(&mut self, namespace: NamespaceId) -> Result<u64> {
        self.healthy()?;
        let end = self.ends.get(&namespace).copied();
        end.ok_or(StoreError::UnknownNamespace(namespace))
    }

    fn append(&mut self, records: &[Append<'_>]) -> Result<()> {
        self.healthy()?;
        check::consumes_nothing(records)?;
        let ends = check::append(records, |of| self.ends.get(&of).copied())?;
        if let Err(fault) = append::append(&self.conn, records) {
            return Err(self.blame("appending to the log", fault));
        }
        self.ends.extend(ends);
        self.keep_room();
        self.unsynced_pages = 0;
        self.wal_pages += append::pages(records);
        Ok(())
    }

    fn keep_up(&mut self) -> Result<()> {
        self.healthy()?;
        self.fold_beside();
        self.healthy()
    }

    fn tend(&mut self) -> Result<()> {
        self.healthy()?;
        self.fold_if_much();
        self.healthy()
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        self.healthy()?;
        let end = self.end(checkpoint.namespace)?;
        let space = self.ledger.space(checkpoint.namespace)?;
        check::checkpoint(checkpoint, space.position, end)?;
        let staged = self.staged.remove(&checkpoint.namespace);
        self.write_and_note("a checkpoint", |conn, ledger| {
            checkpoint::checkpoint(conn, ledger, staged.as_ref(), checkpoint, end)
        })?;
        // Rarely more than a page each.
        self.wal_pages += (checkpoint.rows.len() + checkpoint.ended.len()) as u64;
        Ok(())
    }

    fn record(&mut self, namespace: NamespaceId, ended: &[HistoryRow]) -> Result<()> {
        check::history(ended)?;
        self.write("writing history", |conn, ledger| {
            checkpoint::record(conn, ledger, namespace, ended)
        })?;
        self.wal_pages += ended.len() as u64;
        Ok(())
    }

    fn stage(&mut self, checkpoint: &mut Sliced, limit: usize) -> Result<bool> {
        self.healthy()?;
        let namespace = checkpoint.namespace();
        let end = self.end(namespace)?;
        let position = self.ledger.space(namespace)?.position;
        check::bounds(checkpoint.frame(), position, end)?;
        let ended = checkpoint.next_ended(limit);
        if !ended.is_empty() {
            check::history(&ended)?;
            let pages = ended.len() as u64;
            self.write_ahead("writing history ahead", pages, |conn, ledger| {
                checkpoint::record(conn, ledger, namespace, &ended)
            })?;
            return Ok(true);
        }
        let tasks_before = self.ledger.space(namespace)?.tasks_before;
        let known = self.staged.remove(&namespace);
        let is_first = known.is_none();
        if is_first && checkpoint.is_begun {
            return Err(StoreError::BadCheckpoint {
                namespace,
                position: checkpoint.frame().position,
                why: "the namespace was loaded since it was begun",
            });
        }
        checkpoint.is_begun = true;
        let mut staged = known.unwrap_or_default();
        let rows = checkpoint.next_rows(limit, |change| staged.when(change, tasks_before));
        if !rows.is_empty() || is_first {
            check::rows(&rows)?;
            let pages = stage::pages(&rows);
            self.write_ahead("writing tasks ahead", pages, |conn, _| {
                if is_first {
                    stage::discard(conn, namespace, tasks_before)?;
                }
                staged.write(conn, namespace, &rows)
            })?;
        }
        self.staged.insert(namespace, staged);
        Ok(!rows.is_empty())
    }

    fn load(
        &mut self,
        namespace: NamespaceId,
        visit: &mut dyn FnMut(Loaded) -> ControlFlow<()>,
    ) -> Result<()> {
        let end = self.end(namespace)?;
        self.staged.remove(&namespace);
        let space = self.ledger.space(namespace)?;
        self.read(|conn| load::load(conn, space, end, visit))
    }

    fn purge(&mut self, namespace: NamespaceId, what: &Purge<'_>, limit: usize) -> Result<Purged> {
        self.write("purging history", |conn, ledger| {
            purge::purge(conn, ledger, namespace, what, limit)
        })
    }

    fn put_token(&mut self, token: &NewToken) -> Result<Token> {
        check::name("token", &token.name)?;
        check::number("created_ms", token.created_ms)?;
        self.write_and_note("keeping a token", |conn, ledger| {
            tokens::put(conn, ledger, token)
        })
    }

    fn tokens(&mut self) -> Result<Vec<Token>> {
        self.read(tokens::read)
    }

    fn revoke_token(&mut self, id: u64, now_ms: u64) -> Result<bool> {
        check::number("now_ms", now_ms)?;
        self.write_and_note("revoking a token", |conn, ledger| {
            tokens::revoke(conn, ledger, id, now_ms)
        })
    }

    fn put_setting(&mut self, name: &str, value: Option<&[u8]>) -> Result<()> {
        check::name("setting", name)?;
        self.write_and_note("keeping a setting", |conn, ledger| {
            settings_table::put(conn, ledger, name, value)
        })
    }

    fn setting(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        self.read(|conn| settings_table::get(conn, name))
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        self.healthy()?;
        Ok(Box::new(SqliteReader::open(&self.dir)?))
    }

    fn stop(mut self: Box<Self>) -> Result<()> {
        self.healthy()?;
        self.await_folder();
        self.healthy()?;
        // First, since slices of a checkpoint may not have been synced yet.
        open::fold(&self.conn)
            .map_err(|fault| self.blame("folding the write-ahead file", fault))?;
        self.note_position()
    }
}

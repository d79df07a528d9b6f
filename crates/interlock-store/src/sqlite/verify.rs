//! Checking a whole store, history and indexes included, and saying everything that is wrong.

mod history;

use std::ops::ControlFlow;
use std::path::Path;

use rusqlite::Connection;

use super::fault::{Tried, snapshot};
use super::ledger::{Ledger, Space};
use super::side_file::Bounds;
use super::{DATABASE, load, lock, log, open, schema, settings};
use crate::error::StoreError;
use crate::store::Result;
use crate::types::Namespace;

/// Damages that are listed; a store with more of them is not worth more lines.
const DAMAGES_MAX: usize = 100;

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The store's generation.
    pub generation: u32,
    /// Its namespaces.
    pub namespaces: Vec<NamespaceReport>,
    /// What is wrong; empty for a store that is whole.
    pub damages: Vec<Damage>,
}

/// How much there is in a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamespaceReport {
    /// Which one.
    pub namespace: Namespace,
    /// Rows of tasks and of other tables.
    pub rows: u64,
    /// Ended tasks.
    pub history: u64,
    /// Where the log begins.
    pub log_from: u64,
    /// Up to where it is folded into the rows.
    pub position: u64,
    /// Where it ends.
    pub end: u64,
}

/// Something wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where.
    pub place: String,
    /// How it shows.
    pub what: String,
}

impl Report {
    /// Was nothing found to be wrong?
    pub fn is_whole(&self) -> bool {
        self.damages.is_empty()
    }

    /// Lists what is wrong, and goes on after it; other errors end the check.
    fn note<T>(&mut self, found: Result<T>) -> Result<Option<T>> {
        let (place, what) = match found {
            Ok(value) => return Ok(Some(value)),
            Err(StoreError::Damaged { place, what }) => (place, what),
            Err(error @ (StoreError::Behind { .. } | StoreError::NewerSchema { .. })) => {
                ("the store".to_owned(), error.to_string())
            }
            Err(error) => return Err(error),
        };
        self.damages.push(Damage { place, what });
        self.damages.truncate(DAMAGES_MAX);
        Ok(None)
    }
}

/// Checks the store in a data directory, which must not be in use: every row, every record, every
/// ended task against its checksum, that none is missing, the side file, and SQLite's own check. The
/// database is left as it is.
pub fn verify(dir: impl AsRef<Path>) -> Result<Report> {
    let dir = dir.as_ref();
    let db = dir.join(DATABASE);
    if let Err(source) = db.metadata() {
        return Err(StoreError::Io {
            doing: "check the store in",
            path: dir.to_owned(),
            source,
        });
    }
    let _lock = lock::take(dir)?;
    let mut report = Report::default();
    let Some(side) = report.note(open::look_around(dir))? else {
        return Ok(report);
    };
    let conn = settings::reader(&db).map_err(|fault| fault.of_reading(&db));
    let Some(conn) = report.note(conn)? else {
        return Ok(report);
    };
    let check = Check { conn, db: &db };
    check.ledger(&mut report, side.as_ref())?;
    check.by_sqlite(&mut report)?;
    Ok(report)
}

struct Check<'a> {
    conn: Connection,
    db: &'a Path,
}

impl Check<'_> {
    fn read<T>(&self, read: impl FnOnce(&Connection) -> Tried<T>) -> Result<T> {
        snapshot(&self.conn, read).map_err(|fault| fault.of_reading(self.db))
    }

    fn ledger(&self, report: &mut Report, side: Option<&Bounds>) -> Result<()> {
        let ledger = self.read(|conn| {
            let version = schema::check(conn)?;
            Ok((version, Ledger::load(conn)?))
        });
        let Some((version, ledger)) = report.note(ledger)? else {
            return Ok(());
        };
        report.generation = ledger.card.generation;
        if side.is_none() && ledger.card.changes > 0 && !ledger.card.is_copy {
            let place = "the side file `position`";
            let missing = "it is missing, so that nobody can tell whether the store is complete";
            report.note::<()>(Err(StoreError::damaged(place, missing)))?;
        }
        let bounds = self.read(|conn| open::bounds(conn, &ledger));
        let Some(bounds) = report.note(bounds)? else {
            return Ok(());
        };
        report.note(open::compare(&bounds, side))?;
        for space in ledger.spaces() {
            self.space(report, version, space, bounds.ends[&space.row.id])?;
        }
        Ok(())
    }

    fn space(&self, report: &mut Report, version: i64, space: &Space, end: u64) -> Result<()> {
        report.namespaces.push(NamespaceReport {
            namespace: space.row.clone(),
            rows: space.rows.count,
            history: space.history.count,
            log_from: space.log_from,
            position: space.position,
            end,
        });
        let go_on = &mut |_| ControlFlow::Continue(());
        report.note(self.read(|conn| load::load(conn, space, end, go_on)))?;
        report.note(self.read(|conn| whole_log(conn, space, end)))?;
        report.note(self.read(|conn| history::check(conn, space)))?;
        if version == schema::VERSION {
            report.note(self.read(|conn| history::check_groups(conn, space.row.id)))?;
        }
        Ok(())
    }

    /// The structure of the file, and that tables and indexes agree.
    fn by_sqlite(&self, report: &mut Report) -> Result<()> {
        let found = self.read(|conn| {
            let sql = format!("PRAGMA integrity_check({DAMAGES_MAX})");
            let mut check = conn.prepare(&sql)?;
            let lines = check.query_map([], |row| row.get::<_, String>(0))?;
            Ok(lines.collect::<rusqlite::Result<Vec<_>>>()?)
        });
        for line in report.note(found)?.unwrap_or_default() {
            if line != "ok" {
                let place = "the database file";
                report.note::<()>(Err(StoreError::damaged(place, line)))?;
            }
        }
        Ok(())
    }
}

/// Also the part of the log that is folded and only kept for those who follow it.
fn whole_log(conn: &Connection, space: &Space, end: u64) -> Tried<()> {
    let mut reached = space.log_from;
    log::visit(conn, space, space.log_from, |record| {
        reached = record.next;
        true
    })?;
    if reached != end {
        let place = format!("the log of namespace {}, position {reached}", space.row.id);
        return Err(StoreError::damaged(place, "it ends there").into());
    }
    Ok(())
}

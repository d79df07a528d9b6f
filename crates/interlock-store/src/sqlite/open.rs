//! Opening a store: what is refused, in which order, and what the first opening of a copy does.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use rusqlite::Connection;

use super::fault::{Fault, Tried, transaction};
use super::ledger::Ledger;
use super::lock::{self, Lock};
use super::side_file::{self, Bounds};
use super::{DATABASE, backup, log, schema, settings, upgrade};
use crate::error::StoreError;
use crate::store::Result;
use crate::types::NamespaceId;

/// A store that was found to be whole.
pub(super) struct Opened {
    pub(super) conn: Connection,
    pub(super) ledger: Ledger,
    /// Where the logs end.
    pub(super) ends: BTreeMap<NamespaceId, u64>,
    pub(super) lock: Lock,
}

/// Opens the store in a data directory, and makes directory and store if there are none.
pub(super) fn open(dir: &Path) -> Result<Opened> {
    fs::create_dir_all(dir).map_err(|source| StoreError::Io {
        doing: "make the data directory",
        path: dir.to_owned(),
        source,
    })?;
    let lock = lock::take(dir)?;
    let side = look_around(dir)?;
    let db = dir.join(DATABASE);
    let opened = open_database(&db, side.as_ref());
    let (conn, ledger, ends) = opened.map_err(|fault| match fault {
        Fault::Sql(error) if is_full(&error) => {
            let doing = "opening the store";
            StoreError::Full { doing }
        }
        fault => fault.of_reading(&db),
    })?;
    Ok(Opened {
        conn,
        ledger,
        ends,
        lock,
    })
}

fn is_full(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull)
}

/// What the files say before any of them is opened: the side file, if there is one.
pub(super) fn look_around(dir: &Path) -> Result<Option<Bounds>> {
    if dir.join(backup::UNFINISHED).exists() {
        let place = dir.join(backup::UNFINISHED).display().to_string();
        return Err(StoreError::damaged(place, "this backup was not finished"));
    }
    let side = side_file::read(dir)?;
    let length = fs::metadata(dir.join(DATABASE)).map_or(0, |file| file.len());
    if side.is_some() && length == 0 {
        let what = "it is missing or empty, although the side file `position` is there";
        return Err(StoreError::damaged(
            format!("the database {DATABASE}"),
            what,
        ));
    }
    Ok(side)
}

type Database = (Connection, Ledger, BTreeMap<NamespaceId, u64>);

fn open_database(db: &Path, side: Option<&Bounds>) -> Tried<Database> {
    let conn = settings::writer(db)?;
    if side.is_none() && schema::is_empty(&conn)? {
        transaction(&conn, |conn| {
            schema::create(conn)?;
            Ledger::create(conn)
        })?;
    }
    let version = schema::check(&conn)?;
    let mut ledger = Ledger::load(&conn)?;
    let bounds = bounds(&conn, &ledger)?;
    compare(&bounds, side)?;
    // Everything that the write-ahead file holds is written again and synced before anybody relies
    // on it: if the last process ended because a sync had failed, what the file seems to hold may
    // not be on the disk.
    fold(&conn)?;
    if version < schema::VERSION {
        upgrade::upgrade(&conn, &mut ledger, version)?;
    }
    // Without its side file nobody knows what a store may have lost.
    let doubtful = side.is_none() && ledger.card.changes > 0;
    if ledger.card.is_copy || doubtful {
        raise_generation(&conn, &mut ledger)?;
    }
    settings::fold_on_close(&conn, true)?;
    Ok((conn, ledger, bounds.ends))
}

/// Where the store is, to be noted in the side file.
pub(super) fn bounds(conn: &Connection, ledger: &Ledger) -> Tried<Bounds> {
    let mut ends = BTreeMap::new();
    for space in ledger.spaces() {
        ends.insert(space.row.id, log::end(conn, space)?);
    }
    for space in ledger.spaces() {
        let end = ends[&space.row.id];
        if end < space.position {
            let place = format!("the log of namespace {}, position {end}", space.row.id);
            let what = format!("it ends there, and the checkpoint is at {}", space.position);
            return Err(StoreError::damaged(place, what).into());
        }
    }
    Ok(Bounds {
        store: ledger.card.id,
        changes: ledger.card.changes,
        ends,
    })
}

/// Refuses a store that lacks what the side file says.
pub(super) fn compare(found: &Bounds, side: Option<&Bounds>) -> Result<()> {
    let Some(side) = side else { return Ok(()) };
    if side.store != found.store {
        let what = "it belongs to another store than the database beside it";
        return Err(StoreError::damaged("the side file `position`", what));
    }
    if found.changes < side.changes {
        return Err(StoreError::Behind {
            place: "the count of changes".to_owned(),
            expected: side.changes,
            found: found.changes,
        });
    }
    for (namespace, &expected) in &side.ends {
        // One that is not there was removed since: the count of changes says so.
        let Some(&end) = found.ends.get(namespace) else {
            continue;
        };
        if end < expected {
            return Err(StoreError::Behind {
                place: format!("the log of namespace {namespace}"),
                expected,
                found: end,
            });
        }
    }
    Ok(())
}

/// Moves the whole write-ahead file into the database, synced.
pub(super) fn fold(conn: &Connection) -> Tried<()> {
    conn.query_one("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

/// What was promised in the same positions by the store that went on without this copy must not be
/// mistaken for what is promised from now on. The same copy may be restored twice, so that counting
/// does not do: the time tells the two restored stores apart.
fn raise_generation(conn: &Connection, ledger: &mut Ledger) -> Tried<()> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = since.map_or(0, |since| {
        u32::try_from(since.as_secs()).unwrap_or(u32::MAX)
    });
    transaction(conn, |conn| {
        ledger.card.generation = now.max(ledger.card.generation.saturating_add(1));
        ledger.card.is_copy = false;
        ledger.write_card(conn)
    })
}

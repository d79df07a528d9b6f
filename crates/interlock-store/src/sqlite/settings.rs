//! The settings of SQLite that durability rests on: made, then read back, and refused if they are
//! not in force. (A file system without shared memory, for instance, has no write-ahead log.)

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::fault::Tried;
use crate::error::StoreError;

/// How long to wait for a lock of somebody who looks at the database with another program.
const PATIENCE: Duration = Duration::from_secs(5);
/// Statements kept ready per connection: more than there are in this crate.
const STATEMENTS: usize = 128;

/// Each with the value that it must be read back as.
const WRITER: &[(&str, &str, &str)] = &[
    ("journal_mode", "WAL", "wal"),
    // Every commit is synced.
    ("synchronous", "FULL", "2"),
    // The store does it, where nobody waits and where a failure is seen.
    ("wal_autocheckpoint", "0", "0"),
    // A page whose cells don't fit together is an error, not a guess.
    ("cell_size_check", "ON", "1"),
    ("trusted_schema", "OFF", "0"),
    ("temp_store", "MEMORY", "2"),
    // 64 MiB, so that the hot ends of the history's indexes stay in memory.
    ("cache_size", "-65536", "-65536"),
];

/// For the connection that does nothing but move the write-ahead file, and syncs what it moves.
const FOLDER: &[(&str, &str, &str)] = &[
    ("synchronous", "FULL", "2"),
    ("wal_autocheckpoint", "0", "0"),
    ("trusted_schema", "OFF", "0"),
];

const READER: &[(&str, &str, &str)] = &[
    ("query_only", "ON", "1"),
    ("wal_autocheckpoint", "0", "0"),
    ("cell_size_check", "ON", "1"),
    ("trusted_schema", "OFF", "0"),
    ("temp_store", "MEMORY", "2"),
    ("cache_size", "-8192", "-8192"),
];

/// The connection that writes. It leaves the write-ahead file alone when it is closed, until
/// [`fold_on_close`] says otherwise, so that a store that is refused stays as it was found.
pub(super) fn writer(db: &Path) -> Tried<Connection> {
    let conn = open(
        db,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
    )?;
    apply(&conn, WRITER)?;
    Ok(conn)
}

/// A connection that only reads.
pub(super) fn reader(db: &Path) -> Tried<Connection> {
    // Opened for writing all the same: readers of a write-ahead log have to mark where they read.
    let conn = open(db, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    apply(&conn, READER)?;
    Ok(conn)
}

/// Whether closing the connection folds the write-ahead file into the database.
pub(super) fn fold_on_close(conn: &Connection, fold: bool) -> Tried<()> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !fold)?;
    Ok(())
}

/// Whether each commit of the writer is synced, as it is unless this says otherwise.
pub(super) fn sync_commits(conn: &Connection, sync: bool) -> Tried<()> {
    // Not from the cache of statements: these take effect when they are prepared.
    let setting = match sync {
        true => ("synchronous", "FULL", "2"),
        false => ("synchronous", "NORMAL", "1"),
    };
    apply(conn, &[setting])
}

/// A connection that only moves the write-ahead file into the database.
pub(super) fn folder(db: &Path) -> Tried<Connection> {
    let conn = open(db, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    apply(&conn, FOLDER)?;
    Ok(conn)
}

fn open(db: &Path, flags: OpenFlags) -> Tried<Connection> {
    let conn = Connection::open_with_flags(db, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(PATIENCE)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    fold_on_close(&conn, false)?;
    Ok(conn)
}

fn apply(conn: &Connection, settings: &[(&'static str, &str, &str)]) -> Tried<()> {
    for &(name, value, wanted) in settings {
        conn.pragma_update_and_check(None, name, value, |_| Ok(()))
            .or_else(|error| match error {
                // Most of them answer nothing.
                rusqlite::Error::QueryReturnedNoRows => Ok(()),
                error => Err(error),
            })?;
        let found: String = conn.pragma_query_value(None, name, |row| {
            Ok(match row.get_ref(0)? {
                rusqlite::types::ValueRef::Integer(number) => number.to_string(),
                other => other.as_str()?.to_owned(),
            })
        })?;
        if found != wanted {
            let wanted = wanted.to_owned();
            return Err(StoreError::Settings {
                name,
                wanted,
                found,
            }
            .into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_synced_again_and_again() {
        let dir = tempfile::tempdir().expect("a directory");
        let conn = writer(&dir.path().join("db")).expect("a database");
        let level = || -> i64 {
            let read = conn.query_one("PRAGMA synchronous", [], |row| row.get(0));
            read.expect("a level")
        };
        for _ in 0..3 {
            assert_eq!(level(), 2);
            sync_commits(&conn, false).expect("it can be turned off");
            assert_eq!(level(), 1);
            sync_commits(&conn, true).expect("and on");
        }
        assert_eq!(level(), 2);
    }
}

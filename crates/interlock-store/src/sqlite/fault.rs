//! What an error of SQLite means for whoever called the store.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, ffi};

use crate::error::StoreError;

/// The result of something tried on the database.
pub(super) type Tried<T> = Result<T, Fault>;

/// Something tried on the database failed.
#[derive(Debug)]
pub(super) enum Fault {
    /// Refused by the store itself, for a reason that is already clear.
    Refused(StoreError),
    /// Failed in SQLite.
    Sql(rusqlite::Error),
    /// Failed, and could not be taken back either.
    Stuck(rusqlite::Error),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl Fault {
    /// What it means where nothing was being written.
    pub(super) fn of_reading(self, db: &Path) -> StoreError {
        let error = match self {
            Self::Refused(error) => return error,
            Self::Sql(error) | Self::Stuck(error) => error,
        };
        match meaning(&error) {
            Meaning::Contended => StoreError::Contended,
            Meaning::Damaged => damaged(&error),
            Meaning::Full | Meaning::Doubtful => StoreError::Io {
                doing: "read",
                path: db.to_owned(),
                source: std::io::Error::other(error.to_string()),
            },
        }
    }

    /// What it means for a transaction, and whether the store must stop because of it.
    pub(super) fn of_writing(self, doing: &'static str) -> (StoreError, bool) {
        let error = match self {
            // Whatever it is, the transaction was taken back.
            Self::Refused(error) => return (error, false),
            Self::Stuck(error) => return (poisoned(doing, &error), true),
            Self::Sql(error) => error,
        };
        match meaning(&error) {
            Meaning::Contended => (StoreError::Contended, false),
            Meaning::Full => (StoreError::Full { doing }, false),
            Meaning::Damaged => (damaged(&error), true),
            Meaning::Doubtful => (poisoned(doing, &error), true),
        }
    }
}

fn damaged(error: &rusqlite::Error) -> StoreError {
    StoreError::damaged("the database file", error.to_string())
}

fn poisoned(doing: &'static str, error: &rusqlite::Error) -> StoreError {
    StoreError::Poisoned(format!("{doing} failed, outcome unknown: {error}"))
}

enum Meaning {
    /// Somebody else holds a lock.
    Contended,
    /// No room; SQLite took the transaction back.
    Full,
    /// What was read makes no sense.
    Damaged,
    /// Anything may be on the disk.
    Doubtful,
}

fn meaning(error: &rusqlite::Error) -> Meaning {
    use rusqlite::Error;
    match error {
        Error::SqliteFailure(failure, _) => match failure.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Meaning::Contended,
            ErrorCode::DiskFull => Meaning::Full,
            ErrorCode::SystemIoFailure => match failure.extended_code {
                ffi::SQLITE_IOERR_SHORT_READ => Meaning::Damaged,
                _ => Meaning::Doubtful,
            },
            ErrorCode::OutOfMemory | ErrorCode::CannotOpen | ErrorCode::ReadOnly => {
                Meaning::Doubtful
            }
            // Constraints that the store keeps by itself, statements that no longer fit the tables.
            _ => Meaning::Damaged,
        },
        // Columns of the wrong type, numbers out of range, text that is none.
        _ => Meaning::Damaged,
    }
}

/// Runs something as one durable transaction: all of it or nothing.
pub(super) fn transaction<T>(
    conn: &Connection,
    work: impl FnOnce(&Connection) -> Tried<T>,
) -> Tried<T> {
    conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    let done = work(conn).and_then(|value| {
        conn.prepare_cached("COMMIT")?.execute([])?;
        Ok(value)
    });
    if done.is_err() && !conn.is_autocommit() {
        conn.execute_batch("ROLLBACK").map_err(Fault::Stuck)?;
    }
    done
}

/// Runs something that only reads, as of one moment.
pub(super) fn snapshot<T>(
    conn: &Connection,
    work: impl FnOnce(&Connection) -> Tried<T>,
) -> Tried<T> {
    conn.prepare_cached("BEGIN")?.execute([])?;
    let done = work(conn);
    if !conn.is_autocommit() {
        conn.prepare_cached("ROLLBACK")?.execute([])?;
    }
    done
}

/// A number for a signed column. What callers pass is checked at the door; this keeps an oversight
/// from being stored.
pub(super) fn column(number: u64) -> i64 {
    i64::try_from(number).expect("checked to be below 2^63")
}

/// A number from a signed column that can't be negative unless it is damaged.
pub(super) fn number(column: i64) -> Tried<u64> {
    let damaged = |_| StoreError::damaged("the database file", "a number is negative");
    u64::try_from(column).map_err(|error| damaged(error).into())
}

//! The tables, and whether a database has exactly these.
//!
//! Every table whose rows can't be derived from others has a checksum per row (`sum`), over all its
//! other columns. Sums and random numbers are 64 bits wide and stand in signed columns.

use rusqlite::Connection;

use super::fault::Tried;
use super::upgrade;
use crate::error::StoreError;

/// "Ilck": what `file` and others may know the database by.
const APPLICATION_ID: i64 = 0x496c_636b;
/// Raised with every change of the tables.
pub(super) const VERSION: i64 = 3;

const TABLES: &str = r#"
-- One row: the store itself. `small_count` and `small_sum` cover namespaces, tokens and settings.
CREATE TABLE store (
    one INTEGER PRIMARY KEY,
    id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    is_copy INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    namespaces_made INTEGER NOT NULL,
    tokens_made INTEGER NOT NULL,
    small_count INTEGER NOT NULL,
    small_sum INTEGER NOT NULL,
    sum INTEGER NOT NULL
) STRICT;

-- `position`: the rows are the fold of the log before it. `log_from`: the log begins there.
-- `tasks_before`: rows of `tasks` from this id on belong to a checkpoint that is not complete.
CREATE TABLE namespaces (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    position INTEGER NOT NULL,
    log_from INTEGER NOT NULL,
    tasks_before INTEGER NOT NULL,
    rows_count INTEGER NOT NULL,
    rows_sum INTEGER NOT NULL,
    history_count INTEGER NOT NULL,
    history_sum INTEGER NOT NULL,
    sum INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    hash BLOB NOT NULL,
    hint TEXT NOT NULL,
    namespace INTEGER,
    scopes TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    revoked_ms INTEGER,
    sum INTEGER NOT NULL
) STRICT;

CREATE TABLE settings (
    name TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL,
    sum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
    namespace INTEGER NOT NULL,
    task INTEGER NOT NULL,
    kind TEXT NOT NULL,
    resources TEXT NOT NULL,
    stage TEXT NOT NULL,
    priority INTEGER NOT NULL,
    submitted_ms INTEGER NOT NULL,
    body BLOB NOT NULL,
    sum INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX tasks_by_id ON tasks (namespace, task);

CREATE TABLE "rows" (
    namespace INTEGER NOT NULL,
    "table" INTEGER NOT NULL,
    "key" BLOB NOT NULL,
    body BLOB NOT NULL,
    sum INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX rows_by_key ON "rows" (namespace, "table", "key");

-- Derived from history, as all below.
CREATE TABLE history_resources (
    namespace INTEGER NOT NULL,
    resource TEXT NOT NULL,
    kind TEXT NOT NULL,
    outcome TEXT NOT NULL,
    task INTEGER NOT NULL,
    PRIMARY KEY (namespace, resource, kind, outcome, task)
) STRICT, WITHOUT ROWID;

CREATE TABLE history_aliases (
    namespace INTEGER NOT NULL,
    alias INTEGER NOT NULL,
    task INTEGER NOT NULL,
    PRIMARY KEY (namespace, alias, task)
) STRICT, WITHOUT ROWID;

CREATE TABLE failures (
    namespace INTEGER NOT NULL,
    kind TEXT NOT NULL,
    error TEXT NOT NULL,
    count INTEGER NOT NULL,
    resources INTEGER NOT NULL,
    last_task INTEGER NOT NULL,
    PRIMARY KEY (namespace, kind, error)
) STRICT, WITHOUT ROWID;
CREATE INDEX failures_by_last ON failures (namespace, last_task);

CREATE TABLE failure_resources (
    namespace INTEGER NOT NULL,
    kind TEXT NOT NULL,
    error TEXT NOT NULL,
    resource TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (namespace, kind, error, resource)
) STRICT, WITHOUT ROWID;
"#;

/// The log. In the order in which it is written, whatever the namespace: SQLite then puts a record
/// after the last one, and leaves the pages before it alone. (With the namespace and the position as
/// the key of the table itself an append that filled a page moved records between its neighbours.)
pub(super) const LOG: &str = r#"
CREATE TABLE log (
    namespace INTEGER NOT NULL,
    position INTEGER NOT NULL,
    next INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    sum INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX log_by_position ON log (namespace, position);
"#;

/// Ended tasks. These and the log stand apart: they are what [`super::upgrade`] makes anew.
pub(super) const HISTORY: &str = r#"
CREATE TABLE history (
    namespace INTEGER NOT NULL,
    task INTEGER NOT NULL,
    kind TEXT NOT NULL,
    outcome TEXT NOT NULL,
    resources TEXT NOT NULL,
    submitted_ms INTEGER NOT NULL,
    ended_ms INTEGER NOT NULL,
    worker TEXT,
    groups TEXT NOT NULL,
    schedule TEXT,
    parent INTEGER,
    tags TEXT NOT NULL,
    error TEXT,
    aliases TEXT NOT NULL,
    expires_ms INTEGER NOT NULL,
    body BLOB NOT NULL,
    sum INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX history_by_id ON history (namespace, task);
CREATE INDEX history_by_kind ON history (namespace, kind, outcome, task);
CREATE INDEX history_by_expiry ON history (namespace, expires_ms, task);
CREATE INDEX history_by_schedule ON history (namespace, schedule, task) WHERE schedule IS NOT NULL;
CREATE INDEX history_by_parent ON history (namespace, parent, task) WHERE parent IS NOT NULL;
CREATE INDEX history_by_error ON history (namespace, kind, error, task) WHERE error IS NOT NULL;

-- Derived from history.
CREATE TABLE history_groups (
    namespace INTEGER NOT NULL,
    "group" INTEGER NOT NULL,
    task INTEGER NOT NULL,
    PRIMARY KEY (namespace, "group", task)
) STRICT, WITHOUT ROWID;
"#;

/// Makes the tables in an empty database, within the transaction that is open.
pub(super) fn create(conn: &Connection) -> Tried<()> {
    conn.execute_batch(TABLES)?;
    conn.execute_batch(LOG)?;
    conn.execute_batch(HISTORY)?;
    conn.pragma_update(None, "application_id", APPLICATION_ID)?;
    conn.pragma_update(None, "user_version", VERSION)?;
    Ok(())
}

/// Is there nothing at all in this database?
pub(super) fn is_empty(conn: &Connection) -> Tried<bool> {
    let empty = "SELECT count(*) = 0 FROM sqlite_schema";
    Ok(conn.query_one(empty, [], |row| row.get(0))?)
}

/// Which version of the tables a database has. Refuses one whose tables are not exactly those of a
/// version: a damaged name or a missing index would otherwise show as data that was never there.
pub(super) fn check(conn: &Connection) -> Tried<i64> {
    let number =
        |name: &str| -> Tried<i64> { Ok(conn.pragma_query_value(None, name, |row| row.get(0))?) };
    if number("application_id")? != APPLICATION_ID {
        let what = "it is not a database of Interlock's";
        return Err(StoreError::damaged("the database header", what).into());
    }
    let found = number("user_version")?;
    let (log, history) = match found {
        VERSION => (LOG, HISTORY),
        2 => (upgrade::LOG_2, HISTORY),
        1 => (upgrade::LOG_2, upgrade::HISTORY_1),
        _ if found > VERSION => {
            let known = VERSION;
            return Err(StoreError::NewerSchema { found, known }.into());
        }
        _ => ("", ""),
    };
    if tables_of(conn)? != expected(log, history)? {
        let what = "the tables are not those of this version";
        return Err(StoreError::damaged("the database schema", what).into());
    }
    Ok(found)
}

type Tables = Vec<(String, String, String, Option<String>)>;

fn tables_of(conn: &Connection) -> Tried<Tables> {
    let listed = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name";
    let mut listed = conn.prepare(listed)?;
    let rows = listed.query_map([], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn expected(log: &str, history: &str) -> Tried<Tables> {
    let conn = Connection::open_in_memory()?;
    conn.execute_batch(TABLES)?;
    conn.execute_batch(log)?;
    conn.execute_batch(history)?;
    tables_of(&conn)
}

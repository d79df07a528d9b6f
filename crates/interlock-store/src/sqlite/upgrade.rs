//! Databases whose tables are those of an earlier version.

use rusqlite::Connection;

use super::fault::{Tried, transaction};
use super::ledger::Ledger;
use super::schema;

/// The tables of ended tasks in version 1, where a task had one group at most.
pub(super) const HISTORY_1: &str = r#"
CREATE TABLE history (
    namespace INTEGER NOT NULL,
    task INTEGER NOT NULL,
    kind TEXT NOT NULL,
    outcome TEXT NOT NULL,
    resources TEXT NOT NULL,
    submitted_ms INTEGER NOT NULL,
    ended_ms INTEGER NOT NULL,
    worker TEXT,
    "group" INTEGER,
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
CREATE INDEX history_by_group ON history (namespace, "group", task) WHERE "group" IS NOT NULL;
CREATE INDEX history_by_schedule ON history (namespace, schedule, task) WHERE schedule IS NOT NULL;
CREATE INDEX history_by_parent ON history (namespace, parent, task) WHERE parent IS NOT NULL;
CREATE INDEX history_by_error ON history (namespace, kind, error, task) WHERE error IS NOT NULL;
"#;

/// A task's one group becomes a list. Rows keep their checksums, which are the same for one group as
/// for a list of one, so that a damaged row stays a damaged row.
const FROM_1: &str = r#"
DROP INDEX history_by_id;
DROP INDEX history_by_kind;
DROP INDEX history_by_expiry;
DROP INDEX history_by_group;
DROP INDEX history_by_schedule;
DROP INDEX history_by_parent;
DROP INDEX history_by_error;
ALTER TABLE history RENAME TO history_1;
"#;
const COPY_1: &str = r#"
INSERT INTO history SELECT namespace, task, kind, outcome, resources, submitted_ms, ended_ms, worker,
    ifnull(CAST("group" AS TEXT), ''), schedule, parent, tags, error, aliases, expires_ms, body, sum
    FROM history_1;
INSERT INTO history_groups SELECT namespace, "group", task FROM history_1 WHERE "group" IS NOT NULL;
DROP TABLE history_1;
"#;

/// The log until version 2.
pub(super) const LOG_2: &str = r#"
CREATE TABLE log (
    namespace INTEGER NOT NULL,
    position INTEGER NOT NULL,
    next INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (namespace, position)
) STRICT, WITHOUT ROWID;
"#;

/// Its records are put one after the other.
const FROM_2: &str = "ALTER TABLE log RENAME TO log_2;";
const COPY_2: &str = "
INSERT INTO log SELECT * FROM log_2 ORDER BY namespace, position;
DROP TABLE log_2;
";

/// Brings the tables of a database that was found to be of this earlier version to the present one, as
/// one transaction.
pub(super) fn upgrade(conn: &Connection, ledger: &mut Ledger, found: i64) -> Tried<()> {
    transaction(conn, |conn| {
        if found == 1 {
            conn.execute_batch(FROM_1)?;
            conn.execute_batch(schema::HISTORY)?;
            conn.execute_batch(COPY_1)?;
        }
        conn.execute_batch(FROM_2)?;
        conn.execute_batch(schema::LOG)?;
        conn.execute_batch(COPY_2)?;
        conn.pragma_update(None, "user_version", schema::VERSION)?;
        ledger.write_card(conn)
    })?;
    schema::check(conn)?;
    Ok(())
}

//! Folding the log into the tables: rows, history and the deletion of records in one transaction.

use rusqlite::{Connection, OptionalExtension, params};

use super::fault::{Tried, column, number};
use super::ledger::Ledger;
use super::stage::{self, Staged};
use super::{history, rows};
use crate::types::{Checkpoint, HistoryRow, NamespaceId, RowChange};

/// Applies what is left of a checkpoint that was checked to fit the log, which ends at `end`.
/// `staged` was written ahead; if nothing is known of that, what there may be is deleted.
pub(super) fn checkpoint(
    conn: &Connection,
    ledger: &mut Ledger,
    staged: Option<&Staged>,
    checkpoint: &Checkpoint,
    end: u64,
) -> Tried<()> {
    let of = checkpoint.namespace;
    ledger.change_space(conn, of, |space| {
        match staged {
            Some(staged) => space.rows.join(staged.rows),
            None => stage::discard(conn, of, space.tasks_before)?,
        }
        let new = checkpoint.rows.iter().filter_map(put_task).max();
        let end_of_staged = staged.map_or(0, Staged::end);
        space.tasks_before = (space.tasks_before)
            .max(end_of_staged)
            .max(new.map_or(0, |task| task + 1));
        for change in &checkpoint.rows {
            rows::change(conn, of, &mut space.rows, change)?;
        }
        history::put(conn, of, &mut space.history, &checkpoint.ended)?;
        space.position = checkpoint.position;
        let sql = "DELETE FROM log WHERE namespace = ? AND position < ? AND next <= ?";
        let keep_from = column(checkpoint.keep_log_from);
        conn.prepare_cached(sql)?
            .execute(params![of.0, keep_from, keep_from])?;
        space.log_from = first(conn, of)?.unwrap_or(end);
        Ok(())
    })
}

fn put_task(change: &RowChange) -> Option<u64> {
    match change {
        RowChange::PutTask { task, .. } => Some(*task),
        _ => None,
    }
}

/// Writes history ahead of a checkpoint.
pub(super) fn record(
    conn: &Connection,
    ledger: &mut Ledger,
    of: NamespaceId,
    ended: &[HistoryRow],
) -> Tried<()> {
    ledger.change_space(conn, of, |space| {
        history::put(conn, of, &mut space.history, ended)
    })
}

fn first(conn: &Connection, of: NamespaceId) -> Tried<Option<u64>> {
    let sql = "SELECT position FROM log WHERE namespace = ? ORDER BY position LIMIT 1";
    let first: Option<i64> = conn
        .prepare_cached(sql)?
        .query_one([of.0], |row| row.get(0))
        .optional()?;
    first.map(number).transpose()
}

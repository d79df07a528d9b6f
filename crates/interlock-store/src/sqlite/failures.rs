//! Failed tasks grouped by kind and error. The groups are kept as rows come and go, so that showing
//! them costs the same however many tasks have failed.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, params};

use super::fault::{Tried, column, number};
use super::history;
use crate::error::StoreError;
use crate::types::{FailureGroup, HistoryRow, NamespaceId};

/// A failed task has come into the history.
pub(super) fn add(conn: &Connection, of: NamespaceId, row: &HistoryRow, error: &str) -> Tried<()> {
    let mut new = 0;
    let sql = "INSERT INTO failure_resources VALUES (?, ?, ?, ?, 1)
        ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count";
    let mut count = conn.prepare_cached(sql)?;
    for resource in distinct(row) {
        let now: i64 =
            count.query_one(params![of.0, row.kind, error, resource], |row| row.get(0))?;
        new += i64::from(now == 1);
    }
    let sql = "INSERT INTO failures VALUES (?1, ?2, ?3, 1, ?4, ?5) ON CONFLICT DO UPDATE
        SET count = count + 1, resources = resources + ?4, last_task = max(last_task, ?5)";
    conn.prepare_cached(sql)?
        .execute(params![of.0, row.kind, error, new, column(row.task)])?;
    Ok(())
}

/// A failed task has been deleted from the history.
pub(super) fn remove(
    conn: &Connection,
    of: NamespaceId,
    row: &HistoryRow,
    error: &str,
) -> Tried<()> {
    let key = params![of.0, row.kind, error];
    let mut gone: i64 = 0;
    let sql = "UPDATE failure_resources SET count = count - 1
        WHERE namespace = ? AND kind = ? AND error = ? AND resource = ? RETURNING count";
    let mut count = conn.prepare_cached(sql)?;
    let sql = "DELETE FROM failure_resources
        WHERE namespace = ? AND kind = ? AND error = ? AND resource = ?";
    let mut delete = conn.prepare_cached(sql)?;
    for resource in distinct(row) {
        let key = params![of.0, row.kind, error, resource];
        let left: Option<i64> = count.query_one(key, |row| row.get(0)).optional()?;
        if left == Some(0) {
            delete.execute(key)?;
            gone += 1;
        }
    }
    match end(conn, of, &row.kind, error, "DESC")? {
        Some(last) => {
            let sql = "UPDATE failures SET count = count - 1, resources = resources - ?4,
                last_task = ?5 WHERE namespace = ?1 AND kind = ?2 AND error = ?3";
            let change = params![of.0, row.kind, error, gone, column(last)];
            conn.prepare_cached(sql)?.execute(change)?;
        }
        None => {
            let sql = "DELETE FROM failures WHERE namespace = ? AND kind = ? AND error = ?";
            conn.prepare_cached(sql)?.execute(key)?;
        }
    }
    Ok(())
}

fn distinct(row: &HistoryRow) -> BTreeSet<&String> {
    row.resources.iter().collect()
}

/// The task of a group with the lowest (`ASC`) or highest (`DESC`) id.
fn end(
    conn: &Connection,
    of: NamespaceId,
    kind: &str,
    error: &str,
    order: &str,
) -> Tried<Option<u64>> {
    let sql = format!(
        "SELECT task FROM history INDEXED BY history_by_error
        WHERE namespace = ? AND kind = ? AND error = ? ORDER BY task {order} LIMIT 1"
    );
    let task: Option<i64> = conn
        .prepare_cached(&sql)?
        .query_one(params![of.0, kind, error], |row| row.get(0))
        .optional()?;
    task.map(number).transpose()
}

/// The groups with the latest tasks.
pub(super) fn list(conn: &Connection, of: NamespaceId, limit: usize) -> Tried<Vec<FailureGroup>> {
    let sql = "SELECT kind, error, count, resources, last_task FROM failures
        WHERE namespace = ? ORDER BY last_task DESC LIMIT ?";
    let mut listed = conn.prepare_cached(sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = listed.query(params![of.0, limit])?;
    let mut groups = Vec::new();
    while let Some(row) = rows.next()? {
        let (kind, error): (String, String) = (row.get(0)?, row.get(1)?);
        let ended = |task: Option<u64>| -> Tried<HistoryRow> {
            let row = task.map(|task| history::get(conn, of, task)).transpose()?;
            row.flatten()
                .ok_or_else(|| missing(of, &kind, &error).into())
        };
        let first = ended(end(conn, of, &kind, &error, "ASC")?)?;
        let last = ended(Some(number(row.get(4)?)?))?;
        groups.push(FailureGroup {
            count: number(row.get(2)?)?,
            resources: number(row.get(3)?)?,
            first_task: first.task,
            first_ms: first.ended_ms,
            last_task: last.task,
            last_ms: last.ended_ms,
            kind,
            error,
        });
    }
    Ok(groups)
}

fn missing(of: NamespaceId, kind: &str, error: &str) -> StoreError {
    let place = format!("the failures of {kind} with {error:?} in namespace {of}");
    StoreError::damaged(place, "one of the tasks is not in the history")
}

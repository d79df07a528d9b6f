//! Reading the log.

use rusqlite::{Connection, Row, params};

use super::fault::{Tried, column, number};
use super::ledger::Space;
use crate::error::StoreError;
use crate::limits::ANSWER_BYTES_MAX;
use crate::sums;
use crate::types::{LogPage, LogRecord, NamespaceId};

/// Where the log of a namespace ends: after its last record, or, when all were folded, at the
/// checkpoint.
pub(super) fn end(conn: &Connection, space: &Space) -> Tried<u64> {
    let last = "SELECT * FROM log WHERE namespace = ? ORDER BY position DESC LIMIT 1";
    let mut last = conn.prepare_cached(last)?;
    let mut rows = last.query([space.row.id.0])?;
    match rows.next()? {
        Some(row) => Ok(from_row(space.row.id, row)?.next),
        None => Ok(space.log_from),
    }
}

/// Visits the records that end after a position, verifying that they follow upon each other. The
/// visitor says whether to go on.
pub(super) fn visit(
    conn: &Connection,
    space: &Space,
    from: u64,
    mut visitor: impl FnMut(LogRecord) -> bool,
) -> Tried<()> {
    let namespace = space.row.id;
    let first = first_position(conn, namespace, from)?;
    let sql = "SELECT * FROM log WHERE namespace = ? AND position >= ? ORDER BY position";
    let mut records = conn.prepare_cached(sql)?;
    let mut rows = records.query(params![namespace.0, column(first)])?;
    let mut expected = None;
    while let Some(row) = rows.next()? {
        let record = from_row(namespace, row)?;
        let fits = match expected {
            Some(expected) => record.position == expected,
            None => record.position <= from,
        };
        if !fits {
            return Err(gap(namespace, expected.unwrap_or(from), record.position).into());
        }
        expected = Some(record.next);
        if record.next > from && !visitor(record) {
            return Ok(());
        }
    }
    Ok(())
}

fn gap(namespace: NamespaceId, expected: u64, found: u64) -> StoreError {
    let place = format!("the log of namespace {namespace}, position {expected}");
    StoreError::damaged(place, format!("the next record begins at {found}"))
}

/// The last record that begins at or before a position.
fn first_position(conn: &Connection, namespace: NamespaceId, from: u64) -> Tried<u64> {
    let sql = "SELECT max(position) FROM log WHERE namespace = ? AND position <= ?";
    let found: Option<i64> = conn
        .prepare_cached(sql)?
        .query_one(params![namespace.0, column(from)], |row| row.get(0))?;
    found.map_or(Ok(from), number)
}

/// Some records that end after a position.
pub(super) fn page(conn: &Connection, space: &Space, from: u64, limit: usize) -> Tried<LogPage> {
    if from < space.log_from {
        let oldest = space.log_from;
        return Ok(LogPage::TooOld { oldest });
    }
    let mut records: Vec<LogRecord> = Vec::new();
    let mut bytes = 0;
    visit(conn, space, from, |record| {
        bytes += record.bytes.len();
        let fits = records.is_empty() || bytes <= ANSWER_BYTES_MAX;
        if fits {
            records.push(record);
        }
        fits && records.len() < limit
    })?;
    Ok(LogPage::Records(records))
}

/// When the last record that the checkpoint covers was written; none if it covers everything.
pub(super) fn folded_until(conn: &Connection, space: &Space) -> Tried<Option<u64>> {
    if end(conn, space)? == space.position {
        return Ok(None);
    }
    // The checkpoint may lie within the first of these.
    let sql =
        "SELECT * FROM log WHERE namespace = ? AND position < ? ORDER BY position DESC LIMIT 2";
    let mut records = conn.prepare_cached(sql)?;
    let mut rows = records.query(params![space.row.id.0, column(space.position)])?;
    while let Some(row) = rows.next()? {
        let record = from_row(space.row.id, row)?;
        if record.next <= space.position {
            return Ok(Some(record.at_ms));
        }
    }
    let sql = "SELECT * FROM log WHERE namespace = ? ORDER BY position LIMIT 1";
    let mut first = conn.prepare_cached(sql)?;
    let mut rows = first.query([space.row.id.0])?;
    let first = rows.next()?.map(|row| from_row(space.row.id, row));
    Ok(first.transpose()?.map(|record| record.at_ms))
}

fn from_row(namespace: NamespaceId, row: &Row<'_>) -> Tried<LogRecord> {
    let position = number(row.get(1)?)?;
    let record = LogRecord {
        position,
        next: number(row.get(2)?)?,
        at_ms: number(row.get(3)?)?,
        bytes: row.get(4)?,
    };
    let sum = sums::record(
        namespace,
        position,
        record.next,
        record.at_ms,
        &record.bytes,
    );
    if sum != row.get::<_, i64>(5)?.cast_unsigned() || record.next <= position {
        let place = format!("the log of namespace {namespace}, position {position}");
        return Err(StoreError::damaged(place, "the record's checksum is wrong").into());
    }
    Ok(record)
}

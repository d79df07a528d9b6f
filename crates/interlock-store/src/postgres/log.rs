//! Reading the log.

use futures_util::{StreamExt, pin_mut};
use tokio_postgres::Row;

use super::fault::{Tried, column, number};
use super::ledger::{Space, id_column};
use super::session::Session;
use crate::error::StoreError;
use crate::limits::ANSWER_BYTES_MAX;
use crate::sums;
use crate::types::{LogPage, LogRecord, NamespaceId};

/// Records fetched at a time.
const FETCH: usize = 16;

/// Where the log of a namespace ends: after its last record, or, when all were folded, at the
/// checkpoint.
pub(super) async fn end(session: &mut Session, space: &Space) -> Tried<u64> {
    let sql = "SELECT * FROM interlock.log WHERE namespace = $1
        ORDER BY namespace DESC, position DESC LIMIT 1";
    let of = space.row.id;
    let end = match session.query_opt(sql, &[&id_column(of)]).await? {
        Some(row) => from_row(of, &row)?.next,
        None => space.log_from,
    };
    if end < space.position {
        let place = format!("the log of namespace {of}, position {end}");
        let what = format!("it ends there, and the checkpoint is at {}", space.position);
        return Err(StoreError::damaged(place, what).into());
    }
    Ok(end)
}

/// Visits up to so many records that end after a position, verifying that they follow upon each other. The
/// visitor says whether to go on.
pub(super) async fn visit(
    session: &mut Session,
    space: &Space,
    from: u64,
    limit: usize,
    mut visitor: impl FnMut(LogRecord) -> bool,
) -> Tried<()> {
    let of = space.row.id;
    let first = first_position(session, of, from).await?;
    let sql = "SELECT * FROM interlock.log WHERE namespace = $1 AND position >= $2
        ORDER BY namespace, position LIMIT $3";
    // One more, which may end before.
    let limit = column(limit as u64).saturating_add(1);
    let rows = session
        .stream(sql, &[&id_column(of), &column(first), &limit])
        .await?;
    pin_mut!(rows);
    let mut expected = None;
    while let Some(row) = rows.next().await {
        let record = from_row(of, &row?)?;
        let fits = match expected {
            Some(expected) => record.position == expected,
            None => record.position <= from,
        };
        if !fits {
            return Err(gap(of, expected.unwrap_or(from), record.position).into());
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
async fn first_position(session: &mut Session, of: NamespaceId, from: u64) -> Tried<u64> {
    let sql = "SELECT position FROM interlock.log WHERE namespace = $1 AND position <= $2
        ORDER BY namespace DESC, position DESC LIMIT 1";
    let row = session
        .query_opt(sql, &[&id_column(of), &column(from)])
        .await?;
    row.map_or(Ok(from), |row| Ok(number(row.try_get(0)?)?))
}

/// Some records that end after a position.
pub(super) async fn page(
    session: &mut Session,
    space: &Space,
    from: u64,
    limit: usize,
) -> Tried<LogPage> {
    if from < space.log_from {
        let oldest = space.log_from;
        return Ok(LogPage::TooOld { oldest });
    }
    let mut records: Vec<LogRecord> = Vec::new();
    let (mut bytes, mut from, mut more) = (0, from, true);
    // A few at a time: whatever is asked for comes over the wire, also if it is not wanted any more.
    while more {
        let before = records.len();
        visit(session, space, from, FETCH, |record| {
            bytes += record.bytes.len();
            more = records.is_empty() || bytes <= ANSWER_BYTES_MAX;
            if more {
                from = record.next;
                records.push(record);
                more = records.len() < limit;
            }
            more
        })
        .await?;
        more &= records.len() > before;
    }
    Ok(LogPage::Records(records))
}

/// When the last record that the checkpoint covers was written; none if it covers everything.
pub(super) async fn folded_until(session: &mut Session, space: &Space) -> Tried<Option<u64>> {
    if end(session, space).await? == space.position {
        return Ok(None);
    }
    // The checkpoint may lie within the first of these.
    let sql = "SELECT * FROM interlock.log WHERE namespace = $1 AND position < $2
        ORDER BY namespace DESC, position DESC LIMIT 2";
    let (of, position) = (space.row.id, column(space.position));
    let rows = session.query(sql, &[&id_column(of), &position]).await?;
    for row in &rows {
        let record = from_row(of, row)?;
        if record.next <= space.position {
            return Ok(Some(record.at_ms));
        }
    }
    let sql = "SELECT * FROM interlock.log WHERE namespace = $1
        ORDER BY namespace, position LIMIT 1";
    let first = session.query_opt(sql, &[&id_column(of)]).await?;
    let first = first.map(|row| from_row(of, &row)).transpose()?;
    Ok(first.map(|record| record.at_ms))
}

fn from_row(of: NamespaceId, row: &Row) -> Tried<LogRecord> {
    let position = number(row.try_get(1)?)?;
    let record = LogRecord {
        position,
        next: number(row.try_get(2)?)?,
        at_ms: number(row.try_get(3)?)?,
        bytes: row.try_get(4)?,
    };
    let sum = sums::record(of, position, record.next, record.at_ms, &record.bytes);
    if sum != row.try_get::<_, i64>(5)?.cast_unsigned() || record.next <= position {
        let place = format!("the log of namespace {of}, position {position}");
        return Err(StoreError::damaged(place, "the record's checksum is wrong").into());
    }
    Ok(record)
}

//! The table of ended tasks and what is derived from it.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::failures;
use super::fault::{Tried, column, number};
use crate::checksum::SetSum;
use crate::error::StoreError;
use crate::types::{HistoryRow, NamespaceId};
use crate::{list_text, sums};

/// Writes ended tasks, in place of those with the same ids.
pub(super) fn put(
    conn: &Connection,
    of: NamespaceId,
    set: &mut SetSum,
    rows: &[HistoryRow],
) -> Tried<()> {
    let mut unlinked = Vec::with_capacity(rows.len());
    for row in rows {
        let sum = sums::history(of, row);
        if !insert(conn, of, row, sum)? {
            // It may be one of those that were just written.
            link(conn, of, &mut unlinked)?;
            remove(conn, of, set, row.task)?;
            insert(conn, of, row, sum)?;
        }
        set.add(sum);
        unlinked.extend(row.resources.iter().map(|resource| (resource, row)));
        lead(conn, of, row)?;
        gather(conn, of, row)?;
        if let Some(error) = &row.error {
            failures::add(conn, of, row, error)?;
        }
    }
    link(conn, of, &mut unlinked)
}

/// Lists tasks under their resources. In the order of resources, since that is the order of the
/// table, and no other is as large: each of its pages is then visited once.
fn link(
    conn: &Connection,
    of: NamespaceId,
    unlinked: &mut Vec<(&String, &HistoryRow)>,
) -> Tried<()> {
    unlinked.sort_unstable_by_key(|(resource, row)| (*resource, &row.kind, &row.outcome, row.task));
    let sql = "INSERT OR IGNORE INTO history_resources VALUES (?, ?, ?, ?, ?)";
    let mut link = conn.prepare_cached(sql)?;
    for (resource, row) in unlinked.drain(..) {
        link.execute(params![
            of.0,
            resource,
            row.kind,
            row.outcome,
            column(row.task)
        ])?;
    }
    Ok(())
}

/// Lets other ids lead to a task.
fn lead(conn: &Connection, of: NamespaceId, row: &HistoryRow) -> Tried<()> {
    let mut lead = conn.prepare_cached("INSERT OR IGNORE INTO history_aliases VALUES (?, ?, ?)")?;
    for &alias in &row.aliases {
        lead.execute(params![of.0, column(alias), column(row.task)])?;
    }
    Ok(())
}

/// Lists a task under its groups.
fn gather(conn: &Connection, of: NamespaceId, row: &HistoryRow) -> Tried<()> {
    let mut list = conn.prepare_cached("INSERT OR IGNORE INTO history_groups VALUES (?, ?, ?)")?;
    for &group in &row.groups {
        list.execute(params![of.0, column(group), column(row.task)])?;
    }
    Ok(())
}

/// Says whether there was none of that id.
fn insert(conn: &Connection, of: NamespaceId, row: &HistoryRow, sum: u64) -> Tried<bool> {
    let sql = "INSERT INTO history VALUES
        (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
    let written = conn.prepare_cached(sql)?.execute(params![
        of.0,
        column(row.task),
        row.kind,
        row.outcome,
        list_text::encode(&row.resources),
        column(row.submitted_ms),
        column(row.ended_ms),
        row.worker,
        list_text::encode_numbers(&row.groups),
        row.schedule,
        row.parent.map(column),
        list_text::encode(&row.tags),
        row.error,
        list_text::encode_numbers(&row.aliases),
        sums::expiry(row.expires_ms),
        row.body,
        sum.cast_signed(),
    ])?;
    Ok(written > 0)
}

/// Deletes an ended task and everything derived from it. It goes whether or not its checksum is
/// right: that is how a damaged row is got rid of.
pub(super) fn remove(
    conn: &Connection,
    of: NamespaceId,
    set: &mut SetSum,
    task: u64,
) -> Tried<bool> {
    let sql = "DELETE FROM history WHERE namespace = ? AND task = ? RETURNING *";
    let mut delete = conn.prepare_cached(sql)?;
    let deleted = delete
        .query_one(params![of.0, column(task)], |row| Ok(from_row(row)))
        .optional()?;
    let Some((row, sum)) = deleted.transpose()? else {
        return Ok(false);
    };
    set.remove(sum);
    let sql = "DELETE FROM history_resources WHERE namespace = ? AND resource = ?
        AND kind = ? AND outcome = ? AND task = ?";
    let mut unlink = conn.prepare_cached(sql)?;
    for resource in &row.resources {
        unlink.execute(params![of.0, resource, row.kind, row.outcome, column(task)])?;
    }
    let sql = "DELETE FROM history_aliases WHERE namespace = ? AND alias = ? AND task = ?";
    let mut unlead = conn.prepare_cached(sql)?;
    for &alias in &row.aliases {
        unlead.execute(params![of.0, column(alias), column(task)])?;
    }
    let sql = "DELETE FROM history_groups WHERE namespace = ? AND \"group\" = ? AND task = ?";
    let mut unlist = conn.prepare_cached(sql)?;
    for &group in &row.groups {
        unlist.execute(params![of.0, column(group), column(task)])?;
    }
    if let Some(error) = &row.error {
        failures::remove(conn, of, &row, error)?;
    }
    Ok(true)
}

/// The ended task of this id, not that of an alias.
pub(super) fn get(conn: &Connection, of: NamespaceId, task: u64) -> Tried<Option<HistoryRow>> {
    let sql = "SELECT * FROM history WHERE namespace = ? AND task = ?";
    let mut found = conn.prepare_cached(sql)?;
    let mut rows = found.query(params![of.0, column(task)])?;
    let row = rows.next()?;
    row.map(|row| Ok(verified(of, row)?.0)).transpose()
}

/// The ended task that this id leads to.
pub(super) fn find(conn: &Connection, of: NamespaceId, task: u64) -> Tried<Option<HistoryRow>> {
    if i64::try_from(task).is_err() {
        return Ok(None);
    }
    if let Some(row) = get(conn, of, task)? {
        return Ok(Some(row));
    }
    let sql = "SELECT task FROM history_aliases WHERE namespace = ? AND alias = ?
        ORDER BY task DESC LIMIT 1";
    let leads_to: Option<i64> = conn
        .prepare_cached(sql)?
        .query_one(params![of.0, column(task)], |row| row.get(0))
        .optional()?;
    match leads_to {
        Some(task) => get(conn, of, number(task)?),
        None => Ok(None),
    }
}

/// A row and its checksum, verified.
pub(super) fn verified(of: NamespaceId, row: &Row<'_>) -> Tried<(HistoryRow, u64)> {
    let (row, stored) = from_row(row)?;
    if sums::history(of, &row) != stored {
        let place = format!("the history of task {} of namespace {of}", row.task);
        return Err(StoreError::damaged(place, "its checksum is wrong").into());
    }
    Ok((row, stored))
}

fn from_row(row: &Row<'_>) -> Tried<(HistoryRow, u64)> {
    let text = |column: usize| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    let task = number(row.get(1)?)?;
    let damaged = |what| StoreError::damaged(format!("the history of task {task}"), what);
    let aliases = list_text::decode_numbers(text(13)?);
    let aliases = aliases.ok_or_else(|| damaged("its aliases are no numbers"))?;
    let groups = match row.get_ref(8)? {
        // Until version 2 of the tables there was one at most.
        ValueRef::Null => Vec::new(),
        ValueRef::Integer(group) => vec![number(group)?],
        _ => list_text::decode_numbers(text(8)?)
            .ok_or_else(|| damaged("its groups are no numbers"))?,
    };
    let history = HistoryRow {
        task,
        kind: row.get(2)?,
        outcome: row.get(3)?,
        resources: list_text::decode(text(4)?),
        submitted_ms: number(row.get(5)?)?,
        ended_ms: number(row.get(6)?)?,
        worker: row.get(7)?,
        groups,
        schedule: row.get(9)?,
        parent: row.get::<_, Option<i64>>(10)?.map(number).transpose()?,
        tags: list_text::decode(text(11)?),
        error: row.get(12)?,
        aliases,
        expires_ms: match row.get(14)? {
            i64::MAX => u64::MAX,
            expires => number(expires)?,
        },
        body: row.get(15)?,
    };
    Ok((history, row.get::<_, i64>(16)?.cast_unsigned()))
}

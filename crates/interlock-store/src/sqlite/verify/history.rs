//! Checking ended tasks, and that what is derived from them agrees with them.

use rusqlite::{Connection, params};

use super::super::fault::{Tried, column, number};
use super::super::history;
use super::super::ledger::Space;
use crate::checksum::SetSum;
use crate::error::StoreError;
use crate::types::{HistoryRow, NamespaceId};

/// What the derived tables must add up to.
#[derive(Default)]
struct Totals {
    resources: u64,
    failures: u64,
    resources_of_failures: u64,
}

pub(super) fn check(conn: &Connection, space: &Space) -> Tried<()> {
    let of = space.row.id;
    let mut set = SetSum::default();
    let mut totals = Totals::default();
    let sql = "SELECT * FROM history INDEXED BY history_by_id WHERE namespace = ? ORDER BY task";
    let mut listed = conn.prepare(sql)?;
    let mut rows = listed.query([of.0])?;
    while let Some(row) = rows.next()? {
        let (row, sum) = history::verified(of, row)?;
        set.add(sum);
        check_row(conn, of, &row, &mut totals)?;
    }
    if set != space.history {
        let what = format!("{} rows, {} expected", set.count, space.history.count);
        return Err(damaged(of, "", what));
    }
    check_totals(conn, of, &totals)?;
    check_aliases(conn, of)?;
    check_failures(conn, of)
}

fn damaged(of: NamespaceId, table: &str, what: impl Into<String>) -> super::super::fault::Fault {
    let place = format!("the history{table} of namespace {of}");
    StoreError::damaged(place, what).into()
}

fn check_row(
    conn: &Connection,
    of: NamespaceId,
    row: &HistoryRow,
    totals: &mut Totals,
) -> Tried<()> {
    let mut resources: Vec<&String> = row.resources.iter().collect();
    resources.sort_unstable();
    resources.dedup();
    totals.resources += resources.len() as u64;
    if row.error.is_some() {
        totals.failures += 1;
        totals.resources_of_failures += resources.len() as u64;
    }
    let sql = "SELECT 1 FROM history_resources WHERE namespace = ? AND resource = ?
        AND kind = ? AND outcome = ? AND task = ?";
    let mut linked = conn.prepare_cached(sql)?;
    for resource in resources {
        if !linked.exists(params![
            of.0,
            resource,
            row.kind,
            row.outcome,
            column(row.task)
        ])? {
            let what = format!("task {} is not listed under {resource:?}", row.task);
            return Err(damaged(of, " by resource", what));
        }
    }
    let sql = "SELECT 1 FROM history_aliases WHERE namespace = ? AND alias = ? AND task = ?";
    let mut led = conn.prepare_cached(sql)?;
    for &alias in &row.aliases {
        if !led.exists(params![of.0, column(alias), column(row.task)])? {
            let what = format!("alias {alias} does not lead to task {}", row.task);
            return Err(damaged(of, " by alias", what));
        }
    }
    Ok(())
}

fn check_totals(conn: &Connection, of: NamespaceId, totals: &Totals) -> Tried<()> {
    let groups = count_of_failure_resources(conn, of)?;
    let expected = [
        ("history_resources", "count(*)", totals.resources),
        ("failures", "sum(count)", totals.failures),
        ("failures", "sum(resources)", groups),
        (
            "failure_resources",
            "sum(count)",
            totals.resources_of_failures,
        ),
    ];
    for (table, sum, expected) in expected {
        let sql = format!("SELECT ifnull({sum}, 0) FROM {table} WHERE namespace = ?");
        let found: i64 = conn.query_one(&sql, [of.0], |row| row.get(0))?;
        if number(found)? != expected {
            let what = format!("{sum} of {table} is {found}, {expected} expected");
            return Err(damaged(of, "", what));
        }
    }
    Ok(())
}

fn count_of_failure_resources(conn: &Connection, of: NamespaceId) -> Tried<u64> {
    let sql = "SELECT count(*) FROM failure_resources WHERE namespace = ?";
    number(conn.query_one(sql, [of.0], |row| row.get(0))?)
}

/// Every alias leads to a task that has it.
fn check_aliases(conn: &Connection, of: NamespaceId) -> Tried<()> {
    let mut listed = conn.prepare("SELECT alias, task FROM history_aliases WHERE namespace = ?")?;
    let mut rows = listed.query([of.0])?;
    while let Some(row) = rows.next()? {
        let (alias, task) = (number(row.get(0)?)?, number(row.get(1)?)?);
        let leads_to = history::get(conn, of, task)?;
        if !leads_to.is_some_and(|row| row.aliases.contains(&alias)) {
            let what = format!("alias {alias} leads to task {task}, which does not have it");
            return Err(damaged(of, " by alias", what));
        }
    }
    Ok(())
}

/// Tasks and the list by group name one another.
pub(super) fn check_groups(conn: &Connection, of: NamespaceId) -> Tried<()> {
    let mut listed =
        conn.prepare("SELECT \"group\", task FROM history_groups WHERE namespace = ?")?;
    let mut rows = listed.query([of.0])?;
    let mut found = 0;
    while let Some(row) = rows.next()? {
        let (group, task) = (number(row.get(0)?)?, number(row.get(1)?)?);
        let member = history::get(conn, of, task)?;
        if !member.is_some_and(|row| row.groups.contains(&group)) {
            let what = format!("group {group} lists task {task}, which is not in it");
            return Err(damaged(of, " by group", what));
        }
        found += 1;
    }
    let sql = "SELECT * FROM history INDEXED BY history_by_id
        WHERE namespace = ? AND groups != '' ORDER BY task";
    let mut listed = conn.prepare(sql)?;
    let mut rows = listed.query([of.0])?;
    let mut expected = 0;
    while let Some(row) = rows.next()? {
        let mut groups = history::verified(of, row)?.0.groups;
        groups.sort_unstable();
        groups.dedup();
        expected += groups.len();
    }
    if found != expected {
        let what = format!("{found} rows, {expected} expected");
        return Err(damaged(of, " by group", what));
    }
    Ok(())
}

/// Every group of failures is what its tasks add up to.
fn check_failures(conn: &Connection, of: NamespaceId) -> Tried<()> {
    let sql = "SELECT kind, error, count, last_task, resources FROM failures WHERE namespace = ?";
    let mut listed = conn.prepare(sql)?;
    let sql = "SELECT count(*), max(task) FROM history INDEXED BY history_by_error
        WHERE namespace = ? AND kind = ? AND error = ?";
    let mut counted = conn.prepare(sql)?;
    let sql = "SELECT count(*) FROM failure_resources
        WHERE namespace = ? AND kind = ? AND error = ?";
    let mut resources = conn.prepare(sql)?;
    let mut rows = listed.query([of.0])?;
    while let Some(row) = rows.next()? {
        let (kind, error): (String, String) = (row.get(0)?, row.get(1)?);
        let stored: (i64, Option<i64>) = (row.get(2)?, row.get(3)?);
        let key = params![of.0, kind, error];
        let found = counted.query_one(key, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let affected: i64 = resources.query_one(key, |row| row.get(0))?;
        if stored != found || affected != row.get::<_, i64>(4)? {
            let what = format!("the failures of {kind} with {error:?} are miscounted");
            return Err(damaged(of, "", what));
        }
    }
    Ok(())
}

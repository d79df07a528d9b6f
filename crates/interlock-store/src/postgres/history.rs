//! The table of ended tasks and what is derived from it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, pin_mut};
use tokio_postgres::Row;

use super::fault::{Tried, column, number};
use super::ledger::id_column;
use super::session::Session;
use super::{chunks, failures, text};
use crate::checksum::SetSum;
use crate::error::StoreError;
use crate::types::{HistoryRow, NamespaceId};
use crate::{list_text, sums};

const INSERT: &str = "INSERT INTO interlock.history
    SELECT $1::integer, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[],
        $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::text[], $11::bigint[],
        $12::text[], $13::text[], $14::text[], $15::text[], $16::bigint[], $17::bytea[],
        $18::bigint[])
    ON CONFLICT (namespace, task) DO NOTHING RETURNING task";

/// Writes ended tasks, in place of those with the same ids.
pub(super) async fn put(
    session: &mut Session,
    of: NamespaceId,
    set: &mut SetSum,
    rows: &[HistoryRow],
) -> Tried<()> {
    // Of several with one id the last one counts.
    let rows: BTreeMap<u64, &HistoryRow> = rows.iter().map(|row| (row.task, row)).collect();
    let rows: Vec<&HistoryRow> = rows.into_values().collect();
    for chunk in chunks::of(&rows, |row| size(row)) {
        // Mostly none of them is there yet.
        let there = insert(session, of, set, chunk).await?;
        if !there.is_empty() {
            let tasks: Vec<u64> = there.iter().map(|row| row.task).collect();
            remove(session, of, set, &tasks).await?;
            insert(session, of, set, &there).await?;
        }
        link(session, of, chunk).await?;
        failures::add(session, of, chunk).await?;
    }
    Ok(())
}

fn size(row: &HistoryRow) -> usize {
    let texts = row.resources.iter().chain(&row.tags).map(String::len);
    row.body.len() + row.error.as_ref().map_or(0, String::len) + texts.sum::<usize>()
}

/// Writes those that are not there yet, and returns the others.
async fn insert<'a>(
    session: &mut Session,
    of: NamespaceId,
    set: &mut SetSum,
    rows: &[&'a HistoryRow],
) -> Tried<Vec<&'a HistoryRow>> {
    fn numbers(rows: &[&HistoryRow], of: impl Fn(&HistoryRow) -> i64) -> Vec<i64> {
        rows.iter().map(|row| of(row)).collect()
    }
    fn texts<'a>(
        rows: &[&'a HistoryRow],
        of: impl Fn(&'a HistoryRow) -> Cow<'a, str>,
    ) -> Vec<Cow<'a, str>> {
        rows.iter().map(|row| of(row)).collect()
    }
    fn some<'a>(
        rows: &[&'a HistoryRow],
        of: impl Fn(&'a HistoryRow) -> Option<&'a String>,
    ) -> Vec<Option<Cow<'a, str>>> {
        rows.iter()
            .map(|row| of(row).map(|text| text::keep(text)))
            .collect()
    }
    let list = |list: &[String]| -> Cow<'static, str> {
        Cow::Owned(text::keep(&list_text::encode(list)).into_owned())
    };
    let keys: Vec<Option<String>> = rows
        .iter()
        .map(|row| row.error.as_deref().map(text::key))
        .collect();
    let parents: Vec<Option<i64>> = rows.iter().map(|row| row.parent.map(column)).collect();
    let bodies: Vec<&[u8]> = rows.iter().map(|row| &row.body[..]).collect();
    let sums: Vec<u64> = rows.iter().map(|row| sums::history(of, row)).collect();
    let written = session
        .query(
            INSERT,
            &[
                &id_column(of),
                &numbers(rows, |row| column(row.task)),
                &texts(rows, |row| text::keep(&row.kind)),
                &texts(rows, |row| text::keep(&row.outcome)),
                &texts(rows, |row| list(&row.resources)),
                &numbers(rows, |row| column(row.submitted_ms)),
                &numbers(rows, |row| column(row.ended_ms)),
                &some(rows, |row| row.worker.as_ref()),
                &texts(rows, |row| list_text::encode_numbers(&row.groups).into()),
                &some(rows, |row| row.schedule.as_ref()),
                &parents,
                &texts(rows, |row| list(&row.tags)),
                &some(rows, |row| row.error.as_ref()),
                &keys,
                &texts(rows, |row| list_text::encode_numbers(&row.aliases).into()),
                &numbers(rows, |row| sums::expiry(row.expires_ms)),
                &bodies,
                &sums.iter().map(|sum| sum.cast_signed()).collect::<Vec<_>>(),
            ],
        )
        .await?;
    let mut new = BTreeSet::new();
    for row in &written {
        new.insert(number(row.try_get(0)?)?);
    }
    let mut there = Vec::new();
    for (&row, sum) in rows.iter().zip(sums) {
        match new.contains(&row.task) {
            true => set.add(sum),
            false => there.push(row),
        }
    }
    Ok(there)
}

/// A resource with kind, outcome and id of a task.
type Listed<'a> = (Cow<'a, str>, Cow<'a, str>, Cow<'a, str>, i64);

/// Where a task is listed: under its resources, aliases and groups, each once.
struct Links<'a> {
    resources: BTreeSet<Listed<'a>>,
    aliases: BTreeSet<(i64, i64)>,
    groups: BTreeSet<(i64, i64)>,
}

impl<'a> Links<'a> {
    fn of(rows: &[&'a HistoryRow]) -> Self {
        let mut links = Self {
            resources: BTreeSet::new(),
            aliases: BTreeSet::new(),
            groups: BTreeSet::new(),
        };
        for row in rows {
            let task = column(row.task);
            for resource in &row.resources {
                links.resources.insert((
                    text::keep(resource),
                    text::keep(&row.kind),
                    text::keep(&row.outcome),
                    task,
                ));
            }
            let pairs = |numbers: &[u64]| -> Vec<_> {
                numbers.iter().map(|&one| (column(one), task)).collect()
            };
            links.aliases.extend(pairs(&row.aliases));
            links.groups.extend(pairs(&row.groups));
        }
        links
    }

    /// Runs a statement for each of the three that has something, by columns.
    async fn each(
        &self,
        session: &mut Session,
        of: NamespaceId,
        [resources, aliases, groups]: [&'static str; 3],
    ) -> Tried<()> {
        if !self.resources.is_empty() {
            let names: Vec<&str> = self.resources.iter().map(|one| &*one.0).collect();
            let kinds: Vec<&str> = self.resources.iter().map(|one| &*one.1).collect();
            let outcomes: Vec<&str> = self.resources.iter().map(|one| &*one.2).collect();
            let tasks: Vec<i64> = self.resources.iter().map(|one| one.3).collect();
            session
                .execute(
                    resources,
                    &[&id_column(of), &names, &kinds, &outcomes, &tasks],
                )
                .await?;
        }
        for (sql, pairs) in [(aliases, &self.aliases), (groups, &self.groups)] {
            if !pairs.is_empty() {
                let (keys, tasks): (Vec<i64>, Vec<i64>) = pairs.iter().copied().unzip();
                session
                    .execute(sql, &[&id_column(of), &keys, &tasks])
                    .await?;
            }
        }
        Ok(())
    }
}

async fn link(session: &mut Session, of: NamespaceId, rows: &[&HistoryRow]) -> Tried<()> {
    let statements = [
        "INSERT INTO interlock.history_resources SELECT $1::integer, *
            FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[])",
        "INSERT INTO interlock.history_aliases SELECT $1::integer, *
            FROM unnest($2::bigint[], $3::bigint[])",
        "INSERT INTO interlock.history_groups SELECT $1::integer, *
            FROM unnest($2::bigint[], $3::bigint[])",
    ];
    Links::of(rows).each(session, of, statements).await
}

async fn unlink(session: &mut Session, of: NamespaceId, rows: &[&HistoryRow]) -> Tried<()> {
    let statements = [
        "DELETE FROM interlock.history_resources WHERE ctid = ANY(ARRAY(
            SELECT found.ctid FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[])
                u (resource, kind, outcome, task), LATERAL (
                    SELECT h.ctid FROM interlock.history_resources h
                    WHERE h.namespace = $1 AND h.resource = u.resource AND h.kind = u.kind
                        AND h.outcome = u.outcome AND h.task = u.task OFFSET 0) found))",
        "DELETE FROM interlock.history_aliases WHERE ctid = ANY(ARRAY(
            SELECT found.ctid FROM unnest($2::bigint[], $3::bigint[]) u (alias, task), LATERAL (
                SELECT h.ctid FROM interlock.history_aliases h
                WHERE h.namespace = $1 AND h.alias = u.alias AND h.task = u.task
                OFFSET 0) found))",
        "DELETE FROM interlock.history_groups WHERE ctid = ANY(ARRAY(
            SELECT found.ctid FROM unnest($2::bigint[], $3::bigint[]) u (\"group\", task), LATERAL (
                SELECT h.ctid FROM interlock.history_groups h
                WHERE h.namespace = $1 AND h.\"group\" = u.\"group\" AND h.task = u.task
                OFFSET 0) found))",
    ];
    Links::of(rows).each(session, of, statements).await
}

/// Deletes ended tasks and everything derived from them. They go whether or not their checksums are
/// right: that is how a damaged row is got rid of.
pub(super) async fn remove(
    session: &mut Session,
    of: NamespaceId,
    set: &mut SetSum,
    tasks: &[u64],
) -> Tried<()> {
    let sql = "DELETE FROM interlock.history WHERE ctid = ANY(ARRAY(
            SELECT found.ctid FROM unnest($2::bigint[]) u (task), LATERAL (
                SELECT h.ctid FROM interlock.history h WHERE h.namespace = $1 AND h.task = u.task
                OFFSET 0) found))
        RETURNING *";
    let tasks: Vec<i64> = tasks.iter().map(|&task| column(task)).collect();
    let deleted = session.query(sql, &[&id_column(of), &tasks]).await?;
    if deleted.is_empty() {
        return Ok(());
    }
    let mut rows = Vec::with_capacity(deleted.len());
    for row in &deleted {
        let (row, sum) = from_row(row)?;
        set.remove(sum);
        rows.push(row);
    }
    let rows: Vec<&HistoryRow> = rows.iter().collect();
    unlink(session, of, &rows).await?;
    failures::remove(session, of, &rows).await
}

/// The ended tasks of these ids, not those of aliases, in this order, verified. The visitor says
/// whether to go on. An id that has none is damage: an index named it.
pub(super) async fn visit(
    session: &mut Session,
    of: NamespaceId,
    tasks: &[u64],
    mut visitor: impl FnMut(HistoryRow) -> bool,
) -> Tried<()> {
    let sql = "SELECT found.* FROM unnest($2::bigint[]) WITH ORDINALITY u (task, nth), LATERAL (
            SELECT h.* FROM interlock.history h WHERE h.namespace = $1 AND h.task = u.task
            OFFSET 0) found
        ORDER BY u.nth";
    let ids: Vec<i64> = tasks.iter().map(|&task| column(task)).collect();
    let rows = session.stream(sql, &[&id_column(of), &ids]).await?;
    pin_mut!(rows);
    for &task in tasks {
        let row = rows.next().await.transpose()?;
        let row = row.map(|row| verified(of, &row)).transpose()?;
        match row.filter(|row| row.task == task) {
            Some(row) => {
                if !visitor(row) {
                    return Ok(());
                }
            }
            None => {
                let place = format!("the history of task {task} of namespace {of}");
                let what = "an index names it, but it is not there";
                return Err(StoreError::damaged(place, what).into());
            }
        }
    }
    Ok(())
}

/// The ended task that this id leads to.
pub(super) async fn find(
    session: &mut Session,
    of: NamespaceId,
    task: u64,
) -> Tried<Option<HistoryRow>> {
    let Ok(wanted) = i64::try_from(task) else {
        return Ok(None);
    };
    let sql = "SELECT * FROM interlock.history WHERE namespace = $1 AND task = $2";
    if let Some(row) = session.query_opt(sql, &[&id_column(of), &wanted]).await? {
        return verified(of, &row).map(Some);
    }
    let alias = "SELECT task FROM interlock.history_aliases
        WHERE (namespace, alias, task) >= ($1, $2, 0)
            AND (namespace, alias, task) <= ($1, $2, 9223372036854775807)
        ORDER BY namespace DESC, alias DESC, task DESC LIMIT 1";
    let Some(leads_to) = session.query_opt(alias, &[&id_column(of), &wanted]).await? else {
        return Ok(None);
    };
    let leads_to: i64 = leads_to.try_get(0)?;
    let row = session.query_opt(sql, &[&id_column(of), &leads_to]).await?;
    row.map(|row| verified(of, &row)).transpose()
}

fn verified(of: NamespaceId, row: &Row) -> Tried<HistoryRow> {
    let (row, stored) = from_row(row)?;
    if sums::history(of, &row) != stored {
        let place = format!("the history of task {} of namespace {of}", row.task);
        return Err(StoreError::damaged(place, "its checksum is wrong").into());
    }
    Ok(row)
}

fn from_row(row: &Row) -> Tried<(HistoryRow, u64)> {
    let task = number(row.try_get(1)?)?;
    let list = |column: usize| -> Tried<Vec<String>> {
        Ok(list_text::decode(&text::give(row.try_get(column)?)))
    };
    let numbers = |column: usize| -> Tried<Vec<u64>> {
        let place = || format!("the history of task {task}");
        let damaged = || StoreError::damaged(place(), "a list of numbers holds something else");
        Ok(list_text::decode_numbers(row.try_get(column)?).ok_or_else(damaged)?)
    };
    let some = |column: usize| -> Tried<Option<String>> {
        let text: Option<String> = row.try_get(column)?;
        Ok(text.map(text::give))
    };
    let parent: Option<i64> = row.try_get(10)?;
    let history = HistoryRow {
        task,
        kind: text::give(row.try_get(2)?),
        outcome: text::give(row.try_get(3)?),
        resources: list(4)?,
        submitted_ms: number(row.try_get(5)?)?,
        ended_ms: number(row.try_get(6)?)?,
        worker: some(7)?,
        groups: numbers(8)?,
        schedule: some(9)?,
        parent: parent.map(number).transpose()?,
        tags: list(11)?,
        error: some(12)?,
        aliases: numbers(14)?,
        expires_ms: match row.try_get(15)? {
            i64::MAX => u64::MAX,
            expires => number(expires)?,
        },
        body: row.try_get(16)?,
    };
    Ok((history, row.try_get::<_, i64>(17)?.cast_unsigned()))
}

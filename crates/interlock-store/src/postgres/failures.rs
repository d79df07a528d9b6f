//! Failed tasks grouped by kind and error. The groups are kept as rows come and go, so that showing
//! them costs the same however many tasks have failed.

use std::collections::{BTreeMap, BTreeSet};

use super::fault::{Tried, column, number};
use super::ledger::id_column;
use super::session::Session;
use super::{history, text};
use crate::types::{FailureGroup, HistoryRow, NamespaceId};

const COUNT_RESOURCES: &str = "INSERT INTO interlock.failure_resources AS f
    SELECT $1::integer, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[])
    ON CONFLICT (namespace, kind, error_key, resource) DO UPDATE SET count = f.count + excluded.count
    RETURNING kind, error_key, resource, count";

const COUNT: &str = "INSERT INTO interlock.failures AS f
    SELECT $1::integer, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[],
        $6::bigint[], $7::bigint[])
    ON CONFLICT (namespace, kind, error_key) DO UPDATE SET count = f.count + excluded.count,
        resources = f.resources + excluded.resources,
        last_task = greatest(f.last_task, excluded.last_task)";

const UNCOUNT_RESOURCES: &str = "UPDATE interlock.failure_resources f SET count = f.count - u.count
    FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[])
        u (kind, error_key, resource, count), LATERAL (
            SELECT x.ctid FROM interlock.failure_resources x
            WHERE x.namespace = $1 AND x.kind = u.kind AND x.error_key = u.error_key
                AND x.resource = u.resource OFFSET 0) found
    WHERE f.ctid = found.ctid
    RETURNING f.kind, f.error_key, f.resource, f.count";

const FORGET_RESOURCES: &str = "DELETE FROM interlock.failure_resources WHERE ctid = ANY(ARRAY(
    SELECT found.ctid FROM unnest($2::text[], $3::text[], $4::text[])
        u (kind, error_key, resource), LATERAL (
            SELECT x.ctid FROM interlock.failure_resources x
            WHERE x.namespace = $1 AND x.kind = u.kind AND x.error_key = u.error_key
                AND x.resource = u.resource OFFSET 0) found))";

const UNCOUNT: &str = "UPDATE interlock.failures f SET count = f.count - u.count,
        resources = f.resources - u.resources, last_task = coalesce((
            SELECT h.task FROM interlock.history h WHERE h.error_key IS NOT NULL
                AND (h.namespace, h.kind, h.error_key, h.task)
                    >= (f.namespace, f.kind, f.error_key, 0)
                AND (h.namespace, h.kind, h.error_key, h.task)
                    <= (f.namespace, f.kind, f.error_key, 9223372036854775807)
            ORDER BY h.namespace DESC, h.kind DESC, h.error_key DESC, h.task DESC LIMIT 1), 0)
    FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[])
        u (kind, error_key, count, resources), LATERAL (
            SELECT x.ctid FROM interlock.failures x
            WHERE x.namespace = $1 AND x.kind = u.kind AND x.error_key = u.error_key
            OFFSET 0) found
    WHERE f.ctid = found.ctid
    RETURNING f.kind, f.error_key, f.count";

const FORGET: &str = "DELETE FROM interlock.failures WHERE ctid = ANY(ARRAY(
    SELECT found.ctid FROM unnest($2::text[], $3::text[]) u (kind, error_key), LATERAL (
        SELECT x.ctid FROM interlock.failures x
        WHERE x.namespace = $1 AND x.kind = u.kind AND x.error_key = u.error_key
        OFFSET 0) found))";

const LIST: &str = "SELECT f.kind, f.error, f.count, f.resources, f.last_task, (
        SELECT h.task FROM interlock.history h WHERE h.error_key IS NOT NULL
            AND (h.namespace, h.kind, h.error_key, h.task) >= (f.namespace, f.kind, f.error_key, 0)
            AND (h.namespace, h.kind, h.error_key, h.task)
                <= (f.namespace, f.kind, f.error_key, 9223372036854775807)
        ORDER BY h.namespace, h.kind, h.error_key, h.task LIMIT 1)
    FROM interlock.failures f WHERE (f.namespace, f.last_task) >= ($1, 0)
        AND (f.namespace, f.last_task) <= ($1, 9223372036854775807)
    ORDER BY f.namespace DESC, f.last_task DESC LIMIT $2";

/// A kind and the key of an error.
type Key = (String, String);

/// What some failed tasks add to a group, or take from it.
#[derive(Default)]
struct Tally<'a> {
    error: &'a str,
    count: i64,
    last_task: i64,
    resources: BTreeMap<String, i64>,
    /// Resources that came, or went.
    changed: i64,
}

fn tallies<'a>(rows: &[&'a HistoryRow]) -> BTreeMap<Key, Tally<'a>> {
    let mut tallies: BTreeMap<Key, Tally<'a>> = BTreeMap::new();
    for row in rows {
        let Some(error) = &row.error else { continue };
        let key = (text::keep(&row.kind).into_owned(), text::key(error));
        let tally = tallies.entry(key).or_default();
        tally.error = error;
        tally.count += 1;
        tally.last_task = tally.last_task.max(column(row.task));
        let distinct: BTreeSet<&String> = row.resources.iter().collect();
        for resource in distinct {
            let kept = text::keep(resource).into_owned();
            *tally.resources.entry(kept).or_default() += 1;
        }
    }
    tallies
}

/// The resources of all groups, by column.
#[derive(Default)]
struct Columns<'a> {
    kinds: Vec<&'a str>,
    keys: Vec<&'a str>,
    resources: Vec<&'a str>,
    counts: Vec<i64>,
}

impl<'a> Columns<'a> {
    fn of(tallies: &'a BTreeMap<Key, Tally<'_>>) -> Self {
        let mut columns = Self::default();
        for ((kind, key), tally) in tallies {
            for (resource, count) in &tally.resources {
                columns.kinds.push(kind);
                columns.keys.push(key);
                columns.resources.push(resource);
                columns.counts.push(*count);
            }
        }
        columns
    }
}

/// Failed tasks have come into the history.
pub(super) async fn add(session: &mut Session, of: NamespaceId, rows: &[&HistoryRow]) -> Tried<()> {
    let mut tallies = tallies(rows);
    if tallies.is_empty() {
        return Ok(());
    }
    let of = id_column(of);
    let columns = Columns::of(&tallies);
    let (kinds, keys) = (&columns.kinds, &columns.keys);
    let counted = session
        .query(
            COUNT_RESOURCES,
            &[&of, kinds, keys, &columns.resources, &columns.counts],
        )
        .await?;
    for row in &counted {
        let key = (row.try_get(0)?, row.try_get(1)?);
        let resource: String = row.try_get(2)?;
        if let Some(tally) = tallies.get_mut(&key)
            && tally.resources.get(&resource) == Some(&row.try_get(3)?)
        {
            // All that there are come from here.
            tally.changed += 1;
        }
    }
    let kinds: Vec<&str> = tallies.keys().map(|(kind, _)| &**kind).collect();
    let keys: Vec<&str> = tallies.keys().map(|(_, key)| &**key).collect();
    let errors: Vec<_> = tallies
        .values()
        .map(|tally| text::keep(tally.error))
        .collect();
    let counts: Vec<i64> = tallies.values().map(|tally| tally.count).collect();
    let new: Vec<i64> = tallies.values().map(|tally| tally.changed).collect();
    let last: Vec<i64> = tallies.values().map(|tally| tally.last_task).collect();
    session
        .execute(COUNT, &[&of, &kinds, &keys, &errors, &counts, &new, &last])
        .await?;
    Ok(())
}

/// Failed tasks have been deleted from the history.
pub(super) async fn remove(
    session: &mut Session,
    of: NamespaceId,
    rows: &[&HistoryRow],
) -> Tried<()> {
    let mut tallies = tallies(rows);
    if tallies.is_empty() {
        return Ok(());
    }
    let of = id_column(of);
    let columns = Columns::of(&tallies);
    let (kinds, keys) = (&columns.kinds, &columns.keys);
    let left = session
        .query(
            UNCOUNT_RESOURCES,
            &[&of, kinds, keys, &columns.resources, &columns.counts],
        )
        .await?;
    let mut gone: Vec<(String, String, String)> = Vec::new();
    for row in &left {
        if row.try_get::<_, i64>(3)? <= 0 {
            gone.push((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?));
        }
    }
    if !gone.is_empty() {
        let kinds: Vec<&str> = gone.iter().map(|one| &*one.0).collect();
        let keys: Vec<&str> = gone.iter().map(|one| &*one.1).collect();
        let names: Vec<&str> = gone.iter().map(|one| &*one.2).collect();
        session
            .execute(FORGET_RESOURCES, &[&of, &kinds, &keys, &names])
            .await?;
    }
    for (kind, key, _) in gone {
        if let Some(tally) = tallies.get_mut(&(kind, key)) {
            tally.changed += 1;
        }
    }
    let kinds: Vec<&str> = tallies.keys().map(|(kind, _)| &**kind).collect();
    let keys: Vec<&str> = tallies.keys().map(|(_, key)| &**key).collect();
    let counts: Vec<i64> = tallies.values().map(|tally| tally.count).collect();
    let went: Vec<i64> = tallies.values().map(|tally| tally.changed).collect();
    let left = session
        .query(UNCOUNT, &[&of, &kinds, &keys, &counts, &went])
        .await?;
    let mut empty: Vec<Key> = Vec::new();
    for row in &left {
        if row.try_get::<_, i64>(2)? <= 0 {
            empty.push((row.try_get(0)?, row.try_get(1)?));
        }
    }
    if !empty.is_empty() {
        let (kinds, keys): (Vec<String>, Vec<String>) = empty.into_iter().unzip();
        session.execute(FORGET, &[&of, &kinds, &keys]).await?;
    }
    Ok(())
}

/// The groups with the latest tasks.
pub(super) async fn list(
    session: &mut Session,
    of: NamespaceId,
    limit: usize,
) -> Tried<Vec<FailureGroup>> {
    let limit = column(limit as u64);
    let rows = session.query(LIST, &[&id_column(of), &limit]).await?;
    let mut groups = Vec::with_capacity(rows.len());
    let mut ends = Vec::with_capacity(2 * rows.len());
    for row in &rows {
        let first: Option<i64> = row.try_get(5)?;
        let last = number(row.try_get(4)?)?;
        // Without a first one the last one is missing too, which is damage: say so below.
        let first = first.map_or(Ok(last), number)?;
        ends.extend([first, last]);
        groups.push(FailureGroup {
            kind: text::give(row.try_get(0)?),
            error: text::give(row.try_get(1)?),
            count: number(row.try_get(2)?)?,
            resources: number(row.try_get(3)?)?,
            first_task: first,
            first_ms: 0,
            last_task: last,
            last_ms: 0,
        });
    }
    let mut ended = Vec::with_capacity(ends.len());
    history::visit(session, of, &ends, |row| {
        ended.push(row.ended_ms);
        true
    })
    .await?;
    for (group, ended) in groups.iter_mut().zip(ended.chunks_exact(2)) {
        (group.first_ms, group.last_ms) = (ended[0], ended[1]);
    }
    Ok(groups)
}

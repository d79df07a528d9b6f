//! The tables that the log is folded into: `tasks`, with columns for people, and `rows`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use futures_util::{StreamExt, pin_mut};
use tokio_postgres::Row;

use super::fault::{Tried, column, number};
use super::ledger::id_column;
use super::session::Session;
use super::{chunks, text};
use crate::checksum::SetSum;
use crate::error::StoreError;
use crate::types::{Loaded, NamespaceId, RowChange, Shown, Table};
use crate::{list_text, sums};

/// Writes tasks, and returns the sums of those that were there before: both happen as of the same
/// moment, so that the old ones are still seen.
const PUT_TASKS: &str = "
    WITH written AS (
        INSERT INTO interlock.tasks
        SELECT $1::integer, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[],
            $6::smallint[], $7::bigint[], $8::bytea[], $9::bigint[])
        ON CONFLICT (namespace, task) DO UPDATE SET kind = excluded.kind,
            resources = excluded.resources, stage = excluded.stage, priority = excluded.priority,
            submitted_ms = excluded.submitted_ms, body = excluded.body, sum = excluded.sum
    )
    SELECT sum FROM interlock.tasks WHERE namespace = $1 AND task = ANY($2)";

const DELETE_TASKS: &str =
    "DELETE FROM interlock.tasks WHERE namespace = $1 AND task = ANY($2) RETURNING sum";

const PUT_ROWS: &str = r#"
    WITH written AS (
        INSERT INTO interlock.rows
        SELECT $1::integer, * FROM unnest($2::smallint[], $3::bytea[], $4::bytea[], $5::bigint[])
        ON CONFLICT (namespace, "table", key) DO UPDATE
            SET body = excluded.body, sum = excluded.sum
    )
    SELECT found.sum FROM unnest($2::smallint[], $3::bytea[]) u ("table", key), LATERAL (
        SELECT r.sum FROM interlock.rows r
        WHERE r.namespace = $1 AND r."table" = u."table" AND r.key = u.key OFFSET 0) found"#;

const DELETE_ROWS: &str = r#"
    DELETE FROM interlock.rows WHERE ctid = ANY(ARRAY(
        SELECT found.ctid FROM unnest($2::smallint[], $3::bytea[]) u ("table", key), LATERAL (
            SELECT r.ctid FROM interlock.rows r
            WHERE r.namespace = $1 AND r."table" = u."table" AND r.key = u.key OFFSET 0) found))
    RETURNING sum"#;

/// What is to become of the rows that are changed; of two changes of one row the later one counts.
#[derive(Default)]
struct Changes<'a> {
    tasks: BTreeMap<u64, Option<(&'a Shown, &'a [u8])>>,
    rows: BTreeMap<(Table, &'a [u8]), Option<&'a [u8]>>,
}

impl<'a> Changes<'a> {
    fn of(changes: &'a [RowChange]) -> Self {
        let mut all = Self::default();
        for change in changes {
            match change {
                RowChange::PutTask { task, shown, body } => {
                    all.tasks.insert(*task, Some((shown, body)));
                }
                RowChange::DeleteTask { task } => {
                    all.tasks.insert(*task, None);
                }
                RowChange::Put { table, key, body } => {
                    all.rows.insert((*table, key), Some(body));
                }
                RowChange::Delete { table, key } => {
                    all.rows.insert((*table, key), None);
                }
            }
        }
        all
    }
}

/// Makes changes, and keeps the checksum of all rows along with them.
pub(super) async fn change(
    session: &mut Session,
    of: NamespaceId,
    set: &mut SetSum,
    changes: &[RowChange],
) -> Tried<()> {
    let changes = Changes::of(changes);
    let mut tasks = Vec::new();
    let mut gone = Vec::new();
    for (&task, change) in &changes.tasks {
        match change {
            Some((shown, body)) => tasks.push((task, *shown, *body)),
            None => gone.push(column(task)),
        }
    }
    if !gone.is_empty() {
        let old = session
            .query(DELETE_TASKS, &[&id_column(of), &gone])
            .await?;
        remove(set, &old)?;
    }
    for chunk in chunks::of(&tasks, |(_, shown, body)| body.len() + shown.kind.len()) {
        put_tasks(session, of, set, chunk).await?;
    }
    let mut rows = Vec::new();
    let (mut tables, mut keys) = (Vec::new(), Vec::new());
    for (&(table, key), change) in &changes.rows {
        match change {
            Some(body) => rows.push((table, key, *body)),
            None => {
                tables.push(i16::from(table.0));
                keys.push(key);
            }
        }
    }
    if !keys.is_empty() {
        let old = session
            .query(DELETE_ROWS, &[&id_column(of), &tables, &keys])
            .await?;
        remove(set, &old)?;
    }
    for chunk in chunks::of(&rows, |(_, key, body)| key.len() + body.len()) {
        put_rows(session, of, set, chunk).await?;
    }
    Ok(())
}

fn remove(set: &mut SetSum, old: &[Row]) -> Tried<()> {
    for row in old {
        set.remove(row.try_get::<_, i64>(0)?.cast_unsigned());
    }
    Ok(())
}

async fn put_tasks(
    session: &mut Session,
    of: NamespaceId,
    set: &mut SetSum,
    tasks: &[(u64, &Shown, &[u8])],
) -> Tried<()> {
    let ids: Vec<i64> = tasks.iter().map(|(task, ..)| column(*task)).collect();
    let kinds: Vec<Cow<'_, str>> = tasks
        .iter()
        .map(|(_, shown, _)| text::keep(&shown.kind))
        .collect();
    let lists: Vec<String> = tasks
        .iter()
        .map(|(_, shown, _)| list_text::encode(&shown.resources))
        .collect();
    let stages: Vec<Cow<'_, str>> = tasks
        .iter()
        .map(|(_, shown, _)| text::keep(&shown.stage))
        .collect();
    let priorities: Vec<i16> = tasks
        .iter()
        .map(|(_, shown, _)| shown.priority.into())
        .collect();
    let submitted: Vec<i64> = tasks
        .iter()
        .map(|(_, shown, _)| column(shown.submitted_ms))
        .collect();
    let bodies: Vec<&[u8]> = tasks.iter().map(|(_, _, body)| *body).collect();
    let sums: Vec<u64> = tasks
        .iter()
        .zip(&lists)
        .map(|((task, shown, body), list)| sums::task(of, *task, shown, list, body))
        .collect();
    let signed: Vec<i64> = sums.iter().map(|sum| sum.cast_signed()).collect();
    let lists: Vec<Cow<'_, str>> = lists.iter().map(|list| text::keep(list)).collect();
    let old = session
        .query(
            PUT_TASKS,
            &[
                &id_column(of),
                &ids,
                &kinds,
                &lists,
                &stages,
                &priorities,
                &submitted,
                &bodies,
                &signed,
            ],
        )
        .await?;
    remove(set, &old)?;
    sums.into_iter().for_each(|sum| set.add(sum));
    Ok(())
}

async fn put_rows(
    session: &mut Session,
    of: NamespaceId,
    set: &mut SetSum,
    rows: &[(Table, &[u8], &[u8])],
) -> Tried<()> {
    let tables: Vec<i16> = rows.iter().map(|(table, ..)| table.0.into()).collect();
    let keys: Vec<&[u8]> = rows.iter().map(|(_, key, _)| *key).collect();
    let bodies: Vec<&[u8]> = rows.iter().map(|(_, _, body)| *body).collect();
    let sums: Vec<u64> = rows
        .iter()
        .map(|(table, key, body)| sums::row(of, *table, key, body))
        .collect();
    let signed: Vec<i64> = sums.iter().map(|sum| sum.cast_signed()).collect();
    let old = session
        .query(
            PUT_ROWS,
            &[&id_column(of), &tables, &keys, &bodies, &signed],
        )
        .await?;
    remove(set, &old)?;
    sums.into_iter().for_each(|sum| set.add(sum));
    Ok(())
}

/// Visits all rows of a namespace, verifying each, and returns the checksum of all that there were;
/// nothing if the visitor did not want to go on. Leaves out tasks from `tasks_before` on.
pub(super) async fn visit(
    session: &mut Session,
    of: NamespaceId,
    tasks_before: u64,
    mut visitor: impl FnMut(Loaded) -> bool,
) -> Tried<Option<SetSum>> {
    let mut set = SetSum::default();
    let sql = r#"SELECT * FROM interlock.rows WHERE namespace = $1
        ORDER BY namespace, "table", key"#;
    let rows = session.stream(sql, &[&id_column(of)]).await?;
    pin_mut!(rows);
    while let Some(row) = rows.next().await {
        let (other, sum) = other_from_row(of, &row?)?;
        set.add(sum);
        if !visitor(other) {
            return Ok(None);
        }
    }
    let sql = "SELECT * FROM interlock.tasks WHERE namespace = $1 AND task < $2
        ORDER BY namespace, task";
    let tasks = session
        .stream(sql, &[&id_column(of), &column(tasks_before)])
        .await?;
    pin_mut!(tasks);
    while let Some(row) = tasks.next().await {
        let (task, sum) = task_from_row(of, &row?)?;
        set.add(sum);
        if !visitor(task) {
            return Ok(None);
        }
    }
    Ok(Some(set))
}

fn task_from_row(of: NamespaceId, row: &Row) -> Tried<(Loaded, u64)> {
    let task = number(row.try_get(1)?)?;
    let wrong = || {
        StoreError::damaged(
            format!("task {task} of namespace {of}"),
            "its checksum is wrong",
        )
    };
    let shown = Shown {
        kind: text::give(row.try_get(2)?).into(),
        resources: Vec::new(),
        stage: text::give(row.try_get(4)?).into(),
        priority: u8::try_from(row.try_get::<_, i16>(5)?).map_err(|_| wrong())?,
        submitted_ms: number(row.try_get(6)?)?,
    };
    let resources = text::give(row.try_get(3)?);
    let body: Vec<u8> = row.try_get(7)?;
    let sum = sums::task(of, task, &shown, &resources, &body);
    if sum != row.try_get::<_, i64>(8)?.cast_unsigned() {
        return Err(wrong().into());
    }
    Ok((Loaded::Task { task, body }, sum))
}

fn other_from_row(of: NamespaceId, row: &Row) -> Tried<(Loaded, u64)> {
    let found: i16 = row.try_get(1)?;
    let (key, body): (Vec<u8>, Vec<u8>) = (row.try_get(2)?, row.try_get(3)?);
    let wrong = || {
        let place = format!("row {key:02x?} of table {found} of namespace {of}");
        StoreError::damaged(place, "its checksum is wrong")
    };
    let table = Table(u8::try_from(found).map_err(|_| wrong())?);
    let sum = sums::row(of, table, &key, &body);
    if sum != row.try_get::<_, i64>(4)?.cast_unsigned() {
        return Err(wrong().into());
    }
    Ok((Loaded::Row { table, key, body }, sum))
}

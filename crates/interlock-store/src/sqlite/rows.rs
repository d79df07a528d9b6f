//! The tables that the log is folded into: `tasks`, with columns for people, and `rows`.

use std::sync::LazyLock;

use rusqlite::{CachedStatement, Connection, OptionalExtension, Params, Row, ToSql, params};

use super::fault::{Tried, column, number};
use crate::checksum::SetSum;
use crate::error::StoreError;
use crate::types::{Loaded, NamespaceId, RowChange, Shown, Table};
use crate::{list_text, sums};

/// Tasks that one statement writes, where there are many: less time for each than by one for each.
const TOGETHER: usize = 16;

/// Writes tasks of which none is in the table.
pub(super) fn add_tasks(
    conn: &Connection,
    of: NamespaceId,
    set: &mut SetSum,
    tasks: &[(u64, &Shown, &[u8])],
) -> Tried<()> {
    static MANY: LazyLock<String> = LazyLock::new(|| {
        let row = "(?, ?, ?, ?, ?, ?, ?, ?, ?)";
        format!("INSERT INTO tasks VALUES {}", [row; TOGETHER].join(", "))
    });
    let (many, rest) = tasks.as_chunks::<TOGETHER>();
    for tasks in many {
        add_by(conn.prepare_cached(&MANY)?, of, set, tasks)?;
    }
    for task in rest {
        let one = "INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
        add_by(
            conn.prepare_cached(one)?,
            of,
            set,
            std::slice::from_ref(task),
        )?;
    }
    Ok(())
}

fn add_by(
    mut insert: CachedStatement<'_>,
    of: NamespaceId,
    set: &mut SetSum,
    tasks: &[(u64, &Shown, &[u8])],
) -> Tried<()> {
    let mut first = 0;
    for (task, shown, body) in tasks {
        let resources = list_text::encode(&shown.resources);
        let sum = sums::task(of, *task, shown, &resources, body);
        let mut bind =
            |column: usize, value: &dyn ToSql| insert.raw_bind_parameter(first + column, value);
        bind(1, &of.0)?;
        bind(2, &column(*task))?;
        bind(3, &shown.kind)?;
        bind(4, &resources)?;
        bind(5, &shown.stage)?;
        bind(6, &shown.priority)?;
        bind(7, &column(shown.submitted_ms))?;
        bind(8, body)?;
        bind(9, &sum.cast_signed())?;
        first += 9;
        set.add(sum);
    }
    insert.raw_execute()?;
    Ok(())
}

/// Makes one change, and keeps the checksum of all rows along with it.
pub(super) fn change(
    conn: &Connection,
    of: NamespaceId,
    set: &mut SetSum,
    change: &RowChange,
) -> Tried<()> {
    match change {
        RowChange::PutTask { task, shown, body } => put_task(conn, of, set, *task, shown, body),
        RowChange::DeleteTask { task } => delete_task(conn, of, set, *task),
        RowChange::Put { table, key, body } => put(conn, of, set, *table, key, body),
        RowChange::Delete { table, key } => delete(conn, of, set, *table, key),
    }
}

fn put_task(
    conn: &Connection,
    of: NamespaceId,
    set: &mut SetSum,
    task: u64,
    shown: &Shown,
    body: &[u8],
) -> Tried<()> {
    let resources = list_text::encode(&shown.resources);
    let sum = sums::task(of, task, shown, &resources, body);
    let sql = "INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
    let written = conn.prepare_cached(sql)?.execute(params![
        of.0,
        column(task),
        shown.kind,
        resources,
        shown.stage,
        shown.priority,
        column(shown.submitted_ms),
        body,
        sum.cast_signed(),
    ])?;
    if written == 0 {
        if let Some((_, sum)) = find_task(conn, of, task)? {
            set.remove(sum);
        }
        let sql = "UPDATE tasks SET kind = ?3, resources = ?4, stage = ?5, priority = ?6,
            submitted_ms = ?7, body = ?8, sum = ?9 WHERE namespace = ?1 AND task = ?2";
        conn.prepare_cached(sql)?.execute(params![
            of.0,
            column(task),
            shown.kind,
            resources,
            shown.stage,
            shown.priority,
            column(shown.submitted_ms),
            body,
            sum.cast_signed(),
        ])?;
    }
    set.add(sum);
    Ok(())
}

fn delete_task(conn: &Connection, of: NamespaceId, set: &mut SetSum, task: u64) -> Tried<()> {
    if let Some((row, sum)) = find_task(conn, of, task)? {
        let sql = "DELETE FROM tasks WHERE rowid = ?";
        conn.prepare_cached(sql)?.execute([row])?;
        set.remove(sum);
    }
    Ok(())
}

/// Where a task's row is, and its checksum. (`RETURNING` would put up a table for its one row.)
fn find_task(conn: &Connection, of: NamespaceId, task: u64) -> Tried<Option<(i64, u64)>> {
    let sql = "SELECT rowid, sum FROM tasks WHERE namespace = ? AND task = ?";
    found(conn.prepare_cached(sql)?, params![of.0, column(task)])
}

fn put(
    conn: &Connection,
    of: NamespaceId,
    set: &mut SetSum,
    table: Table,
    key: &[u8],
    body: &[u8],
) -> Tried<()> {
    let sum = sums::row(of, table, key, body);
    let insert = r#"INSERT INTO "rows" VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"#;
    let mut insert = conn.prepare_cached(insert)?;
    let values = params![of.0, table.0, key, body, sum.cast_signed()];
    if insert.execute(values)? == 0 {
        delete(conn, of, set, table, key)?;
        insert.execute(values)?;
    }
    set.add(sum);
    Ok(())
}

fn delete(
    conn: &Connection,
    of: NamespaceId,
    set: &mut SetSum,
    table: Table,
    key: &[u8],
) -> Tried<()> {
    let sql = r#"SELECT rowid, sum FROM "rows" WHERE namespace = ? AND "table" = ? AND "key" = ?"#;
    let found = found(conn.prepare_cached(sql)?, params![of.0, table.0, key])?;
    if let Some((row, sum)) = found {
        let sql = r#"DELETE FROM "rows" WHERE rowid = ?"#;
        conn.prepare_cached(sql)?.execute([row])?;
        set.remove(sum);
    }
    Ok(())
}

/// The row that a statement finds, and its checksum.
fn found(mut look: CachedStatement<'_>, key: impl Params) -> Tried<Option<(i64, u64)>> {
    let found = look.query_one(key, |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)));
    let found = found.optional()?;
    Ok(found.map(|(row, sum)| (row, sum.cast_unsigned())))
}

/// Visits all rows of a namespace, verifying each, and returns the checksum of all that there were;
/// nothing if the visitor did not want to go on. Leaves out tasks from `tasks_before` on.
pub(super) fn visit(
    conn: &Connection,
    of: NamespaceId,
    tasks_before: u64,
    mut visitor: impl FnMut(Loaded) -> bool,
) -> Tried<Option<SetSum>> {
    let mut set = SetSum::default();
    let sql = r#"SELECT * FROM "rows" INDEXED BY rows_by_key WHERE namespace = ?
        ORDER BY "table", "key""#;
    let mut others = conn.prepare_cached(sql)?;
    let mut rows = others.query([of.0])?;
    while let Some(row) = rows.next()? {
        let (other, sum) = other_from_row(of, row)?;
        set.add(sum);
        if !visitor(other) {
            return Ok(None);
        }
    }
    let sql = "SELECT * FROM tasks INDEXED BY tasks_by_id WHERE namespace = ? AND task < ?
        ORDER BY task";
    let mut tasks = conn.prepare_cached(sql)?;
    let mut rows = tasks.query(params![of.0, column(tasks_before)])?;
    while let Some(row) = rows.next()? {
        let (task, sum) = task_from_row(of, row)?;
        set.add(sum);
        if !visitor(task) {
            return Ok(None);
        }
    }
    Ok(Some(set))
}

fn task_from_row(of: NamespaceId, row: &Row<'_>) -> Tried<(Loaded, u64)> {
    let task = number(row.get(1)?)?;
    let shown = Shown {
        kind: row.get(2)?,
        resources: Vec::new(),
        stage: row.get::<_, String>(4)?.into(),
        priority: row.get(5)?,
        submitted_ms: number(row.get(6)?)?,
    };
    let resources = row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?;
    let body: Vec<u8> = row.get(7)?;
    let sum = sums::task(of, task, &shown, resources, &body);
    if sum != row.get::<_, i64>(8)?.cast_unsigned() {
        let place = format!("task {task} of namespace {of}");
        return Err(StoreError::damaged(place, "its checksum is wrong").into());
    }
    Ok((Loaded::Task { task, body }, sum))
}

fn other_from_row(of: NamespaceId, row: &Row<'_>) -> Tried<(Loaded, u64)> {
    let table = Table(row.get(1)?);
    let (key, body): (Vec<u8>, Vec<u8>) = (row.get(2)?, row.get(3)?);
    let sum = sums::row(of, table, &key, &body);
    if sum != row.get::<_, i64>(4)?.cast_unsigned() {
        let place = format!("row {key:02x?} of table {} of namespace {of}", table.0);
        return Err(StoreError::damaged(place, "its checksum is wrong").into());
    }
    Ok((Loaded::Row { table, key, body }, sum))
}

//! Lists of ended tasks: which index serves a filter, and the merging of what it yields.
//!
//! An index yields ids in *streams*, each of them highest id first. Most filters have one stream; one
//! by resource, kind or outcome has one for each pair of kind and outcome that occurs, since that is
//! how the two indexes are ordered. Every id is then looked up, verified and held against the whole
//! filter.

use std::collections::BinaryHeap;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use super::fault::{Tried, column, number};
use super::history;
use crate::error::StoreError;
use crate::limits::{ANSWER_BYTES_MAX, LOOKS_MAX, STREAMS_MAX};
use crate::sums;
use crate::types::{HistoryFilter, HistoryPage, HistoryRow, LastEnded, NamespaceId};

/// Ids fetched from a stream at a time.
const FETCH: usize = 64;

/// Ended tasks that a filter matches, with ids below `before`.
pub(super) fn list(
    conn: &Connection,
    of: NamespaceId,
    filter: &HistoryFilter,
    before: Option<u64>,
    limit: usize,
) -> Tried<HistoryPage> {
    let mut ids = Merged::new(conn, streams(conn, of, filter)?, before)?;
    let mut page = HistoryPage::default();
    let (mut looks, mut bytes) = (0, 0);
    while let Some(task) = ids.next(conn)? {
        if looks == LOOKS_MAX || bytes > ANSWER_BYTES_MAX || page.rows.len() == limit.max(1) {
            page.next = Some(task + 1);
            break;
        }
        looks += 1;
        let row = look_up(conn, of, task)?;
        bytes += row.body.len();
        if filter.matches(&row) {
            page.rows.push(row);
        }
    }
    Ok(page)
}

/// For each kind and outcome the latest task on a resource.
pub(super) fn last_ended(
    conn: &Connection,
    of: NamespaceId,
    resource: &str,
) -> Tried<Vec<LastEnded>> {
    let mut last = Vec::new();
    for (kind, outcome) in pairs(conn, of, Some(resource))? {
        let mut stream = Stream::of_pair(of, Some(resource), &kind, &outcome);
        stream.fetch(conn, i64::MAX, 1)?;
        let task = stream
            .take()
            .expect("the pair was found by one of its tasks");
        let ended_ms = look_up(conn, of, task)?.ended_ms;
        last.push(LastEnded {
            kind,
            outcome,
            task,
            ended_ms,
        });
    }
    Ok(last)
}

fn look_up(conn: &Connection, of: NamespaceId, task: u64) -> Tried<HistoryRow> {
    let missing = || {
        let place = format!("the history of task {task} of namespace {of}");
        StoreError::damaged(place, "an index names it, but it is not there").into()
    };
    history::get(conn, of, task)?.ok_or_else(missing)
}

/// The streams that serve a filter, by the best index there is for it.
fn streams(conn: &Connection, of: NamespaceId, filter: &HistoryFilter) -> Tried<Vec<Stream>> {
    let namespace = Value::from(of.0);
    let one = |index: &str, condition: &str, keys: Vec<Value>| {
        let from = format!("history INDEXED BY {index} WHERE namespace = ? AND {condition}");
        let keys = std::iter::once(namespace.clone()).chain(keys).collect();
        Ok(vec![Stream::new(&from, keys)])
    };
    let text = |text: &String| Value::from(text.clone());
    if let Some(group) = filter.group {
        let group = Value::from(i64::try_from(group).unwrap_or(-1));
        let from = r#"history_groups WHERE namespace = ? AND "group" = ?"#;
        return Ok(vec![Stream::new(from, vec![namespace, group])]);
    }
    if let (Some(kind), Some(error)) = (&filter.kind, &filter.error) {
        let keys = vec![text(kind), text(error)];
        return one("history_by_error", "kind = ? AND error = ?", keys);
    }
    if let Some(schedule) = &filter.schedule {
        return one("history_by_schedule", "schedule = ?", vec![text(schedule)]);
    }
    if let Some(parent) = filter.parent {
        let parent = Value::from(i64::try_from(parent).unwrap_or(-1));
        return one("history_by_parent", "parent = ?", vec![parent]);
    }
    let resource = filter.resource.as_deref();
    if resource.is_none() && filter.kind.is_none() && filter.outcomes.is_empty() {
        return one("history_by_id", "TRUE", Vec::new());
    }
    let mut pairs = pairs(conn, of, resource)?;
    pairs.retain(|(kind, outcome)| {
        filter.kind.as_ref().is_none_or(|wanted| wanted == kind)
            && (filter.outcomes.is_empty() || filter.outcomes.contains(outcome))
    });
    let of_pair = |(kind, outcome): &(String, String)| Stream::of_pair(of, resource, kind, outcome);
    Ok(pairs.iter().map(of_pair).collect())
}

/// The table or index by kind and outcome, of a resource or of all.
fn by_pair(resource: Option<&str>) -> (&'static str, Option<Value>) {
    match resource {
        Some(resource) => (
            "history_resources WHERE namespace = ? AND resource = ?",
            Some(Value::from(resource.to_owned())),
        ),
        None => (
            "history INDEXED BY history_by_kind WHERE namespace = ?",
            None,
        ),
    }
}

/// The pairs of kind and outcome that occur, found by leaping from one to the next.
fn pairs(
    conn: &Connection,
    of: NamespaceId,
    resource: Option<&str>,
) -> Tried<Vec<(String, String)>> {
    let (from, key) = by_pair(resource);
    let keys = || [Some(Value::from(of.0)), key.clone()].into_iter().flatten();
    let mut pairs = Vec::new();
    for kind in leap(conn, from, "kind", keys)? {
        let from = format!("{from} AND kind = ?");
        let keys = || keys().chain([Value::from(kind.clone())]);
        for outcome in leap(conn, &from, "outcome", keys)? {
            pairs.push((kind.clone(), outcome));
        }
    }
    pairs.truncate(STREAMS_MAX);
    Ok(pairs)
}

/// The different values of a column, each found by a step past the one before.
fn leap<Keys: Iterator<Item = Value>>(
    conn: &Connection,
    from: &str,
    column: &str,
    keys: impl Fn() -> Keys,
) -> Tried<Vec<String>> {
    let sql = format!("SELECT {column} FROM {from} AND {column} > ? ORDER BY {column} LIMIT 1");
    let first = format!("SELECT {column} FROM {from} ORDER BY {column} LIMIT 1");
    let mut found: Vec<String> = Vec::new();
    while found.len() < STREAMS_MAX {
        let last = found.last().map(|last| Value::from(last.clone()));
        let sql = if last.is_some() { &sql } else { &first };
        let next = conn
            .prepare_cached(sql)?
            .query_one(params_from_iter(keys().chain(last)), |row| row.get(0))
            .optional()?;
        match next {
            Some(next) => found.push(next),
            None => break,
        }
    }
    Ok(found)
}

/// Ids that one stretch of an index yields, highest first.
struct Stream {
    sql: String,
    keys: Vec<Value>,
    /// Fetched and not yet taken, lowest first.
    fetched: Vec<u64>,
    /// Nothing is left beyond what was fetched.
    dry: bool,
}

impl Stream {
    fn new(from: &str, keys: Vec<Value>) -> Self {
        Self {
            sql: format!("SELECT task FROM {from} AND task < ? ORDER BY task DESC LIMIT ?"),
            keys,
            fetched: Vec::new(),
            dry: false,
        }
    }

    fn of_pair(of: NamespaceId, resource: Option<&str>, kind: &str, outcome: &str) -> Self {
        let (from, key) = by_pair(resource);
        let pair = [
            Value::from(kind.to_owned()),
            Value::from(outcome.to_owned()),
        ];
        let keys = [Some(Value::from(of.0)), key]
            .into_iter()
            .flatten()
            .chain(pair);
        Self::new(
            &format!("{from} AND kind = ? AND outcome = ?"),
            keys.collect(),
        )
    }

    fn fetch(&mut self, conn: &Connection, before: i64, limit: usize) -> Tried<()> {
        let mut statement = conn.prepare_cached(&self.sql)?;
        let bounds = [Value::from(before), Value::from(limit as i64)];
        let keys = params_from_iter(self.keys.iter().chain(&bounds));
        let mut rows = statement.query(keys)?;
        while let Some(row) = rows.next()? {
            self.fetched.push(number(row.get(0)?)?);
        }
        self.dry = self.fetched.len() < limit;
        self.fetched.reverse();
        Ok(())
    }

    fn peek(&self) -> Option<u64> {
        self.fetched.last().copied()
    }

    fn take(&mut self) -> Option<u64> {
        self.fetched.pop()
    }
}

/// Several streams as one.
struct Merged {
    streams: Vec<Stream>,
    /// The next id of each stream that has one.
    heads: BinaryHeap<(u64, usize)>,
}

impl Merged {
    fn new(conn: &Connection, mut streams: Vec<Stream>, before: Option<u64>) -> Tried<Self> {
        let before = before.map_or(i64::MAX, |id| i64::try_from(id).unwrap_or(i64::MAX));
        // Many streams of a few ids each: don't fetch more of them than will be used.
        let first = (LOOKS_MAX / streams.len().max(1)).clamp(1, FETCH);
        let mut heads = BinaryHeap::new();
        for (index, stream) in streams.iter_mut().enumerate() {
            stream.fetch(conn, before, first)?;
            heads.extend(stream.peek().map(|head| (head, index)));
        }
        Ok(Self { streams, heads })
    }

    fn next(&mut self, conn: &Connection) -> Tried<Option<u64>> {
        let Some((id, index)) = self.heads.pop() else {
            return Ok(None);
        };
        let stream = &mut self.streams[index];
        stream.take();
        if stream.fetched.is_empty() && !stream.dry {
            stream.fetch(conn, column(id), FETCH)?;
        }
        self.heads.extend(stream.peek().map(|head| (head, index)));
        Ok(Some(id))
    }
}

/// Ids of tasks that have expired, those first that did so first.
pub(super) fn expired(
    conn: &Connection,
    of: NamespaceId,
    now_ms: u64,
    limit: usize,
) -> Tried<Vec<u64>> {
    let sql = "SELECT task FROM history INDEXED BY history_by_expiry
        WHERE namespace = ? AND expires_ms <= ? AND expires_ms < ?
        ORDER BY expires_ms, task LIMIT ?";
    let mut statement = conn.prepare_cached(sql)?;
    let now = sums::expiry(now_ms);
    let mut rows = statement.query(params![of.0, now, i64::MAX, limit as i64])?;
    let mut tasks = Vec::new();
    while let Some(row) = rows.next()? {
        tasks.push(number(row.get(0)?)?);
    }
    Ok(tasks)
}

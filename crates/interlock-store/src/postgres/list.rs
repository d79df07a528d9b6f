//! Lists of ended tasks: which index serves a filter, and the merging of what it yields.
//!
//! Every statement asks for a stretch of one index by comparing whole keys and ordering by all of
//! their columns. No other index has that order, so that none but this one is ever used, whatever the
//! planner believes about the data.

use std::collections::VecDeque;

use super::fault::{Tried, column, number};
use super::ledger::id_column;
use super::pairs::{self, Pairs};
use super::session::Session;
use super::{history, text};
use crate::limits::{ANSWER_BYTES_MAX, LOOKS_MAX};
use crate::sums;
use crate::types::{HistoryFilter, HistoryPage, LastEnded, NamespaceId};

/// Ids or rows fetched at a time.
const FETCH: usize = 64;

/// The stretch of an index that serves a filter.
enum Stretch {
    All,
    Group(i64),
    Error(String, String),
    Schedule(String),
    Parent(i64),
    Pairs(Pairs),
}

/// Ended tasks that a filter matches, with ids below `before`.
pub(super) async fn list(
    session: &mut Session,
    of: NamespaceId,
    filter: &HistoryFilter,
    before: Option<u64>,
    limit: usize,
) -> Tried<HistoryPage> {
    let limit = limit.max(1);
    let mut ids = Ids {
        stretch: stretch(session, of, filter).await?,
        before: before.map_or(i64::MAX, |id| i64::try_from(id).unwrap_or(i64::MAX)),
        fetched: VecDeque::new(),
        dry: false,
    };
    let mut page = HistoryPage::default();
    let (mut looks, mut bytes) = (0, 0);
    loop {
        let tasks = ids.next(session, of, limit).await?;
        if tasks.is_empty() {
            return Ok(page);
        }
        let mut stopped = false;
        history::visit(session, of, &tasks, |row| {
            stopped = looks == LOOKS_MAX || bytes > ANSWER_BYTES_MAX || page.rows.len() == limit;
            if stopped {
                page.next = Some(row.task + 1);
                return false;
            }
            looks += 1;
            bytes += row.body.len();
            if filter.matches(&row) {
                page.rows.push(row);
            }
            true
        })
        .await?;
        if stopped {
            return Ok(page);
        }
    }
}

/// For each kind and outcome the latest task on a resource.
pub(super) async fn last_ended(
    session: &mut Session,
    of: NamespaceId,
    resource: &str,
) -> Tried<Vec<LastEnded>> {
    let tasks = pairs::last(session, of, &text::keep(resource)).await?;
    let mut last = Vec::with_capacity(tasks.len());
    history::visit(session, of, &tasks, |row| {
        last.push(LastEnded {
            kind: row.kind,
            outcome: row.outcome,
            task: row.task,
            ended_ms: row.ended_ms,
        });
        true
    })
    .await?;
    Ok(last)
}

/// The best index there is for a filter.
async fn stretch(session: &mut Session, of: NamespaceId, filter: &HistoryFilter) -> Tried<Stretch> {
    let id = |id: u64| i64::try_from(id).unwrap_or(-1);
    if let Some(group) = filter.group {
        return Ok(Stretch::Group(id(group)));
    }
    if let (Some(kind), Some(error)) = (&filter.kind, &filter.error) {
        let kind = text::keep(kind).into_owned();
        return Ok(Stretch::Error(kind, text::key(error)));
    }
    if let Some(schedule) = &filter.schedule {
        return Ok(Stretch::Schedule(text::keep(schedule).into_owned()));
    }
    if let Some(parent) = filter.parent {
        return Ok(Stretch::Parent(id(parent)));
    }
    if filter.resource.is_none() && filter.kind.is_none() && filter.outcomes.is_empty() {
        return Ok(Stretch::All);
    }
    let mut pairs = Pairs::find(session, of, filter.resource.as_deref()).await?;
    pairs.retain(|kind, outcome| {
        let wanted = |want: &String, have: &str| *text::keep(want) == *have;
        (filter.kind.as_ref()).is_none_or(|want| wanted(want, kind))
            && (filter.outcomes.is_empty()
                || filter.outcomes.iter().any(|want| wanted(want, outcome)))
    });
    Ok(Stretch::Pairs(pairs))
}

/// Ids of a stretch, highest first.
struct Ids {
    stretch: Stretch,
    before: i64,
    fetched: VecDeque<u64>,
    /// Nothing is left beyond what was fetched.
    dry: bool,
}

impl Ids {
    /// The next few; none at the end.
    async fn next(
        &mut self,
        session: &mut Session,
        of: NamespaceId,
        limit: usize,
    ) -> Tried<Vec<u64>> {
        while self.fetched.is_empty() && !self.dry {
            self.fetch(session, of).await?;
        }
        let count = self.fetched.len().min(FETCH).min(limit.saturating_add(1));
        Ok(self.fetched.drain(..count).collect())
    }

    async fn fetch(&mut self, session: &mut Session, of: NamespaceId) -> Tried<()> {
        let (of, before, limit) = (id_column(of), self.before, FETCH as i64);
        let rows = match &self.stretch {
            Stretch::All => {
                let sql = "SELECT task FROM interlock.history
                    WHERE (namespace, task) >= ($1, 0) AND (namespace, task) < ($1, $2)
                    ORDER BY namespace DESC, task DESC LIMIT $3";
                session.query(sql, &[&of, &before, &limit]).await?
            }
            Stretch::Group(group) => {
                let sql = r#"SELECT task FROM interlock.history_groups
                    WHERE (namespace, "group", task) >= ($1, $4, 0)
                        AND (namespace, "group", task) < ($1, $4, $2)
                    ORDER BY namespace DESC, "group" DESC, task DESC LIMIT $3"#;
                session.query(sql, &[&of, &before, &limit, group]).await?
            }
            Stretch::Error(kind, key) => {
                let sql = "SELECT task FROM interlock.history WHERE error_key IS NOT NULL
                    AND (namespace, kind, error_key, task) >= ($1, $4, $5, 0)
                    AND (namespace, kind, error_key, task) < ($1, $4, $5, $2)
                    ORDER BY namespace DESC, kind DESC, error_key DESC, task DESC LIMIT $3";
                session
                    .query(sql, &[&of, &before, &limit, kind, key])
                    .await?
            }
            Stretch::Schedule(schedule) => {
                let sql = "SELECT task FROM interlock.history WHERE schedule IS NOT NULL
                    AND (namespace, schedule, task) >= ($1, $4, 0)
                    AND (namespace, schedule, task) < ($1, $4, $2)
                    ORDER BY namespace DESC, schedule DESC, task DESC LIMIT $3";
                session
                    .query(sql, &[&of, &before, &limit, schedule])
                    .await?
            }
            Stretch::Parent(parent) => {
                let sql = "SELECT task FROM interlock.history WHERE parent IS NOT NULL
                    AND (namespace, parent, task) >= ($1, $4, 0)
                    AND (namespace, parent, task) < ($1, $4, $2)
                    ORDER BY namespace DESC, parent DESC, task DESC LIMIT $3";
                session.query(sql, &[&of, &before, &limit, parent]).await?
            }
            Stretch::Pairs(pairs) => {
                let (ids, dry) = pairs.fetch(session, of, before, FETCH).await?;
                self.dry = dry;
                if let Some(&last) = ids.last() {
                    self.before = column(last);
                }
                self.fetched.extend(ids);
                return Ok(());
            }
        };
        self.dry = rows.len() < FETCH;
        for row in &rows {
            self.before = row.try_get(0)?;
            self.fetched.push_back(number(self.before)?);
        }
        Ok(())
    }
}

/// Ids of tasks that have expired, those first that did so first.
pub(super) async fn expired(
    session: &mut Session,
    of: NamespaceId,
    now_ms: u64,
    limit: usize,
) -> Tried<Vec<u64>> {
    let sql = "SELECT task FROM interlock.history
        WHERE (namespace, expires_ms) >= ($1, 0) AND (namespace, expires_ms) <= ($1, $2)
        ORDER BY namespace, expires_ms, task LIMIT $3";
    // The last moment stands for never.
    let now = sums::expiry(now_ms).min(i64::MAX - 1);
    let rows = session
        .query(sql, &[&id_column(of), &now, &column(limit as u64)])
        .await?;
    rows.iter()
        .map(|row| Ok(number(row.try_get(0)?)?))
        .collect()
}

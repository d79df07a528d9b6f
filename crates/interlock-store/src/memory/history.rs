//! Ended tasks in memory. Nothing is indexed: it is the plain meaning that the indexes of other
//! stores are held against.

use std::collections::{BTreeMap, BTreeSet};

use crate::types::{
    FailureGroup, HistoryFilter, HistoryPage, HistoryRow, LastEnded, Purge, Purged,
};

#[derive(Debug, Default)]
pub(super) struct History {
    rows: BTreeMap<u64, HistoryRow>,
    /// An alias and the task that it leads to.
    aliases: BTreeSet<(u64, u64)>,
}

impl History {
    pub(super) fn put(&mut self, row: HistoryRow) {
        self.remove(row.task);
        for &alias in &row.aliases {
            self.aliases.insert((alias, row.task));
        }
        self.rows.insert(row.task, row);
    }

    fn remove(&mut self, task: u64) {
        if self.rows.remove(&task).is_some() {
            self.aliases.retain(|&(_, leads_to)| leads_to != task);
        }
    }

    pub(super) fn find(&self, task: u64) -> Option<&HistoryRow> {
        let aliased = || {
            let mut leads_to = self.aliases.range((task, 0)..=(task, u64::MAX));
            self.rows.get(&leads_to.next_back()?.1)
        };
        self.rows.get(&task).or_else(aliased)
    }

    fn matching<'a>(
        &'a self,
        filter: &'a HistoryFilter,
        before: Option<u64>,
    ) -> impl Iterator<Item = &'a HistoryRow> {
        let below = self.rows.range(..before.unwrap_or(u64::MAX));
        below
            .rev()
            .map(|(_, row)| row)
            .filter(|row| filter.matches(row))
    }

    pub(super) fn list(
        &self,
        filter: &HistoryFilter,
        before: Option<u64>,
        limit: usize,
    ) -> HistoryPage {
        let limit = limit.max(1);
        let mut rows: Vec<_> = self
            .matching(filter, before)
            .take(limit + 1)
            .cloned()
            .collect();
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(|row| row.task);
        HistoryPage { rows, next }
    }

    pub(super) fn failures(&self, limit: usize) -> Vec<FailureGroup> {
        let mut groups: BTreeMap<(&str, &str), Vec<&HistoryRow>> = BTreeMap::new();
        for row in self.rows.values() {
            if let Some(error) = &row.error {
                groups.entry((&row.kind, error)).or_default().push(row);
            }
        }
        let mut groups: Vec<_> = groups.into_values().map(|rows| group(&rows)).collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.last_task));
        groups.truncate(limit);
        groups
    }

    pub(super) fn last_ended(&self, resource: &str) -> Vec<LastEnded> {
        let mut last: BTreeMap<(&str, &str), &HistoryRow> = BTreeMap::new();
        for row in self.rows.values() {
            if row.resources.iter().any(|claimed| claimed == resource) {
                last.insert((&row.kind, &row.outcome), row);
            }
        }
        let last = last.into_iter().map(|((kind, outcome), row)| LastEnded {
            kind: kind.to_owned(),
            outcome: outcome.to_owned(),
            task: row.task,
            ended_ms: row.ended_ms,
        });
        last.collect()
    }

    pub(super) fn purge(&mut self, what: &Purge<'_>, limit: usize) -> Purged {
        let tasks: Vec<u64> = match what {
            Purge::Expired { now_ms } => {
                let expired = self.rows.values().filter(|row| row.expires_ms <= *now_ms);
                let mut expired: Vec<_> = expired.map(|row| (row.expires_ms, row.task)).collect();
                expired.sort_unstable();
                expired
                    .into_iter()
                    .map(|(_, task)| task)
                    .take(limit + 1)
                    .collect()
            }
            Purge::Matching { filter, before } => {
                let matching = self.matching(filter, *before);
                matching.map(|row| row.task).take(limit + 1).collect()
            }
        };
        let more = tasks.len() > limit;
        let purged = &tasks[..tasks.len().min(limit)];
        purged.iter().for_each(|&task| self.remove(task));
        let goes_on = more && matches!(what, Purge::Matching { .. });
        Purged {
            rows: purged.len() as u64,
            more,
            next: purged.last().copied().filter(|_| goes_on),
        }
    }
}

fn group(rows: &[&HistoryRow]) -> FailureGroup {
    let (first, last) = (rows[0], rows[rows.len() - 1]);
    let resources: BTreeSet<&String> = rows.iter().flat_map(|row| &row.resources).collect();
    FailureGroup {
        kind: last.kind.clone(),
        error: last.error.clone().unwrap_or_default(),
        count: rows.len() as u64,
        resources: resources.len() as u64,
        first_task: first.task,
        first_ms: first.ended_ms,
        last_task: last.task,
        last_ms: last.ended_ms,
    }
}

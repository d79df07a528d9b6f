//! Ended tasks by kind and outcome, of a resource or of all: the two indexes that are ordered by these
//! pairs yield a stream of ids for each, which are merged.

use super::fault::{Tried, number};
use super::ledger::id_column;
use super::session::Session;
use super::text;
use crate::limits::{LOOKS_MAX, STREAMS_MAX};
use crate::types::NamespaceId;

/// The pairs that occur, found by leaping from one to the next.
const OF_ALL: &str = "WITH RECURSIVE pairs AS (
        (SELECT kind, outcome FROM interlock.history
            WHERE (namespace, kind) >= ($1, '') AND namespace <= $1
            ORDER BY namespace, kind, outcome, task LIMIT 1)
        UNION ALL
        SELECT next.kind, next.outcome FROM pairs p CROSS JOIN LATERAL (
            SELECT h.kind, h.outcome FROM interlock.history h
            WHERE (h.namespace, h.kind, h.outcome) > ($1, p.kind, p.outcome) AND h.namespace <= $1
            ORDER BY h.namespace, h.kind, h.outcome, h.task LIMIT 1) next
    )
    SELECT kind, outcome FROM pairs LIMIT $2";

const OF_RESOURCE: &str = "WITH RECURSIVE pairs AS (
        (SELECT kind, outcome FROM interlock.history_resources
            WHERE (namespace, resource, kind) >= ($1, $3, '')
                AND (namespace, resource) <= ($1, $3)
            ORDER BY namespace, resource, kind, outcome, task LIMIT 1)
        UNION ALL
        SELECT next.kind, next.outcome FROM pairs p CROSS JOIN LATERAL (
            SELECT h.kind, h.outcome FROM interlock.history_resources h
            WHERE (h.namespace, h.resource, h.kind, h.outcome) > ($1, $3, p.kind, p.outcome)
                AND (h.namespace, h.resource) <= ($1, $3)
            ORDER BY h.namespace, h.resource, h.kind, h.outcome, h.task LIMIT 1) next
    )
    SELECT kind, outcome FROM pairs LIMIT $2";

/// Up to so many ids of each pair.
const IDS_OF_ALL: &str = "SELECT ids.task, pairs.nth
    FROM unnest($2::text[], $3::text[]) WITH ORDINALITY pairs (kind, outcome, nth)
    CROSS JOIN LATERAL (
        SELECT h.task FROM interlock.history h
        WHERE (h.namespace, h.kind, h.outcome, h.task) >= ($1, pairs.kind, pairs.outcome, 0)
            AND (h.namespace, h.kind, h.outcome, h.task) < ($1, pairs.kind, pairs.outcome, $4)
        ORDER BY h.namespace DESC, h.kind DESC, h.outcome DESC, h.task DESC LIMIT $5) ids";

const IDS_OF_RESOURCE: &str = "SELECT ids.task, pairs.nth
    FROM unnest($2::text[], $3::text[]) WITH ORDINALITY pairs (kind, outcome, nth)
    CROSS JOIN LATERAL (
        SELECT h.task FROM interlock.history_resources h
        WHERE (h.namespace, h.resource, h.kind, h.outcome, h.task)
                >= ($1, $6, pairs.kind, pairs.outcome, 0)
            AND (h.namespace, h.resource, h.kind, h.outcome, h.task)
                < ($1, $6, pairs.kind, pairs.outcome, $4)
        ORDER BY h.namespace DESC, h.resource DESC, h.kind DESC, h.outcome DESC, h.task DESC
        LIMIT $5) ids";

/// Ids fetched from each of many streams at least: few enough for thousands of them.
const FETCH_MIN: usize = 16;

/// Pairs of kind and outcome, as they are kept.
pub(super) struct Pairs {
    resource: Option<String>,
    kinds: Vec<String>,
    outcomes: Vec<String>,
}

impl Pairs {
    /// Those that occur.
    pub(super) async fn find(
        session: &mut Session,
        of: NamespaceId,
        resource: Option<&str>,
    ) -> Tried<Self> {
        let resource = resource.map(|resource| text::keep(resource).into_owned());
        let (of, limit) = (id_column(of), STREAMS_MAX as i64);
        let rows = match &resource {
            Some(resource) => session.query(OF_RESOURCE, &[&of, &limit, resource]).await?,
            None => session.query(OF_ALL, &[&of, &limit]).await?,
        };
        let mut pairs = Self {
            resource,
            kinds: Vec::with_capacity(rows.len()),
            outcomes: Vec::with_capacity(rows.len()),
        };
        for row in &rows {
            pairs.kinds.push(row.try_get(0)?);
            pairs.outcomes.push(row.try_get(1)?);
        }
        Ok(pairs)
    }

    /// Only those that are wanted.
    pub(super) fn retain(&mut self, mut wanted: impl FnMut(&str, &str) -> bool) {
        let kinds = std::mem::take(&mut self.kinds).into_iter();
        let pairs = kinds.zip(std::mem::take(&mut self.outcomes));
        let kept = pairs.filter(|(kind, outcome)| wanted(kind, outcome));
        (self.kinds, self.outcomes) = kept.unzip();
    }

    /// The next ids of all of them, highest first, and whether that was all. At least one if there is
    /// one.
    pub(super) async fn fetch(
        &self,
        session: &mut Session,
        of: i32,
        before: i64,
        wanted: usize,
    ) -> Tried<(Vec<u64>, bool)> {
        if self.kinds.is_empty() {
            return Ok((Vec::new(), true));
        }
        let each = (LOOKS_MAX / self.kinds.len()).clamp(FETCH_MIN, wanted);
        let (kinds, outcomes, limit) = (&self.kinds, &self.outcomes, each as i64);
        let rows = match &self.resource {
            Some(resource) => {
                let with: super::session::Params<'_> =
                    &[&of, kinds, outcomes, &before, &limit, resource];
                session.query(IDS_OF_RESOURCE, with).await?
            }
            None => {
                session
                    .query(IDS_OF_ALL, &[&of, kinds, outcomes, &before, &limit])
                    .await?
            }
        };
        let mut ids = Vec::with_capacity(rows.len());
        // How many came from each stream, and the lowest of them.
        let mut streams = vec![(0, u64::MAX); self.kinds.len()];
        for row in &rows {
            let (task, nth) = (number(row.try_get(0)?)?, row.try_get::<_, i64>(1)?);
            let stream = usize::try_from(nth).unwrap_or(1).saturating_sub(1);
            if let Some((count, lowest)) = streams.get_mut(stream) {
                *count += 1;
                *lowest = task.min(*lowest);
            }
            ids.push(task);
        }
        // Below the lowest id of a stream that has more, that one may have something to say.
        let cut_short = streams.iter().filter(|(count, _)| *count == each);
        let known_from = cut_short.map(|(_, lowest)| *lowest).max();
        ids.retain(|task| known_from.is_none_or(|from| *task >= from));
        ids.sort_unstable_by(|a, b| b.cmp(a));
        ids.dedup();
        Ok((ids, known_from.is_none()))
    }
}

/// The latest task of each pair of a resource, by kind, then outcome.
pub(super) async fn last(
    session: &mut Session,
    of: NamespaceId,
    resource: &str,
) -> Tried<Vec<u64>> {
    let of = id_column(of);
    let limit = STREAMS_MAX as i64;
    let rows = session
        .query(OF_RESOURCE, &[&of, &limit, &resource])
        .await?;
    let mut kinds: Vec<String> = Vec::with_capacity(rows.len());
    let mut outcomes: Vec<String> = Vec::with_capacity(rows.len());
    for row in &rows {
        kinds.push(row.try_get(0)?);
        outcomes.push(row.try_get(1)?);
    }
    let with: super::session::Params<'_> = &[&of, &kinds, &outcomes, &i64::MAX, &1i64, &resource];
    let rows = session.query(IDS_OF_RESOURCE, with).await?;
    let mut tasks = Vec::with_capacity(rows.len());
    for row in &rows {
        tasks.push((row.try_get::<_, i64>(1)?, number(row.try_get(0)?)?));
    }
    tasks.sort_unstable();
    Ok(tasks.into_iter().map(|(_, task)| task).collect())
}

//! Deleting from the history, and what removed namespaces have left, in slices.

use super::fault::Tried;
use super::ledger::{Space, id_column, id_of};
use super::session::Session;
use super::{history, list};
use crate::limits::LOOKS_MAX;
use crate::types::{NamespaceId, Purge, Purged};

/// Deletes a slice of the history, within the transaction that is open.
pub(super) async fn purge(
    session: &mut Session,
    space: &mut Space,
    what: &Purge<'_>,
    limit: usize,
) -> Tried<Purged> {
    let of = space.row.id;
    let limit = limit.clamp(1, LOOKS_MAX);
    let (tasks, more, next) = match what {
        Purge::Expired { now_ms } => {
            let mut tasks = list::expired(session, of, *now_ms, limit + 1).await?;
            let more = tasks.len() > limit;
            tasks.truncate(limit);
            (tasks, more, None)
        }
        Purge::Matching { filter, before } => {
            let page = list::list(session, of, filter, *before, limit).await?;
            let tasks = page.rows.iter().map(|row| row.task).collect();
            (tasks, page.next.is_some(), page.next)
        }
    };
    history::remove(session, of, &mut space.history, &tasks).await?;
    space.write(session).await?;
    let rows = tasks.len() as u64;
    Ok(Purged { rows, more, next })
}

/// A slice of each table that holds something of a namespace. By the place of rows, which no index
/// knows and nobody else changes meanwhile.
const SLICES: &[&str] = &[
    "DELETE FROM interlock.log WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM interlock.log WHERE namespace = $1 LIMIT $2))",
    "DELETE FROM interlock.tasks WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM interlock.tasks WHERE namespace = $1 LIMIT $2))",
    "DELETE FROM interlock.rows WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM interlock.rows WHERE namespace = $1 LIMIT $2))",
    "DELETE FROM interlock.history WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM interlock.history WHERE namespace = $1 LIMIT $2))",
    "DELETE FROM interlock.history_resources WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM interlock.history_resources WHERE namespace = $1 LIMIT $2))",
    "DELETE FROM interlock.history_aliases WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM interlock.history_aliases WHERE namespace = $1 LIMIT $2))",
    "DELETE FROM interlock.history_groups WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM interlock.history_groups WHERE namespace = $1 LIMIT $2))",
    "DELETE FROM interlock.failures WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM interlock.failures WHERE namespace = $1 LIMIT $2))",
    "DELETE FROM interlock.failure_resources WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM interlock.failure_resources WHERE namespace = $1 LIMIT $2))",
    "DELETE FROM interlock.inbox WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM interlock.inbox WHERE namespace = $1 LIMIT $2))",
    "DELETE FROM interlock.outcomes WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM interlock.outcomes WHERE namespace = $1 LIMIT $2))",
];

/// Deletes some rows of a removed namespace; when none are left, the namespace itself. One that
/// another node is at is left to it.
pub(super) async fn sweep(session: &mut Session, limit: usize) -> Tried<u64> {
    let sql = "SELECT id FROM interlock.namespaces WHERE removed ORDER BY id LIMIT 1
        FOR UPDATE SKIP LOCKED";
    let Some(row) = session.query_opt(sql, &[]).await? else {
        return Ok(0);
    };
    let of: NamespaceId = id_of(row.try_get(0)?)?;
    for slice in SLICES {
        let limit = limit.clamp(1, LOOKS_MAX) as i64;
        let swept = session.execute(slice, &[&id_column(of), &limit]).await?;
        if swept > 0 {
            return Ok(swept);
        }
    }
    let forget = "DELETE FROM interlock.owners WHERE namespace = $1";
    session.execute(forget, &[&id_column(of)]).await?;
    let forget = "DELETE FROM interlock.namespaces WHERE id = $1";
    session.execute(forget, &[&id_column(of)]).await?;
    Ok(1)
}

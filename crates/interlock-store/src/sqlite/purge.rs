//! Deleting from the history, and what removed namespaces have left, in slices.

use rusqlite::{Connection, params};

use super::fault::Tried;
use super::ledger::Ledger;
use super::{history, list};
use crate::limits::LOOKS_MAX;
use crate::types::{NamespaceId, Purge, Purged};

pub(super) fn purge(
    conn: &Connection,
    ledger: &mut Ledger,
    of: NamespaceId,
    what: &Purge<'_>,
    limit: usize,
) -> Tried<Purged> {
    ledger.space(of)?;
    let limit = limit.clamp(1, LOOKS_MAX);
    let (tasks, more, next) = match what {
        Purge::Expired { now_ms } => {
            let mut tasks = list::expired(conn, of, *now_ms, limit + 1)?;
            let more = tasks.len() > limit;
            tasks.truncate(limit);
            (tasks, more, None)
        }
        Purge::Matching { filter, before } => {
            let page = list::list(conn, of, filter, *before, limit)?;
            let tasks = page.rows.iter().map(|row| row.task).collect();
            (tasks, page.next.is_some(), page.next)
        }
    };
    ledger.change_space(conn, of, |space| {
        for &task in &tasks {
            history::remove(conn, of, &mut space.history, task)?;
        }
        Ok(())
    })?;
    let rows = tasks.len() as u64;
    Ok(Purged { rows, more, next })
}

/// Every table that holds something of a namespace, with its key, which is how a slice of it is
/// found.
const TABLES: &[(&str, &str)] = &[
    ("log", "namespace, position"),
    ("tasks", "rowid"),
    ("\"rows\"", "rowid"),
    ("history", "rowid"),
    (
        "history_resources",
        "namespace, resource, kind, outcome, task",
    ),
    ("history_aliases", "namespace, alias, task"),
    ("history_groups", "namespace, \"group\", task"),
    ("failures", "namespace, kind, error"),
    ("failure_resources", "namespace, kind, error, resource"),
];

/// Deletes some rows of a removed namespace; when none are left, the namespace itself.
pub(super) fn sweep(conn: &Connection, ledger: &mut Ledger, limit: usize) -> Tried<u64> {
    let Some(namespace) = ledger.removed() else {
        return Ok(0);
    };
    for (table, key) in TABLES {
        let sql = format!(
            "DELETE FROM {table} WHERE ({key}) IN
            (SELECT {key} FROM {table} WHERE namespace = ? LIMIT ?)"
        );
        let swept = conn
            .prepare_cached(&sql)?
            .execute(params![namespace.0, limit.max(1) as i64])?;
        if swept > 0 {
            return Ok(swept as u64);
        }
    }
    ledger.forget_space(conn, namespace)?;
    Ok(1)
}

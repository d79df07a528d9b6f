//! Folding the log into the tables: rows, history and the deletion of records in one transaction.

use super::fault::{Tried, column, number};
use super::ledger::{Space, id_column};
use super::session::Session;
use super::stage::{self, Staged};
use super::{history, rows};
use crate::types::{Checkpoint, NamespaceId, RowChange};

/// Applies what is left of a checkpoint that was checked to fit the log, which ends at `end`.
/// `staged` was written ahead; if nothing is known of that, what there may be is deleted.
pub(super) async fn checkpoint(
    session: &mut Session,
    space: &mut Space,
    staged: Option<&Staged>,
    checkpoint: &Checkpoint,
    end: u64,
) -> Tried<()> {
    let of = checkpoint.namespace;
    match staged {
        Some(staged) => space.rows.join(staged.rows),
        None => stage::discard(session, of, space.tasks_before).await?,
    }
    let new = checkpoint.rows.iter().filter_map(put_task).max();
    space.tasks_before = (space.tasks_before)
        .max(staged.map_or(0, |staged| staged.end))
        .max(new.map_or(0, |task| task + 1));
    rows::change(session, of, &mut space.rows, &checkpoint.rows).await?;
    history::put(session, of, &mut space.history, &checkpoint.ended).await?;
    space.position = checkpoint.position;
    let delete = "DELETE FROM interlock.log WHERE namespace = $1 AND position < $2 AND next <= $2";
    let keep_from = column(checkpoint.keep_log_from);
    session
        .execute(delete, &[&id_column(of), &keep_from])
        .await?;
    space.log_from = first(session, of).await?.unwrap_or(end);
    space.write(session).await
}

fn put_task(change: &RowChange) -> Option<u64> {
    match change {
        RowChange::PutTask { task, .. } => Some(*task),
        _ => None,
    }
}

async fn first(session: &mut Session, of: NamespaceId) -> Tried<Option<u64>> {
    let sql = "SELECT position FROM interlock.log WHERE namespace = $1
        ORDER BY namespace, position LIMIT 1";
    let row = session.query_opt(sql, &[&id_column(of)]).await?;
    row.map(|row| Ok(number(row.try_get(0)?)?)).transpose()
}

//! Writing tasks ahead of a checkpoint, so that a long one makes nobody wait.
//!
//! Only tasks that are newer than every task of the last checkpoint: until the next one is complete
//! such rows count for nothing, since a load stops below them. What is left of a checkpoint that was
//! never completed is deleted before the next one begins.

use std::collections::HashSet;

use super::fault::{Tried, column};
use super::ledger::id_column;
use super::session::Session;
use crate::checksum::SetSum;
use crate::types::{NamespaceId, RowChange, When};

/// What was written ahead of a namespace's next checkpoint.
#[derive(Clone, Debug, Default)]
pub(super) struct Staged {
    pub(super) rows: SetSum,
    tasks: HashSet<u64>,
    /// The id after the highest of them.
    pub(super) end: u64,
}

impl Staged {
    /// When to write a change, if all tasks of the last checkpoint are below `tasks_before`.
    pub(super) fn when(&mut self, change: &RowChange, tasks_before: u64) -> When {
        match change {
            RowChange::PutTask { task, .. } if *task >= tasks_before => {
                self.end = self.end.max(task + 1);
                match self.tasks.insert(*task) {
                    true => When::Ahead,
                    false => When::AtTheEnd,
                }
            }
            RowChange::DeleteTask { task } if *task >= tasks_before => {
                match self.tasks.contains(task) {
                    true => When::AtTheEnd,
                    // It came and went between two checkpoints.
                    false => When::Never,
                }
            }
            _ => When::AtTheEnd,
        }
    }
}

/// Deletes what an incomplete checkpoint has left.
pub(super) async fn discard(
    session: &mut Session,
    of: NamespaceId,
    tasks_before: u64,
) -> Tried<()> {
    let sql = "DELETE FROM interlock.tasks WHERE namespace = $1 AND task >= $2";
    session
        .execute(sql, &[&id_column(of), &column(tasks_before)])
        .await?;
    Ok(())
}

//! Writing tasks ahead of a checkpoint, so that a long one makes nobody wait.
//!
//! Only tasks that are newer than every task of the last checkpoint: until the next one is complete
//! such rows count for nothing, since a load stops below them. What is left of a checkpoint that was
//! never completed is deleted before the next one begins.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use super::fault::{Tried, column};
use super::rows;
use crate::checksum::SetSum;
use crate::types::{NamespaceId, RowChange, When};

/// What was written ahead of a namespace's next checkpoint.
#[derive(Debug, Default)]
pub(super) struct Staged {
    pub(super) rows: SetSum,
    tasks: HashSet<u64>,
}

impl Staged {
    /// When to write a change, if all tasks of the last checkpoint are below `tasks_before`.
    pub(super) fn when(&mut self, change: &RowChange, tasks_before: u64) -> When {
        match change {
            RowChange::PutTask { task, .. } if *task >= tasks_before => {
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

    /// The id after the highest of them.
    pub(super) fn end(&self) -> u64 {
        self.tasks.iter().max().map_or(0, |task| task + 1)
    }

    /// Writes tasks that are not in the table.
    pub(super) fn write(
        &mut self,
        conn: &Connection,
        of: NamespaceId,
        changes: &[RowChange],
    ) -> Tried<()> {
        for change in changes {
            rows::change(conn, of, &mut self.rows, change)?;
        }
        Ok(())
    }
}

/// Deletes what an incomplete checkpoint has left.
pub(super) fn discard(conn: &Connection, of: NamespaceId, tasks_before: u64) -> Tried<()> {
    let sql = "DELETE FROM tasks WHERE namespace = ? AND task >= ?";
    conn.prepare_cached(sql)?
        .execute(params![of.0, column(tasks_before)])?;
    Ok(())
}

/// About how many pages of the write-ahead file these rows took: they fill one page after another.
pub(super) fn pages(changes: &[RowChange]) -> u64 {
    let bytes = changes.iter().map(|change| match change {
        RowChange::PutTask { body, .. } => 200 + body.len() as u64,
        _ => 0,
    });
    4 + bytes.sum::<u64>() / 4096
}

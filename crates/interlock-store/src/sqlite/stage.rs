//! Writing tasks ahead of a checkpoint, so that a long one makes nobody wait.
//!
//! Only tasks that are newer than every task of the last checkpoint: until the next one is complete
//! such rows count for nothing, since a load stops below them. What is left of a checkpoint that was
//! never completed is deleted before the next one begins.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use super::fault::{Tried, column};
use super::rows;
use crate::checksum::SetSum;
use crate::types::{NamespaceId, RowChange, Shown, When};

/// What was written ahead of a namespace's next checkpoint.
#[derive(Debug, Default)]
pub(super) struct Staged {
    pub(super) rows: SetSum,
    tasks: Numbers,
}

/// A set of numbers of which most are neighbours: each word has 64 of them.
#[derive(Debug, Default)]
struct Numbers {
    words: BTreeMap<u64, u64>,
}

impl Numbers {
    /// Whether it was not there.
    fn insert(&mut self, number: u64) -> bool {
        let (word, bit) = (
            self.words.entry(number / 64).or_default(),
            1 << (number % 64),
        );
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    fn contains(&self, number: u64) -> bool {
        let word = self.words.get(&(number / 64));
        word.is_some_and(|word| word & 1 << (number % 64) != 0)
    }

    fn highest(&self) -> Option<u64> {
        let (at, word) = self.words.last_key_value()?;
        Some(at * 64 + u64::from(word.ilog2()))
    }
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
                match self.tasks.contains(*task) {
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
        self.tasks.highest().map_or(0, |task| task + 1)
    }

    /// Writes tasks that are not in the table.
    pub(super) fn write(
        &mut self,
        conn: &Connection,
        of: NamespaceId,
        changes: &[RowChange],
    ) -> Tried<()> {
        let tasks: Vec<_> = changes.iter().filter_map(task).collect();
        rows::add_tasks(conn, of, &mut self.rows, &tasks)
    }
}

fn task(change: &RowChange) -> Option<(u64, &Shown, &[u8])> {
    match change {
        RowChange::PutTask { task, shown, body } => Some((*task, shown, body)),
        _ => None,
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn numbers_are_a_set() {
        let (mut numbers, mut set) = (Numbers::default(), BTreeSet::new());
        assert_eq!(numbers.highest(), None);
        for step in 0..500_u64 {
            let number = step * 7_919 % 307 * (1 + step % 3 * 1_000_000);
            assert_eq!(numbers.insert(number), set.insert(number));
            assert_eq!(numbers.highest(), set.last().copied());
        }
        assert!((0..400).all(|number| numbers.contains(number) == set.contains(&number)));
        assert!(numbers.insert(u64::MAX) && numbers.contains(u64::MAX));
        assert_eq!(numbers.highest(), Some(u64::MAX));
    }
}

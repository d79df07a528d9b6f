//! One namespace in memory: its log and its tables.

use std::collections::{BTreeMap, VecDeque};

use super::history::History;
use crate::check::FIRST_POSITION;
use crate::limits::ANSWER_BYTES_MAX;
use crate::types::{Append, Checkpoint, Loaded, LogPage, LogRecord, Namespace, RowChange, Table};

#[derive(Debug)]
pub(super) struct Space {
    pub(super) row: Namespace,
    tasks: BTreeMap<u64, Vec<u8>>,
    rows: BTreeMap<(Table, Vec<u8>), Vec<u8>>,
    /// The rows are the fold of the log before this.
    pub(super) position: u64,
    log: VecDeque<LogRecord>,
    pub(super) history: History,
}

impl Space {
    pub(super) fn new(row: Namespace) -> Self {
        Self {
            row,
            tasks: BTreeMap::new(),
            rows: BTreeMap::new(),
            position: FIRST_POSITION,
            log: VecDeque::new(),
            history: History::default(),
        }
    }

    pub(super) fn end(&self) -> u64 {
        self.log.back().map_or(self.position, |record| record.next)
    }

    pub(super) fn folded_until(&self) -> Option<u64> {
        if self.end() == self.position {
            return None;
        }
        let folded = |record: &&LogRecord| record.next <= self.position;
        let last = self.log.iter().rev().find(folded);
        last.or(self.log.front()).map(|record| record.at_ms)
    }

    pub(super) fn append(&mut self, record: &Append<'_>) {
        self.log.push_back(LogRecord {
            position: record.position,
            next: record.next,
            at_ms: record.at_ms,
            bytes: record.bytes.to_vec(),
        });
    }

    pub(super) fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        for change in &checkpoint.rows {
            self.change(change);
        }
        for ended in &checkpoint.ended {
            self.history.put(ended.clone());
        }
        self.position = checkpoint.position;
        while self
            .log
            .front()
            .is_some_and(|record| record.next <= checkpoint.keep_log_from)
        {
            self.log.pop_front();
        }
    }

    fn change(&mut self, change: &RowChange) {
        match change {
            RowChange::PutTask { task, body, .. } => {
                self.tasks.insert(*task, body.clone());
            }
            RowChange::DeleteTask { task } => {
                self.tasks.remove(task);
            }
            RowChange::Put { table, key, body } => {
                self.rows.insert((*table, key.clone()), body.clone());
            }
            RowChange::Delete { table, key } => {
                self.rows.remove(&(*table, key.clone()));
            }
        }
    }

    pub(super) fn load(&self) -> impl Iterator<Item = Loaded> {
        let tasks = self.tasks.iter().map(|(&task, body)| Loaded::Task {
            task,
            body: body.clone(),
        });
        let rows = self.rows.iter().map(|((table, key), body)| Loaded::Row {
            table: *table,
            key: key.clone(),
            body: body.clone(),
        });
        let records = self.log.iter().filter(|record| record.next > self.position);
        rows.chain(tasks)
            .chain(std::iter::once(Loaded::Position(self.position)))
            .chain(records.cloned().map(Loaded::Record))
    }

    pub(super) fn log(&self, from: u64, limit: usize) -> LogPage {
        let oldest = self
            .log
            .front()
            .map_or(self.position, |record| record.position);
        if from < oldest {
            return LogPage::TooOld { oldest };
        }
        let first = self.log.partition_point(|record| record.next <= from);
        let mut bytes = 0;
        let fitting = self.log.range(first..).take(limit).take_while(|record| {
            let fits = bytes == 0 || bytes + record.bytes.len() <= ANSWER_BYTES_MAX;
            bytes += record.bytes.len();
            fits
        });
        LogPage::Records(fitting.cloned().collect())
    }
}

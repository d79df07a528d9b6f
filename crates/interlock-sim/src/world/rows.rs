//! The rows that a store would keep: what the core gave out at checkpoints, as bytes.

use interlock_core::Core;
use interlock_core::row::{Change, Restore, Table};
use std::collections::BTreeMap;

/// Rows exactly as of a position of the log.
#[derive(Default)]
pub struct Rows {
    rows: BTreeMap<(Table, Vec<u8>), Vec<u8>>,
    /// How many records of the log they are the fold of.
    pub records: usize,
}

impl Rows {
    /// Takes in what changed up to this many records.
    pub fn update(&mut self, changes: Vec<Change>, records: usize) {
        for change in changes {
            let key = (change.table, change.key);
            match change.body {
                Some(body) => self.rows.insert(key, body),
                None => self.rows.remove(&key),
            };
        }
        self.records = records;
    }

    /// A core as the rows describe it.
    pub fn restore(&self, hash_seed: u64) -> Core {
        let mut restore = Restore::new(hash_seed);
        for table in Table::ALL {
            let of_table = self.rows.iter().filter(|((of, _), _)| *of == table);
            for ((_, key), body) in of_table {
                let added = restore.add(table, key, body);
                added.expect("what was written can be read");
            }
        }
        restore.finish()
    }
}

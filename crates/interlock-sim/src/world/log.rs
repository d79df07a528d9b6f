//! The log: records as the bytes that a store would keep. Whatever is read from it went through the
//! encoding, so that what can't be written can't be remembered.

use interlock_core::Record;
use interlock_core::words::Elapsed;

/// Committed records, in order.
#[derive(Default)]
pub struct Log {
    records: Vec<Vec<u8>>,
    /// The boot-time clock of the last record.
    pub last: Elapsed,
}

impl Log {
    /// Appends a record and returns it as it will be read.
    pub fn append(&mut self, record: &Record) -> Record {
        let bytes = postcard::to_stdvec(record).expect("a record can be written");
        let read: Record = postcard::from_bytes(&bytes).expect("what was written can be read");
        self.records.push(bytes);
        self.last = record.at.elapsed;
        read
    }

    /// The bytes of the last record.
    pub fn last_bytes(&self) -> &[u8] {
        self.records.last().map_or(&[], |bytes| bytes)
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// All records from this one on, in order.
    pub fn records(&self, from: usize) -> impl Iterator<Item = Record> {
        self.records[from..]
            .iter()
            .map(|bytes| postcard::from_bytes(bytes).expect("what was written can be read"))
    }
}

//! Appending to the log: the one thing that every answer waits for.

use rusqlite::{Connection, params};

use super::fault::{Tried, column, transaction};
use crate::sums;
use crate::types::Append;

/// Writes records that were checked to be gapless, as one commit.
pub(super) fn append(conn: &Connection, records: &[Append<'_>]) -> Tried<()> {
    transaction(conn, |conn| {
        let mut insert = conn.prepare_cached("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)")?;
        for record in records {
            let sum = sums::record(
                record.namespace,
                record.position,
                record.next,
                record.at_ms,
                record.bytes,
            );
            insert.execute(params![
                record.namespace.0,
                column(record.position),
                column(record.next),
                column(record.at_ms),
                record.bytes,
                sum.cast_signed(),
            ])?;
        }
        Ok(())
    })
}

/// About how many pages of the write-ahead file these records took. What counts is that it grows
/// with them.
pub(super) fn pages(records: &[Append<'_>]) -> u64 {
    let of_one = |record: &Append<'_>| 2 + record.bytes.len() as u64 / 4096;
    records.iter().map(of_one).sum()
}

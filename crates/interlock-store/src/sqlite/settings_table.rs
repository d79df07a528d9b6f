//! The table of small named values of the whole store. (The settings of SQLite itself are in
//! `settings.rs`.)

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::fault::Tried;
use super::ledger::Ledger;
use crate::error::StoreError;
use crate::sums;

pub(super) fn get(conn: &Connection, name: &str) -> Tried<Option<Vec<u8>>> {
    let mut found = conn.prepare_cached("SELECT * FROM settings WHERE name = ?")?;
    let mut rows = found.query([name])?;
    let row = rows.next()?;
    row.map(|row| Ok(from_row(row)?.1)).transpose()
}

/// The checksums of all settings, verified.
pub(super) fn sums(conn: &Connection) -> Tried<Vec<u64>> {
    let mut listed = conn.prepare("SELECT * FROM settings")?;
    let mut rows = listed.query([])?;
    let mut sums = Vec::new();
    while let Some(row) = rows.next()? {
        let (name, value) = from_row(row)?;
        sums.push(crate::sums::setting(&name, &value));
    }
    Ok(sums)
}

pub(super) fn put(
    conn: &Connection,
    ledger: &mut Ledger,
    name: &str,
    value: Option<&[u8]>,
) -> Tried<()> {
    let delete = "DELETE FROM settings WHERE name = ? RETURNING sum";
    let old: Option<i64> = conn
        .prepare_cached(delete)?
        .query_one([name], |row| row.get(0))
        .optional()?;
    if let Some(old) = old {
        ledger.card.small.remove(old.cast_unsigned());
    }
    if let Some(value) = value {
        let sum = sums::setting(name, value);
        ledger.card.small.add(sum);
        conn.prepare_cached("INSERT INTO settings VALUES (?, ?, ?)")?
            .execute(params![name, value, sum.cast_signed()])?;
    }
    Ok(())
}

fn from_row(row: &Row<'_>) -> Tried<(String, Vec<u8>)> {
    let (name, value): (String, Vec<u8>) = (row.get("name")?, row.get("value")?);
    if sums::setting(&name, &value) != row.get::<_, i64>("sum")?.cast_unsigned() {
        let place = format!("the setting {name:?}");
        return Err(StoreError::damaged(place, "its checksum is wrong").into());
    }
    Ok((name, value))
}

//! The table of small named values of the whole store.

use tokio_postgres::Row;

use super::fault::Tried;
use super::ledger::Card;
use super::session::Session;
use super::text;
use crate::error::StoreError;

pub(super) async fn get(session: &mut Session, name: &str) -> Tried<Option<Vec<u8>>> {
    let sql = "SELECT * FROM interlock.settings WHERE name = $1";
    let row = session.query_opt(sql, &[&text::keep(name)]).await?;
    row.map(|row| Ok(from_row(&row)?.1)).transpose()
}

/// The checksums of all settings, verified.
pub(super) async fn sums(session: &mut Session) -> Tried<Vec<u64>> {
    let rows = session
        .query("SELECT * FROM interlock.settings", &[])
        .await?;
    let sums = rows.iter().map(|row| {
        let (name, value) = from_row(row)?;
        Ok(crate::sums::setting(&name, &value))
    });
    sums.collect()
}

/// Keeps or deletes one, within the transaction that is open.
pub(super) async fn put(session: &mut Session, name: &str, value: Option<&[u8]>) -> Tried<()> {
    let mut card = Card::lock(session).await?;
    let kept = text::keep(name);
    let delete = "DELETE FROM interlock.settings WHERE name = $1 RETURNING sum";
    if let Some(old) = session.query_opt(delete, &[&kept]).await? {
        card.small.remove(old.try_get::<_, i64>(0)?.cast_unsigned());
    }
    if let Some(value) = value {
        let sum = crate::sums::setting(name, value);
        card.small.add(sum);
        let insert = "INSERT INTO interlock.settings VALUES ($1, $2, $3)";
        session
            .execute(insert, &[&kept, &value, &sum.cast_signed()])
            .await?;
    }
    card.write(session).await
}

fn from_row(row: &Row) -> Tried<(String, Vec<u8>)> {
    let name = text::give(row.try_get("name")?);
    let value: Vec<u8> = row.try_get("value")?;
    if crate::sums::setting(&name, &value) != row.try_get::<_, i64>("sum")?.cast_unsigned() {
        let place = format!("the setting {name:?}");
        return Err(StoreError::damaged(place, "its checksum is wrong").into());
    }
    Ok((name, value))
}

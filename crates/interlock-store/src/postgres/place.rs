//! Where the store is: by this a database that was restored or failed over is known, so that what was
//! promised in the positions that it may have lost is not mistaken for what is promised now.
//!
//! A place is the cluster, its timeline (which a promotion and a point-in-time recovery change), the
//! database, the table (which `pg_restore` makes anew) and the number of restores that were told of
//! by `interlock.restored()`, for those that leave no other trace.

use std::time::SystemTime;

use super::fault::Tried;
use super::ledger::Card;
use super::session::Session;

const HERE: &str = "SELECT concat_ws('/',
        (SELECT system_identifier FROM pg_control_system()),
        left(pg_walfile_name(pg_current_wal_lsn()), 8),
        (SELECT oid FROM pg_database WHERE datname = current_database()),
        'interlock.store'::regclass::oid,
        (SELECT coalesce(max(id), 0) FROM interlock.restores)),
    (SELECT place FROM interlock.store), (SELECT generation FROM interlock.store)";

/// The generation of the store that this connection leads to. It is raised if the store is in another
/// place than it was.
pub(super) async fn settle(session: &mut Session) -> Tried<u32> {
    let (here, was, generation) = look(session).await?;
    if was.as_ref() == Some(&here) {
        return Ok(generation);
    }
    session
        .transaction("BEGIN", async |session| {
            let mut card = Card::lock(session).await?;
            // Another node may have been faster.
            if card.place != here {
                card.generation = next(card.generation);
                card.place.clone_from(&here);
                card.write(session).await?;
            }
            Ok(card.generation)
        })
        .await
}

/// Where the store is.
pub(super) async fn here(session: &mut Session) -> Tried<String> {
    Ok(look(session).await?.0)
}

async fn look(session: &mut Session) -> Tried<(String, Option<String>, u32)> {
    let rows = session.query(HERE, &[]).await?;
    let row = rows.first().ok_or_else(|| {
        crate::error::StoreError::damaged("the database", "it does not say where it is")
    })?;
    let generation: Option<i64> = row.try_get(2)?;
    let generation = generation.and_then(|generation| u32::try_from(generation).ok());
    Ok((row.try_get(0)?, row.try_get(1)?, generation.unwrap_or(0)))
}

/// The same copy may be restored twice, so that counting does not do: the time tells the two apart.
fn next(generation: u32) -> u32 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = since.map_or(0, |since| {
        u32::try_from(since.as_secs()).unwrap_or(u32::MAX)
    });
    now.max(generation.saturating_add(1))
}

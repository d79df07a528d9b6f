//! The tables, and how they come to be: migrations that only go forward, one process at a time.

use super::fault::{Fault, Tried};
use super::ground;
use super::ledger::Card;
use super::session::Session;
use crate::error::StoreError;

/// Each makes the next version of the tables. Never change one that was released.
const MIGRATIONS: &[&str] = &[include_str!("migrations/0001.sql")];

/// "Ilck", and the version of this lock. Whoever migrates holds it.
const LOCK: &str = "SELECT pg_advisory_xact_lock(1231840107, 1)";

/// Whether there are tables, and whether there is at least a schema. Asked of the catalog itself: what
/// a session remembers of it may be older than the lock that was waited for.
const FOUND: &str = "SELECT
    EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'interlock' AND c.relname = 'migrations'),
    EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'interlock')";

const FIRST: &str = "
    CREATE SCHEMA interlock;
    CREATE TABLE interlock.migrations (
        version integer PRIMARY KEY,
        at timestamptz NOT NULL DEFAULT clock_timestamp(),
        by text NOT NULL
    );";

/// Brings the tables to this version. Refuses those of a newer one.
pub(super) async fn migrate(session: &mut Session) -> Tried<()> {
    let known = MIGRATIONS.len() as i64;
    if version(session).await? == Some(known) {
        return Ok(());
    }
    let migrated = session
        .transaction("BEGIN", async |session| {
            session.client().query_one(LOCK, &[]).await?;
            let found = version(session).await?;
            if found.is_none() {
                session.batch(FIRST).await?;
            }
            let found = found.unwrap_or(0);
            if found > known {
                return Err(StoreError::NewerSchema { found, known }.into());
            }
            for (version, sql) in (1..).zip(MIGRATIONS).skip(found as usize) {
                session.batch(sql).await?;
                let note = "INSERT INTO interlock.migrations (version, by) VALUES ($1, $2)";
                let by = concat!("interlock ", env!("CARGO_PKG_VERSION"));
                session.client().execute(note, &[&version, &by]).await?;
            }
            if found == 0 {
                Card::create(session).await?;
            }
            Ok(())
        })
        .await;
    migrated.map_err(|fault| match &fault {
        Fault::Sql(error)
            if error.code() == Some(&tokio_postgres::error::SqlState::INSUFFICIENT_PRIVILEGE) =>
        {
            let cause = format!("the tables can't be made: {}", fault.why());
            let remedy = "grant CREATE on the database to this role (`GRANT CREATE ON DATABASE …`)";
            ground::bad(&cause, remedy).into()
        }
        _ => fault,
    })
}

/// The version of the tables; none if there are none.
async fn version(session: &mut Session) -> Tried<Option<i64>> {
    let row = session.client().query_one(FOUND, &[]).await?;
    if !row.try_get::<_, bool>(0)? {
        if row.try_get(1)? {
            let cause = "there is a schema named interlock that is not Interlock's";
            return Err(ground::bad(cause, "use another database").into());
        }
        return Ok(None);
    }
    let newest = "SELECT coalesce(max(version), 0)::bigint FROM interlock.migrations";
    let row = session.client().query_one(newest, &[]).await?;
    Ok(Some(row.try_get(0)?))
}

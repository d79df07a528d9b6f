//! Is this ground to build on? What durability and fencing rest on is looked at with every connection,
//! since the next one may lead to another server.

use tokio_postgres::error::SqlState;

use super::fault::{Fault, Tried};
use super::session::Session;
use crate::error::StoreError;

/// The oldest version that is still looked after by its makers, and the one that `submit` needs.
const VERSION_MIN: i32 = 130_000;

const LOOK: &str = "SELECT current_setting('server_version_num')::int,
    current_setting('server_version'), current_setting('server_encoding'),
    pg_is_in_recovery(), current_setting('default_transaction_read_only')::bool,
    current_setting('fsync')::bool, current_setting('full_page_writes')::bool,
    current_setting('synchronous_commit')";

/// Refuses what nothing can be built on.
pub(super) async fn check(session: &mut Session) -> Tried<()> {
    let rows = session.query(LOOK, &[]).await?;
    let Some(row) = rows.first() else {
        return Err(bad("the server says nothing about itself", "use PostgreSQL").into());
    };
    let version: String = row.try_get(1)?;
    if row.try_get::<_, i32>(0)? < VERSION_MIN {
        let cause = format!("the server is PostgreSQL {version}");
        return Err(bad(&cause, "upgrade it to version 13 or later").into());
    }
    let encoding: String = row.try_get(2)?;
    if encoding != "UTF8" {
        let cause = format!("the database has the encoding {encoding}");
        let remedy = "create one with `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`";
        return Err(bad(&cause, remedy).into());
    }
    if row.try_get(3)? {
        let cause = "the server is a read-only standby";
        return Err(bad(
            cause,
            "connect to the primary, or list all servers in the URL",
        )
        .into());
    }
    if row.try_get(4)? {
        let cause = "transactions are read-only here (default_transaction_read_only is on)";
        let remedy = "turn it off for this role, database or server";
        return Err(bad(cause, remedy).into());
    }
    if !row.try_get::<_, bool>(5)? {
        let cause = "the server does not write to the disk before it answers (fsync is off)";
        let remedy = "set fsync = on in postgresql.conf and restart it; a database that ran without \
            may be damaged already if the machine has crashed since";
        return Err(bad(cause, remedy).into());
    }
    if !row.try_get::<_, bool>(6)? {
        let cause = "a power cut can tear the server's pages (full_page_writes is off)";
        return Err(bad(
            cause,
            "set full_page_writes = on in postgresql.conf and reload it",
        )
        .into());
    }
    if row.try_get::<_, String>(7)? == "off" {
        let cause = "the server answers before a commit is on the disk (synchronous_commit is off)";
        let remedy = "set it to on for this role, database or server (`ALTER ROLE … RESET \
            synchronous_commit`)";
        return Err(bad(cause, remedy).into());
    }
    Ok(())
}

/// What can be said about a server that lets nobody in.
pub(super) fn why_not(fault: Fault, shown: &str) -> Fault {
    let Fault::Sql(error) = &fault else {
        return fault;
    };
    let remedy = match error.code() {
        Some(&SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION) => {
            "look at the user and password in the URL, and at pg_hba.conf"
        }
        Some(&SqlState::INVALID_CATALOG_NAME) => "create the database, or name another one",
        _ => return fault,
    };
    bad(&format!("{shown} can't be used: {}", fault.why()), remedy).into()
}

pub(super) fn bad(cause: &str, remedy: &str) -> StoreError {
    StoreError::BadGround {
        cause: cause.to_owned(),
        remedy: remedy.to_owned(),
    }
}

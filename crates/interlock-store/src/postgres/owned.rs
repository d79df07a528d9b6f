//! The fence: every write of a namespace locks its ownership row while it asserts the epoch, within
//! the same transaction. Whoever takes a namespace over changes that row first, so that it waits for
//! writes under way, and those that come later find another epoch.

use super::fault::{Fault, Tried};
use super::ledger::id_column;
use super::session::Session;
use crate::error::StoreError;
use crate::types::NamespaceId;

/// Locks the ownership row within the transaction that is open, or refuses.
pub(super) async fn lock(session: &mut Session, of: NamespaceId, epoch: u64) -> Tried<()> {
    let sql = "SELECT 1 FROM interlock.owners WHERE namespace = $1 AND epoch = $2 FOR SHARE";
    let found = session
        .query_opt(sql, &[&id_column(of), &epoch.cast_signed()])
        .await?;
    found.map(|_| ()).ok_or_else(|| lost(of))
}

/// Another epoch is in force.
pub(super) fn lost(namespace: NamespaceId) -> Fault {
    let why = "it was taken over or removed since it was claimed";
    StoreError::NotOwned { namespace, why }.into()
}

/// Is this epoch in force, as of the moment that the transaction sees?
pub(super) async fn assert(session: &mut Session, of: NamespaceId, epoch: u64) -> Tried<()> {
    let sql = "SELECT 1 FROM interlock.owners WHERE namespace = $1 AND epoch = $2";
    let found = session
        .query_opt(sql, &[&id_column(of), &epoch.cast_signed()])
        .await?;
    found.map(|_| ()).ok_or_else(|| lost(of))
}

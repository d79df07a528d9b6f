//! The table of owners: claiming, giving, wanting.

use super::{Claim, NodeId, give as give_text, millis, node_id};
use crate::error::StoreError;
use crate::postgres::fault::{Tried, number};
use crate::postgres::ledger::{id_column, id_of};
use crate::postgres::owned;
use crate::postgres::session::Session;
use crate::types::NamespaceId;

const ALIVE: &str = "SELECT 1 FROM interlock.nodes
    WHERE id = $1 AND NOT ended AND lease_until > clock_timestamp() FOR SHARE";

/// Takes a namespace. Whose it was is declared dead by the same transaction, so that no clock that is
/// set back lets it renew its lease.
pub(super) async fn claim(session: &mut Session, me: NodeId, namespace: NamespaceId) -> Tried<u64> {
    let (id, my_id) = (id_column(namespace), me.0.cast_signed());
    session
        .transaction("BEGIN", async |session| {
            // Waits for every write under way that has locked the row.
            let lock = "SELECT node, epoch FROM interlock.owners WHERE namespace = $1 FOR UPDATE";
            let row = session.query_opt(lock, &[&id]).await?;
            let row = row.ok_or(StoreError::UnknownNamespace(namespace))?;
            let exists = "SELECT 1 FROM interlock.namespaces WHERE id = $1 AND NOT removed";
            if session.query_opt(exists, &[&id]).await?.is_none() {
                return Err(StoreError::UnknownNamespace(namespace).into());
            }
            if session.query_opt(ALIVE, &[&my_id]).await?.is_none() {
                return Err(StoreError::LeaseEnded.into());
            }
            if let Some(owner) = row.try_get::<_, Option<i64>>(0)?
                && owner != my_id
            {
                bury(session, owner, namespace).await?;
            }
            let take = "UPDATE interlock.owners SET node = $2, epoch = epoch + 1,
                    since = clock_timestamp(), wanted = NULLIF(wanted, $2)
                WHERE namespace = $1 RETURNING epoch";
            let rows = session.query(take, &[&id, &my_id]).await?;
            let row = rows.first().ok_or_else(|| owned::lost(namespace))?;
            Ok(number(row.try_get(0)?)?)
        })
        .await
}

/// Makes sure that an owner is dead, and stays so.
async fn bury(session: &mut Session, owner: i64, namespace: NamespaceId) -> Tried<()> {
    let end = "UPDATE interlock.nodes SET ended = true
        WHERE id = $1 AND (ended OR lease_until <= clock_timestamp())";
    if session.execute(end, &[&owner]).await? > 0 {
        return Ok(());
    }
    let left = "SELECT (extract(epoch FROM lease_until - clock_timestamp()) * 1000)::bigint
        FROM interlock.nodes WHERE id = $1";
    let row = session.query_opt(left, &[&owner]).await?;
    let left = row.map_or(Ok(0), |row| row.try_get(0))?;
    let owned = StoreError::Owned {
        namespace,
        node: owner.cast_unsigned(),
        left: millis(left),
    };
    Err(owned.into())
}

/// Gives a namespace away, to a node that is alive or to nobody.
pub(super) async fn give(
    session: &mut Session,
    namespace: NamespaceId,
    epoch: u64,
    to: Option<NodeId>,
) -> Tried<()> {
    let (id, epoch) = (id_column(namespace), epoch.cast_signed());
    let to_id = to.map(|to| to.0.cast_signed());
    session
        .transaction("BEGIN", async |session| {
            let lock = "SELECT 1 FROM interlock.owners
                WHERE namespace = $1 AND epoch = $2 FOR UPDATE";
            if session.query_opt(lock, &[&id, &epoch]).await?.is_none() {
                return Err(owned::lost(namespace));
            }
            if let (Some(to), Some(to_id)) = (to, to_id)
                && session.query_opt(ALIVE, &[&to_id]).await?.is_none()
            {
                return Err(StoreError::UnknownNode(to.0).into());
            }
            let give = "UPDATE interlock.owners SET node = $2, epoch = epoch + 1,
                    since = clock_timestamp(), wanted = NULLIF(wanted, $2)
                WHERE namespace = $1";
            session.execute(give, &[&id, &to_id]).await?;
            Ok(())
        })
        .await
}

/// Notes where a namespace is wanted.
pub(super) async fn want(
    session: &mut Session,
    namespace: NamespaceId,
    at: Option<NodeId>,
) -> Tried<()> {
    let at_id = at.map(|at| at.0.cast_signed());
    session
        .transaction("BEGIN", async |session| {
            if let (Some(at), Some(at_id)) = (at, at_id)
                && session.query_opt(ALIVE, &[&at_id]).await?.is_none()
            {
                return Err(StoreError::UnknownNode(at.0).into());
            }
            let sql = "UPDATE interlock.owners SET wanted = $2 WHERE namespace = $1";
            match session
                .execute(sql, &[&id_column(namespace), &at_id])
                .await?
            {
                0 => Err(StoreError::UnknownNamespace(namespace).into()),
                _ => Ok(()),
            }
        })
        .await
}

pub(super) async fn list(session: &mut Session) -> Tried<Vec<Claim>> {
    let sql = "SELECT o.namespace, s.name, o.node, o.epoch, o.wanted,
            coalesce(NOT n.ended AND n.lease_until > clock_timestamp(), false)
        FROM interlock.owners o
        JOIN interlock.namespaces s ON s.id = o.namespace AND NOT s.removed
        LEFT JOIN interlock.nodes n ON n.id = o.node
        ORDER BY o.namespace";
    let rows = session.query(sql, &[]).await?;
    let claim = |row: &tokio_postgres::Row| -> Tried<Claim> {
        Ok(Claim {
            namespace: id_of(row.try_get(0)?)?,
            name: give_text(row.try_get(1)?),
            owner: row.try_get::<_, Option<i64>>(2)?.map(node_id),
            epoch: number(row.try_get(3)?)?,
            wanted: row.try_get::<_, Option<i64>>(4)?.map(node_id),
            is_alive: row.try_get(5)?,
        })
    };
    rows.iter().map(claim).collect()
}

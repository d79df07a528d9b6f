//! Making a namespace.

use super::fault::Tried;
use super::ledger::{Card, Space, id_column};
use super::ownership::NodeId;
use super::session::Session;
use super::text;
use crate::error::StoreError;
use crate::types::{Namespace, NamespaceId};

/// The epoch of a namespace that its maker owns.
pub(super) const FIRST_EPOCH: u64 = 1;

/// Makes a namespace, owned by a node or by nobody.
pub(super) async fn make(
    session: &mut Session,
    name: &str,
    now_ms: u64,
    node: Option<NodeId>,
) -> Tried<Namespace> {
    let mut card = Card::lock(session).await?;
    let taken = "SELECT 1 FROM interlock.namespaces WHERE name = $1 AND NOT removed";
    if session
        .query_opt(taken, &[&text::keep(name)])
        .await?
        .is_some()
    {
        return Err(StoreError::NameTaken(name.to_owned()).into());
    }
    card.namespaces_made += 1;
    card.write(session).await?;
    let row = Namespace {
        id: NamespaceId(card.namespaces_made),
        name: name.to_owned(),
        created_ms: now_ms,
    };
    Space::new(row.clone()).write(session).await?;
    // A node whose lease has ended owns nothing new either.
    let own = "INSERT INTO interlock.owners (namespace, node, epoch) VALUES ($1, (
            SELECT id FROM interlock.nodes
            WHERE id = $2 AND NOT ended AND lease_until > clock_timestamp() FOR SHARE), $3)
        RETURNING node";
    let node = node.map(|node| node.0.cast_signed());
    let epoch = FIRST_EPOCH.cast_signed();
    let rows = session
        .query(own, &[&id_column(row.id), &node, &epoch])
        .await?;
    let owner: Option<i64> = rows.first().map_or(Ok(None), |row| row.try_get(0))?;
    if owner != node {
        return Err(StoreError::LeaseEnded.into());
    }
    Ok(row)
}

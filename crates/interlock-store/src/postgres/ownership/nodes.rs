//! The table of nodes: joining, renewing, leaving.

use super::{Lease, NewNode, Node, NodeId, give, millis, node_id};
use crate::error::StoreError;
use crate::postgres::fault::{Tried, number};
use crate::postgres::session::Session;
use crate::postgres::text;

/// How many milliseconds of a lease are left.
const LEFT: &str = "SELECT id, (extract(epoch FROM lease_until - clock_timestamp()) * 1000)::bigint
    FROM interlock.nodes WHERE name = $1 AND NOT ended AND lease_until > clock_timestamp()
    FOR UPDATE";

/// Adds a node. Nodes that have been dead for a day and own nothing are forgotten.
pub(super) async fn join(session: &mut Session, new: &NewNode) -> Tried<Lease> {
    let name = text::keep(&new.name);
    let lease_ms = i64::try_from(new.lease.as_millis()).unwrap_or(i64::MAX);
    session
        .transaction("BEGIN", async |session| {
            // One at a time, so that a name has one node.
            let lock = "LOCK TABLE interlock.nodes IN SHARE ROW EXCLUSIVE MODE";
            session.batch(lock).await?;
            for row in session.query(LEFT, &[&name]).await? {
                if !new.takeover {
                    let left = millis(row.try_get(1)?);
                    let name = new.name.clone();
                    return Err(StoreError::NodeAlive { name, left }.into());
                }
                let end = "UPDATE interlock.nodes SET ended = true WHERE id = $1";
                session.execute(end, &[&row.try_get::<_, i64>(0)?]).await?;
            }
            let forget = "DELETE FROM interlock.nodes n
                WHERE n.lease_until < clock_timestamp() - interval '1 day'
                    AND NOT EXISTS (SELECT 1 FROM interlock.owners o
                        WHERE o.node = n.id OR o.wanted = n.id)";
            session.execute(forget, &[]).await?;
            let add = "INSERT INTO interlock.nodes (name, address, version, lease, lease_until)
                VALUES ($1, $2, $3, $4::bigint * interval '1 ms',
                    clock_timestamp() + $4::bigint * interval '1 ms')
                RETURNING id";
            let (address, version) = (text::keep(&new.address), text::keep(&new.version));
            let row = session
                .query(add, &[&name, &address, &version, &lease_ms])
                .await?;
            let row = row.first().ok_or(StoreError::LeaseEnded)?;
            Ok(Lease {
                node: node_id(row.try_get(0)?),
                left: new.lease,
                draining: false,
            })
        })
        .await
}

/// Grants another lease to a node whose last one is not over.
pub(super) async fn renew(session: &mut Session, me: NodeId) -> Tried<Lease> {
    let sql = "UPDATE interlock.nodes SET lease_until = clock_timestamp() + lease
        WHERE id = $1 AND NOT ended AND lease_until > clock_timestamp()
        RETURNING (extract(epoch FROM lease) * 1000)::bigint, draining";
    let rows = session.query(sql, &[&me.0.cast_signed()]).await?;
    let row = rows.first().ok_or(StoreError::LeaseEnded)?;
    Ok(Lease {
        node: me,
        left: millis(row.try_get(0)?),
        draining: row.try_get(1)?,
    })
}

/// Ends a node and releases what it owns.
pub(super) async fn leave(session: &mut Session, me: NodeId) -> Tried<()> {
    let me = me.0.cast_signed();
    session
        .transaction("BEGIN", async |session| {
            let end = "UPDATE interlock.nodes SET ended = true WHERE id = $1";
            session.execute(end, &[&me]).await?;
            let release = "UPDATE interlock.owners
                SET node = NULL, epoch = epoch + 1, since = clock_timestamp() WHERE node = $1";
            session.execute(release, &[&me]).await?;
            Ok(())
        })
        .await
}

pub(super) async fn list(session: &mut Session) -> Tried<Vec<Node>> {
    let sql = "SELECT id, name, address, version, draining,
            (extract(epoch FROM started) * 1000)::bigint,
            CASE WHEN NOT ended AND lease_until > clock_timestamp()
                THEN (extract(epoch FROM lease_until - clock_timestamp()) * 1000)::bigint END
        FROM interlock.nodes ORDER BY id";
    let rows = session.query(sql, &[]).await?;
    let node = |row: &tokio_postgres::Row| -> Tried<Node> {
        Ok(Node {
            id: node_id(row.try_get(0)?),
            name: give(row.try_get(1)?),
            address: give(row.try_get(2)?),
            version: give(row.try_get(3)?),
            draining: row.try_get(4)?,
            started_ms: number(row.try_get(5)?)?,
            left: row.try_get::<_, Option<i64>>(6)?.map(millis),
        })
    };
    rows.iter().map(node).collect()
}

pub(super) async fn drain(session: &mut Session, node: NodeId, draining: bool) -> Tried<()> {
    let sql = "UPDATE interlock.nodes SET draining = $2
        WHERE id = $1 AND NOT ended AND lease_until > clock_timestamp()";
    let id = node.0.cast_signed();
    match session.execute(sql, &[&id, &draining]).await? {
        0 => Err(StoreError::UnknownNode(node.0).into()),
        _ => Ok(()),
    }
}

//! Who owns what: nodes with leases, and namespaces that belong to one of them at a time.
//!
//! A node's lease is judged by the database's clock alone. A namespace is claimed by changing its row
//! in `owners`, which waits for writes under way and fences those that come later (see `owned.rs`);
//! only then is it loaded. A node whose lease is over is dead for good and joins as another one, so
//! that there is no moment at which two could think that they are it.

mod claim;
mod nodes;

use std::sync::Arc;
use std::time::Duration;

use super::link::{Link, Shared};
use super::session::Session;
use super::text;
use crate::error::StoreError;
use crate::store::Result;
use crate::types::NamespaceId;

/// A node. Each start is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u64);

/// How a node introduces itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNode {
    /// What people call it. One node of a name is alive at a time.
    pub name: String,
    /// Where other nodes reach it.
    pub address: String,
    /// Its version.
    pub version: String,
    /// How long a lease is granted for each time.
    pub lease: Duration,
    /// Whether a node of the same name may be declared dead although its lease is not over: the caller
    /// vouches that its process is gone.
    pub takeover: bool,
}

/// A lease that was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// To whom.
    pub node: NodeId,
    /// For how long, from a moment between sending the call and its answer. Whoever holds it counts
    /// from the sending, on a clock that goes on while the machine sleeps.
    pub left: Duration,
    /// Whether somebody asked this node to give its namespaces away.
    pub draining: bool,
}

/// A node as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its number.
    pub id: NodeId,
    /// What people call it.
    pub name: String,
    /// Where other nodes reach it.
    pub address: String,
    /// Its version.
    pub version: String,
    /// When it joined, by the database's clock.
    pub started_ms: u64,
    /// What is left of its lease; none if it is dead.
    pub left: Option<Duration>,
    /// Whether somebody asked it to give its namespaces away.
    pub draining: bool,
}

/// Who owns a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Which namespace.
    pub namespace: NamespaceId,
    /// Its name.
    pub name: String,
    /// Its owner, dead or alive.
    pub owner: Option<NodeId>,
    /// Whether the owner is alive.
    pub is_alive: bool,
    /// Grows with every change of the owner.
    pub epoch: u64,
    /// Where somebody asked it to be moved.
    pub wanted: Option<NodeId>,
}

/// Ownership, on a connection of its own, for the node that this process is.
pub struct Ownership {
    link: Link,
}

impl Ownership {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            link: Link::new(shared),
        }
    }

    /// Which node this process is.
    pub fn node(&self) -> Option<NodeId> {
        self.link.shared.held.node()
    }

    /// Is this namespace held, as far as this process knows? It may have been taken over since.
    pub fn holds(&self, namespace: NamespaceId) -> Option<u64> {
        self.link.shared.held.epoch(namespace)
    }

    /// The generation of the store, as of the last connection: see [`Store`](crate::Store).
    pub fn generation(&self) -> u32 {
        self.link.shared.generation()
    }

    /// Has this process left in order, and not joined since?
    pub fn has_left(&self) -> bool {
        self.link.shared.held.has_left()
    }

    fn me(&self) -> Result<NodeId> {
        self.node().ok_or(StoreError::LeaseEnded)
    }

    /// Becomes a node that owns nothing. Whatever was held before is not any more.
    pub fn join(&mut self, new: &NewNode) -> Result<Lease> {
        crate::check::name("node", &new.name)?;
        self.link.shared.held.leave(false);
        let lease =
            self.link
                .write_within(new.lease, "joining", &[], async |session: &mut Session| {
                    nodes::join(session, new).await
                })?;
        self.link.shared.held.join(lease.node, new.lease);
        Ok(lease)
    }

    /// Renews the lease. Fails with [`StoreError::LeaseEnded`] if it is over; then nothing is held any
    /// more, and the node can join again. After any other error the last lease counts until it is
    /// over.
    pub fn renew(&mut self) -> Result<Lease> {
        let me = self.me()?;
        // Another attempt must fit into the lease.
        let limit = self.link.shared.held.lease() / 3;
        let doing = "renewing the lease";
        let renewed = self.link.write_within(limit, doing, &[], async |session| {
            nodes::renew(session, me).await
        });
        if let Err(StoreError::LeaseEnded) = renewed {
            self.link.shared.held.leave(false);
        }
        renewed
    }

    /// Ends the lease in order: releases everything that is owned.
    pub fn leave(&mut self) -> Result<()> {
        let me = self.me()?;
        self.link.shared.held.leave(true);
        let leaving = async |session: &mut Session| nodes::leave(session, me).await;
        self.link.write("leaving", &[], leaving)
    }

    /// The nodes, dead ones too for as long as they are remembered.
    pub fn nodes(&mut self) -> Result<Vec<Node>> {
        self.link.read("listing nodes", nodes::list)
    }

    /// Asks a node to give its namespaces away, or to be like all others again.
    pub fn drain(&mut self, node: NodeId, draining: bool) -> Result<()> {
        self.link.write("draining a node", &[], async |session| {
            nodes::drain(session, node, draining).await
        })
    }

    /// Who owns what, by namespace.
    pub fn claims(&mut self) -> Result<Vec<Claim>> {
        self.link.read("listing owners", claim::list)
    }

    /// Takes a namespace that nobody owns, or a dead node, or this one; returns the new epoch. It must
    /// be loaded after that, and before anything is written to it.
    pub fn claim(&mut self, namespace: NamespaceId) -> Result<u64> {
        let me = self.me()?;
        self.link.shared.held.forget(namespace);
        let epoch = self
            .link
            .write("claiming a namespace", &[], async |session| {
                claim::claim(session, me, namespace).await
            })?;
        self.link.shared.held.hold(namespace, epoch);
        Ok(epoch)
    }

    /// Claims every namespace that can be, and returns those that are owned by others.
    pub fn claim_all(&mut self) -> Result<Vec<NamespaceId>> {
        let mut others = Vec::new();
        for claim in self.claims()? {
            match self.claim(claim.namespace) {
                Ok(_) => {}
                Err(StoreError::Owned { namespace, .. }) => others.push(namespace),
                // It was removed in between.
                Err(StoreError::UnknownNamespace(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(others)
    }

    /// Gives a namespace that is held to another node, which finds it among its claims and claims it
    /// once more before it loads it. Stop writing to it first: what is under way is waited for, what
    /// comes later is refused.
    pub fn hand_over(&mut self, namespace: NamespaceId, to: NodeId) -> Result<()> {
        let epoch = self.give_up(namespace)?;
        self.link
            .write("handing over a namespace", &[], async |session| {
                claim::give(session, namespace, epoch, Some(to)).await
            })
    }

    /// Gives a namespace up, for anybody to claim.
    pub fn release(&mut self, namespace: NamespaceId) -> Result<()> {
        let epoch = self.give_up(namespace)?;
        self.link
            .write("releasing a namespace", &[], async |session| {
                claim::give(session, namespace, epoch, None).await
            })
    }

    fn give_up(&self, namespace: NamespaceId) -> Result<u64> {
        let held = &self.link.shared.held;
        let why = "it was not claimed, or has been given up";
        let epoch = held.epoch(namespace);
        let epoch = epoch.ok_or(StoreError::NotOwned { namespace, why })?;
        held.forget_epoch(namespace, epoch);
        Ok(epoch)
    }

    /// Notes where somebody wants a namespace to be; its owner is the one to move it.
    pub fn want(&mut self, namespace: NamespaceId, at: Option<NodeId>) -> Result<()> {
        self.link.write("asking for a move", &[], async |session| {
            claim::want(session, namespace, at).await
        })
    }
}

fn millis(left: i64) -> Duration {
    Duration::from_millis(u64::try_from(left).unwrap_or(0))
}

fn node_id(column: i64) -> NodeId {
    NodeId(column.cast_unsigned())
}

fn give(kept: String) -> String {
    text::give(kept)
}

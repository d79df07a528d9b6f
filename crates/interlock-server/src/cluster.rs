//! One of several equal nodes on one PostgreSQL database.
//!
//! Each namespace is served by one node at a time, its owner; every node answers every request, by
//! forwarding it to the owner. Who owns what is in the database and guarded there: a write by anybody
//! else is refused. Here is what a node does about it: it keeps its lease, claims what falls to it,
//! gives away what it shall not have, and knows where everything is.

mod directory;
mod forward;
pub(crate) mod inbox;
mod keeper;
mod lease;
mod peers;
mod placement;
mod secret;
mod tenure;

pub(crate) use directory::state;
pub use directory::{Directory, Whereabouts};
pub(crate) use forward::forward;
pub use lease::LeaseClock;
pub use placement::{Move, NodeFact, SpaceFact, plan};
pub use tenure::{Sole, Tenure, Term};

use crate::door::Authorities;
use interlock_store::postgres::{NewNode, NodeId, Ownership};
use interlock_store::{NamespaceId, StoreError};
use peers::Peers;
use secret::Secret;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// How a node is set.
#[derive(Clone, Debug)]
pub struct NodeConfig {
    /// What people call it.
    pub name: String,
    /// Where other nodes reach it, such as `http://10.0.0.1:7420`.
    pub address: String,
    /// How long its lease is granted for each time. When it crashes, its namespaces are served by
    /// others after this long.
    pub lease: Duration,
    /// Who vouches for nodes that listen with TLS.
    pub authorities: Authorities,
}

/// This node, and what it knows of the others.
pub struct Cluster {
    config: NodeConfig,
    ownership: Mutex<Ownership>,
    /// If it changes, the database is not the one that everything here was loaded from.
    generation: u32,
    lease: LeaseClock,
    directory: watch::Sender<Arc<Directory>>,
    /// Wakes the keeper.
    look: Notify,
    secret: Secret,
    peers: Peers,
}

impl Cluster {
    pub(crate) fn new(config: NodeConfig, ownership: Ownership) -> Self {
        let peers = Peers::new(config.authorities.clone());
        Self {
            config,
            generation: ownership.generation(),
            ownership: Mutex::new(ownership),
            lease: LeaseClock::default(),
            directory: watch::Sender::new(Arc::default()),
            look: Notify::new(),
            secret: Secret::default(),
            peers,
        }
    }

    /// What people call this node.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// What is left of this node's lease, on its own clock.
    pub fn lease_left(&self) -> Duration {
        self.lease.left()
    }

    /// What is known of nodes and namespaces, as of the last look.
    pub fn directory(&self) -> Arc<Directory> {
        self.directory.borrow().clone()
    }

    /// Looks at the database now rather than a little later.
    pub fn look(&self) {
        self.look.notify_one();
    }

    /// Waits until the next look is over, for so long at most.
    pub async fn looked(&self, at_most: Duration) {
        let mut directory = self.directory.subscribe();
        self.look();
        let _late = tokio::time::timeout(at_most, directory.changed()).await;
    }

    /// Asks a node to give its namespaces away, or to be like all others again.
    pub(crate) fn drain(&self, node: NodeId, draining: bool) -> Result<(), StoreError> {
        self.ownership().drain(node, draining)
    }

    /// Notes where somebody wants a namespace to be.
    pub(crate) fn want(
        &self,
        namespace: NamespaceId,
        at: Option<NodeId>,
    ) -> Result<(), StoreError> {
        self.ownership().want(namespace, at)
    }

    fn ownership(&self) -> MutexGuard<'_, Ownership> {
        self.ownership
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn check_generation(&self, ownership: &Ownership) -> Result<(), StoreError> {
        if ownership.generation() == self.generation {
            return Ok(());
        }
        Err(StoreError::Restored)
    }

    fn introduction(&self) -> NewNode {
        NewNode {
            name: self.config.name.clone(),
            address: self.config.address.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            lease: self.config.lease,
            takeover: false,
        }
    }
}

impl Tenure for Cluster {
    fn claim(&self, namespace: NamespaceId) -> Result<Term, StoreError> {
        let mut ownership = self.ownership();
        // Read first: if it ends while this is claimed, the claim is of no use.
        let term = self.lease.term();
        ownership.claim(namespace)?;
        self.check_generation(&ownership)?;
        Ok(term)
    }

    fn is_held(&self, term: Term) -> bool {
        !self.is_over(term) && self.lease.is_valid()
    }

    fn is_over(&self, term: Term) -> bool {
        self.lease.term() != term
    }
}

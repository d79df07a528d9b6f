//! Becoming a node of a PostgreSQL store.

use interlock_server::lease::{LeaseKeeper, Sent, sent_now};
use interlock_store::postgres::{Lease, NewNode, Ownership, SoleNode};
use interlock_store::{PostgresStore, StoreError};
use std::net::SocketAddr;
use std::time::Duration;
use tracing::{info, warn};

/// How long a node's lease is: what a crash of it costs at most, before another can take over.
const LEASE: Duration = Duration::from_secs(10);

/// The node that this process has become, whose lease must be kept.
pub(super) struct Joined {
    ownership: Ownership,
    lease: Lease,
    sent: Sent,
}

impl Joined {
    /// Keeps the lease until the answer is dropped. `lost` is called if that fails.
    pub(super) fn keep(
        self,
        lost: impl FnOnce(&StoreError) + Send + 'static,
    ) -> std::io::Result<LeaseKeeper> {
        LeaseKeeper::start(self.ownership, self.lease, self.sent, lost)
    }
}

/// Opens the store and joins as its only node. Waits for the lease of one that was killed to end.
pub(super) fn join(url: &str, listen: SocketAddr) -> Result<(SoleNode, Joined), StoreError> {
    let new = NewNode {
        name: rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned(),
        address: format!("http://{listen}"),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        lease: LEASE,
        takeover: false,
    };
    loop {
        let store = PostgresStore::open(url)?;
        let sent = sent_now();
        match SoleNode::join(store, &new) {
            Ok((node, lease)) => {
                info!(node = lease.node.0, name = new.name, "joined");
                let ownership = node.ownership();
                let joined = Joined {
                    ownership,
                    lease,
                    sent,
                };
                return Ok((node, joined));
            }
            Err(error) => match SoleNode::join_again_after(&error) {
                Some(left) => {
                    warn!(%error, "waiting for the lease of another node to end");
                    std::thread::sleep(left.max(Duration::from_millis(100)));
                }
                None => return Err(error),
            },
        }
    }
}

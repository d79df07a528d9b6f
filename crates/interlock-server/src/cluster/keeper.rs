//! The keeper: two loops, of which one renews this node's lease, and the other looks at what the
//! database says and does what follows from it.

use super::placement::{Move, NodeFact, SpaceFact, plan};
use super::secret::Secret;
use super::{Cluster, Directory};
use crate::clock::boot_ms;
use crate::server::Server;
use interlock_store::postgres::{Claim, Node, NodeId};
use interlock_store::{Namespace, NamespaceId, StoreError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tracing::{info, warn};

/// Looks within one lease.
const LOOKS: u32 = 4;
/// A node that has been there for so long will probably stay.
const SETTLED_AFTER_MS: u64 = 10_000;

impl Cluster {
    /// Joins the cluster; fails if that is not possible.
    pub(crate) async fn join(self: &Arc<Self>) -> Result<(), StoreError> {
        let cluster = self.clone();
        let joined = spawn_blocking(move || {
            let sent = boot_ms();
            let lease = cluster.ownership().join(&cluster.introduction())?;
            cluster.lease.granted(sent, lease.left);
            Ok(lease.node)
        });
        let node: NodeId = joined.await.unwrap_or(Err(StoreError::LeaseEnded))?;
        info!(node = node.0, name = self.name(), "joined the cluster");
        Ok(())
    }

    /// Keeps the lease and what follows from it until told to stop; then gives everything away.
    pub(crate) async fn keep(
        self: Arc<Self>,
        server: Arc<Server>,
        mut stop: oneshot::Receiver<()>,
    ) {
        let every = self.config.lease / LOOKS;
        // Renewals wait for nothing but the database, whatever the namespaces do.
        let renewing = tokio::spawn(renew_always(self.clone(), server.clone(), every));
        loop {
            self.look_once(&server).await;
            tokio::select! {
                _told = &mut stop => break,
                () = tokio::time::sleep(every) => {}
                () = self.look.notified() => {}
            }
        }
        self.leave(&server).await;
        renewing.abort();
    }

    /// Looks at the database, and does what follows.
    async fn look_once(self: &Arc<Self>, server: &Arc<Server>) {
        let seen = match self.see().await {
            Ok(seen) => Arc::new(seen),
            Err(error) => {
                warn!(%error, "the nodes and namespaces can't be looked up");
                return;
            }
        };
        if let Err(error) = self.refresh(server).await {
            warn!(%error, "tokens can't be looked up");
        }
        self.directory.send_replace(seen.clone());
        self.let_go(server).await;
        for planned in self.plan(server, &seen) {
            match planned {
                Move::Claim(id) => self.host(server, id).await,
                Move::HandOver(id, to) => self.hand_over(server, &seen, id, to).await,
            }
        }
    }

    async fn see(self: &Arc<Self>) -> Result<Directory, StoreError> {
        let cluster = self.clone();
        let seeing = spawn_blocking(move || {
            let mut ownership = cluster.ownership();
            Ok(Directory {
                nodes: ownership.nodes()?,
                claims: ownership.claims()?,
                me: ownership.node(),
            })
        });
        seeing.await.unwrap_or(Err(StoreError::LeaseEnded))
    }

    /// Tokens and the secret, which any node may have changed.
    async fn refresh(&self, server: &Server) -> Result<(), StoreError> {
        let read = server
            .committer()
            .look(|store| Ok::<_, StoreError>((store.tokens()?, Secret::read_or_make(store)?)));
        if let Ok(read) = read.await {
            let (tokens, secret) = read?;
            server.tokens.set(tokens);
            self.secret.set(secret);
        }
        Ok(())
    }

    fn plan(&self, server: &Server, seen: &Directory) -> Vec<Move> {
        let Some(me) = seen.me.filter(|_| self.lease.is_valid()) else {
            return Vec::new();
        };
        let newest = seen.nodes.iter().map(|node| node.started_ms).max();
        let now_ms = crate::clock::wall().0.max(newest.unwrap_or(0));
        let nodes: Vec<NodeFact> = seen.alive().map(|node| node_fact(node, now_ms)).collect();
        let spaces: Vec<SpaceFact> = seen.claims.iter().map(space_fact).collect();
        // What another node has given to this one is to be served first, wherever it goes then.
        let (given, served): (Vec<&Claim>, Vec<&Claim>) = (seen.claims.iter())
            .filter(|claim| claim.owner == Some(me) && claim.is_alive)
            .partition(|claim| server.namespaces.find(&claim.name).is_none());
        let is_served = |id: NamespaceId| served.iter().any(|claim| claim.namespace == id);
        let given = given.into_iter().map(|claim| Move::Claim(claim.namespace));
        let planned = plan(me, &nodes, &spaces).into_iter();
        let planned = planned.filter(|planned| match planned {
            Move::Claim(_) => true,
            Move::HandOver(id, _) => is_served(*id),
        });
        given.chain(planned).collect()
    }

    /// Stops serving what turned out to be another node's.
    async fn let_go(&self, server: &Server) {
        for hosted in server.namespaces.all() {
            if hosted.cell.has_moved() {
                info!(
                    namespace = hosted.name,
                    "served by another node from now on"
                );
                server.namespaces.drop(&hosted.name).await;
            }
        }
    }

    /// Serves a namespace: its cell claims it before it loads it.
    async fn host(&self, server: &Server, id: NamespaceId) {
        let rows = server.committer().look(|store| store.namespaces());
        let Ok(Ok(rows)) = rows.await else { return };
        let Some(row) = rows.into_iter().find(|row| row.id == id) else {
            return;
        };
        if server.namespaces.find(&row.name).is_none() {
            info!(namespace = row.name, "served by this node from now on");
            host(server, row);
        }
    }

    /// Stops serving a namespace in order, and gives it to another node, which is told.
    async fn hand_over(
        self: &Arc<Self>,
        server: &Server,
        seen: &Directory,
        id: NamespaceId,
        to: NodeId,
    ) {
        let (Some(name), Some(node)) = (seen.name_of(id), seen.node(to)) else {
            return;
        };
        if !self.is_there(node).await {
            info!(
                namespace = name,
                to = node.name,
                "not handed over: the node does not answer"
            );
            return;
        }
        server.namespaces.drop(name).await;
        // Everything that the cell left behind is written when the committer comes to this.
        let _stopping = server.committer().call_async(|_| ()).await;
        let cluster = self.clone();
        let given = spawn_blocking(move || cluster.ownership().hand_over(id, to)).await;
        match given {
            Ok(Ok(())) => info!(namespace = name, to = node.name, "handed over"),
            Ok(Err(error)) => warn!(%error, namespace = name, "not handed over"),
            Err(_) => {}
        }
        let _heard = self.is_there(node).await;
        self.look();
    }

    /// Gives every namespace to another node, and ends the lease.
    async fn leave(self: &Arc<Self>, server: &Arc<Server>) {
        if let Ok(seen) = self.see().await {
            let mut others: Vec<&Node> = Vec::new();
            for node in seen.alive() {
                let may_have = Some(node.id) != seen.me && !node.draining;
                if may_have && self.is_there(node).await {
                    others.push(node);
                }
            }
            for (nth, hosted) in server.namespaces.all().into_iter().enumerate() {
                if let Some(to) = others.get(nth % others.len().max(1)) {
                    self.hand_over(server, &seen, hosted.id, to.id).await;
                }
            }
        }
        for hosted in server.namespaces.all() {
            server.namespaces.drop(&hosted.name).await;
        }
        let _stopping = server.committer().call_async(|_| ()).await;
        self.lease.end();
        let cluster = self.clone();
        let left = spawn_blocking(move || cluster.ownership().leave()).await;
        if let Ok(Err(error)) = left {
            warn!(%error, "the lease runs out by itself");
        }
    }
}

/// Renews the lease again and again; joins anew when it is over.
async fn renew_always(cluster: Arc<Cluster>, server: Arc<Server>, every: Duration) {
    loop {
        let node = cluster.clone();
        let renewed = spawn_blocking(move || node.renew()).await;
        if let Ok(Err(error)) = renewed {
            warn!(%error, "the lease was not renewed");
            if matches!(error, StoreError::Restored) {
                cluster.lease.end();
                return server.lose(&error);
            }
            if matches!(error, StoreError::LeaseEnded) {
                cluster.lease.end();
                if let Err(error) = cluster.join().await {
                    warn!(%error, "cannot join the cluster again yet");
                }
                cluster.look();
            }
        }
        tokio::time::sleep(every).await;
    }
}

impl Cluster {
    fn renew(&self) -> Result<(), StoreError> {
        let sent = boot_ms();
        let mut ownership = self.ownership();
        let lease = ownership.renew()?;
        self.check_generation(&ownership)?;
        self.lease.granted(sent, lease.left);
        Ok(())
    }
}

fn host(server: &Server, row: Namespace) {
    let name = row.name.clone();
    if let Err(error) = server.namespaces.host(row) {
        warn!(%error, namespace = name, "a namespace can't be served");
    }
}

fn node_fact(node: &Node, now_ms: u64) -> NodeFact {
    NodeFact {
        id: node.id,
        draining: node.draining,
        settled: now_ms.saturating_sub(node.started_ms) >= SETTLED_AFTER_MS,
    }
}

fn space_fact(claim: &Claim) -> SpaceFact {
    SpaceFact {
        id: claim.namespace,
        owner: claim.owner.filter(|_| claim.is_alive),
        wanted: claim.wanted,
    }
}

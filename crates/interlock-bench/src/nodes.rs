//! Nodes of the real binary on a PostgreSQL server of this program's own.

use crate::host::binary_or_beside;
use anyhow::{Context, bail};
use interlock_api::claim::Claim;
use interlock_api::node::{Node, NodeState};
use interlock_api::submission::Submission;
use interlock_client::{Client, Retry};
pub(crate) use interlock_pgtest::Wires;
use interlock_pgtest::{Nodes, Server as Postgres};
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

/// The lease of a node.
pub(crate) const LEASE: Duration = Duration::from_secs(6);
/// How long anything may take that should be a matter of seconds.
const PATIENCE: Duration = Duration::from_secs(60);
/// How soon somebody who was refused asks again.
const ASK_AGAIN: Duration = Duration::from_millis(10);
/// How long one question may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(15);

/// Nodes and their database, gone when this is dropped.
pub(crate) struct Cluster {
    /// The nodes.
    pub(crate) nodes: Nodes,
    /// The database server.
    pub(crate) database: Postgres,
}

impl Cluster {
    /// So many nodes, once all of them are alive.
    pub(crate) async fn start(
        binary: Option<&Path>,
        count: usize,
        wires: Wires,
    ) -> anyhow::Result<Self> {
        let binary = binary_or_beside(binary)?;
        let database = Postgres::start(&[]);
        let name = database.database().name().to_owned();
        let url = move |port| format!("postgres://interlock@127.0.0.1:{port}/{name}");
        let nodes = Nodes::start(&binary, count, database.port(), wires, url);
        let cluster = Self { nodes, database };
        cluster.until_alive(count).await?;
        Ok(cluster)
    }

    /// Where a node listens.
    pub(crate) fn address(&self, at: usize) -> anyhow::Result<SocketAddr> {
        let address = self.nodes.address(at);
        let address = address.strip_prefix("http://").context("an address")?;
        Ok(address.parse()?)
    }

    /// A client of some of the nodes that asks once.
    pub(crate) fn client_of(&self, some: &[usize]) -> anyhow::Result<Client> {
        let addresses: Vec<String> = some.iter().map(|at| self.nodes.address(*at)).collect();
        Ok(Client::new(&addresses.join(","))?.retrying(Retry::NONE))
    }

    /// A client of all nodes.
    pub(crate) fn client_of_all(&self) -> anyhow::Result<Client> {
        let all = (0..self.nodes.count()).map(|at| self.nodes.address(at));
        Ok(Client::new(&all.collect::<Vec<_>>().join(","))?)
    }

    /// Waits until so many nodes are alive, and the default namespace is served.
    pub(crate) async fn until_alive(&self, count: usize) -> anyhow::Result<()> {
        self.find(|nodes| {
            let living = nodes.iter().filter(|node| is_alive(node));
            let served = nodes.iter().any(|node| serves(node, "default"));
            (living.count() == count && served).then_some(())
        })
        .await
    }

    /// Which node serves a namespace.
    pub(crate) async fn owner(&self, namespace: &str) -> anyhow::Result<usize> {
        self.find(|nodes| {
            let owner = nodes.iter().find(|node| serves(node, namespace))?;
            (0..self.nodes.count()).find(|at| Nodes::name(*at) == owner.name)
        })
        .await
    }

    /// Waits until something is found in what is known of the nodes.
    pub(crate) async fn find<T>(&self, find: impl Fn(&[Node]) -> Option<T>) -> anyhow::Result<T> {
        let (client, begun) = (self.client_of_all()?, Instant::now());
        while begun.elapsed() < PATIENCE {
            let listed = client.nodes().list().await;
            if let Some(found) = listed.ok().and_then(|listed| find(&listed.nodes)) {
                return Ok(found);
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        let listed = client.nodes().list().await;
        bail!("not within a minute: {listed:?}\n{}", self.nodes.said())
    }

    /// How long it takes until one of these nodes answers something that no memory can answer by
    /// itself.
    pub(crate) async fn answers_again(&self, some: &[usize]) -> anyhow::Result<Duration> {
        let begun = Instant::now();
        let clients: anyhow::Result<Vec<Client>> =
            some.iter().map(|at| self.client_of(&[*at])).collect();
        let asking = clients?
            .into_iter()
            .map(|client| Box::pin(ask_again(client)));
        let answered = tokio::time::timeout(PATIENCE, futures_util::future::select_all(asking));
        let answered = answered.await;
        answered.with_context(|| format!("nobody answers\n{}", self.nodes.said()))?;
        Ok(begun.elapsed())
    }
}

/// Submits until it is answered.
async fn ask_again(client: Client) {
    let claim = Claim {
        resource: "probe:1".into(),
        op: None,
    };
    let probe = Submission::new("sync", [claim]);
    loop {
        let tasks = client.tasks();
        let asked = tokio::time::timeout(ANSWER_WITHIN, tasks.submit(&probe)).await;
        if matches!(asked, Ok(Ok(_))) {
            return;
        }
        tokio::time::sleep(ASK_AGAIN).await;
    }
}

fn is_alive(node: &Node) -> bool {
    node.state != NodeState::Dead
}

fn serves(node: &Node, namespace: &str) -> bool {
    let mut served = node.namespaces.iter();
    is_alive(node) && served.any(|served| served.name == namespace)
}

//! Three nodes of the real binary, and clients of them.

use interlock_api::node::{Node, NodeState};
use interlock_client::{Client, Retry};
use interlock_pgtest::{Database, Proxy, Server as Postgres, Wires};
use std::path::Path;
use std::time::{Duration, Instant};

pub(crate) const NAMES: [&str; 3] = ["n1", "n2", "n3"];

/// How long anything may take that should be a matter of seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// Three nodes, gone with the test.
pub(crate) struct Nodes {
    database: Database<'static>,
    nodes: interlock_pgtest::Nodes,
}

impl Nodes {
    pub(crate) async fn start() -> Self {
        Self::start_with(Wires::None).await
    }

    /// Starts them with wires that can be cut, or without.
    pub(crate) async fn start_with(wires: Wires) -> Self {
        let database = Postgres::shared().database();
        let (port, name) = (database.server().port(), database.name().to_owned());
        let url = move |port| format!("postgres://interlock@127.0.0.1:{port}/{name}");
        Self::start_on(database, port, wires, url).await
    }

    /// Starts them on a database that they reach like this.
    pub(crate) async fn start_on(
        database: Database<'static>,
        port: u16,
        wires: Wires,
        url: impl Fn(u16) -> String + Send + Sync + 'static,
    ) -> Self {
        let binary = Path::new(env!("CARGO_BIN_EXE_interlock"));
        let nodes = Self {
            database,
            nodes: interlock_pgtest::Nodes::start(binary, NAMES.len(), port, wires, url),
        };
        nodes.wait_for(3).await;
        nodes
    }

    /// Starts a node.
    pub(crate) fn begin(&mut self, at: usize) {
        self.nodes.begin(at);
    }

    /// Sends a signal to a node.
    pub(crate) fn signal(&self, at: usize, signal: &str) {
        self.nodes.signal(at, signal);
    }

    /// The wire by which the others reach a node.
    pub(crate) fn to_it(&self, at: usize) -> &Proxy {
        self.nodes.to_it(at)
    }

    /// Where clients reach a node.
    pub(crate) fn address(&self, at: usize) -> String {
        self.nodes.address(at)
    }

    /// Ends a node by a signal, and says how it ended.
    pub(crate) fn end(&mut self, at: usize, signal: &str) -> Option<i32> {
        self.nodes.end(at, signal).code()
    }

    /// The URL of the database, as its owner.
    pub(crate) fn url(&self) -> String {
        self.database.url()
    }

    /// Runs statements in the database, and returns what they print.
    pub(crate) fn sql(&self, sql: &str) -> String {
        self.database.sql(sql)
    }

    /// The same, while the test goes on.
    pub(crate) fn sql_later(&self, sql: &str) -> std::thread::JoinHandle<String> {
        let (server, name) = (self.database.server(), self.database.name().to_owned());
        let sql = sql.to_owned();
        std::thread::spawn(move || server.sql(&name, &sql))
    }

    /// A client of one node.
    pub(crate) fn client(&self, at: usize) -> Client {
        let client = Client::new(&self.nodes.address(at)).unwrap();
        client.retrying(Retry::NONE)
    }

    /// A client of all of them.
    pub(crate) fn client_of_all(&self) -> Client {
        Client::new(&[0, 1, 2].map(|at| self.nodes.address(at)).join(",")).unwrap()
    }

    /// Waits until so many nodes are alive, and every namespace is served.
    pub(crate) async fn wait_for(&self, alive: usize) {
        self.until(|nodes| {
            let living: Vec<&Node> = nodes.iter().filter(|node| is_alive(node)).collect();
            living.len() == alive && living.iter().any(|node| serves(node, "default"))
        })
        .await;
    }

    /// Waits until what is known of the nodes is so.
    pub(crate) async fn until(&self, is_so: impl Fn(&[Node]) -> bool) {
        let (client, begun) = (self.client_of_all(), Instant::now());
        loop {
            if let Ok(all) = client.nodes().list().await
                && is_so(&all.nodes)
            {
                return;
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "{:?}",
                client.nodes().list().await
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Which node serves a namespace.
    pub(crate) async fn owner(&self, namespace: &str) -> usize {
        self.next_owner(namespace, NAMES.len()).await
    }

    /// Which node serves a namespace, once it is another than this.
    pub(crate) async fn next_owner(&self, namespace: &str, than: usize) -> usize {
        let (client, begun) = (self.client_of_all(), Instant::now());
        loop {
            let all = client.nodes().list().await;
            let all = all.map(|all| all.nodes).unwrap_or_default();
            let mut living = all.iter().filter(|node| is_alive(node));
            let owner = living.find(|node| serves(node, namespace));
            let named = |node: &Node| NAMES.iter().position(|name| *name == node.name);
            if let Some(owner) = owner.and_then(named).filter(|owner| *owner != than) {
                return owner;
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "nobody serves {namespace}: {all:?}"
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

pub(crate) fn is_alive(node: &Node) -> bool {
    node.state != NodeState::Dead
}

pub(crate) fn serves(node: &Node, namespace: &str) -> bool {
    let mut served = node.namespaces.iter();
    served.any(|served| served.name == namespace)
}

//! Three nodes of the real binary, each on a port that it keeps.

use interlock_api::node::{Node, NodeState};
use interlock_client::{Client, Retry};
use interlock_pgtest::{Database, Server as Postgres};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) const NAMES: [&str; 3] = ["n1", "n2", "n3"];

/// How long anything may take that should be a matter of seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// Three nodes, gone with the test.
pub(crate) struct Nodes {
    database: Database<'static>,
    ports: [u16; 3],
    children: [Option<Child>; 3],
}

impl Nodes {
    pub(crate) async fn start() -> Self {
        // Held together, so that they are three.
        let free = NAMES.map(|_| TcpListener::bind("127.0.0.1:0").unwrap());
        let ports = free.map(|listener| listener.local_addr().unwrap().port());
        let mut nodes = Self {
            database: Postgres::shared().database(),
            ports,
            children: [None, None, None],
        };
        for at in 0..3 {
            nodes.begin(at);
        }
        nodes.wait_for(3).await;
        nodes
    }

    /// Starts a node.
    pub(crate) fn begin(&mut self, at: usize) {
        let child = Command::new(env!("CARGO_BIN_EXE_interlock"))
            .env_clear()
            .env("INTERLOCK_STORE", self.database.url())
            .args(["serve", "--log", "warn", "--node", NAMES[at], "--listen"])
            .arg(format!("127.0.0.1:{}", self.ports[at]))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.children[at] = Some(child.unwrap());
    }

    /// Sends a signal to a node.
    pub(crate) fn signal(&self, at: usize, signal: &str) {
        let pid = self.children[at].as_ref().unwrap().id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status();
        assert!(sent.unwrap().success());
    }

    /// Ends a node by a signal, and says how it ended.
    pub(crate) fn end(&mut self, at: usize, signal: &str) -> Option<i32> {
        self.signal(at, signal);
        let mut child = self.children[at].take().unwrap();
        child.wait().unwrap().code()
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
        Client::new(&self.address(at))
            .unwrap()
            .retrying(Retry::NONE)
    }

    /// A client of all of them.
    pub(crate) fn client_of_all(&self) -> Client {
        Client::new(&[0, 1, 2].map(|at| self.address(at)).join(",")).unwrap()
    }

    fn address(&self, at: usize) -> String {
        format!("http://127.0.0.1:{}", self.ports[at])
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
        let (client, begun) = (self.client_of_all(), Instant::now());
        loop {
            let all = client
                .nodes()
                .list()
                .await
                .map(|all| all.nodes)
                .unwrap_or_default();
            let owner = all
                .iter()
                .find(|node| is_alive(node) && serves(node, namespace));
            if let Some(owner) = owner {
                return NAMES.iter().position(|name| *name == owner.name).unwrap();
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
    node.namespaces
        .iter()
        .any(|served| served.name == namespace)
}

impl Drop for Nodes {
    fn drop(&mut self) {
        for child in self.children.iter_mut().flatten() {
            let _gone = child.kill();
            let _reaped = child.wait();
        }
    }
}

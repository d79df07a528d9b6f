//! A server with its door open, and a small client of it.

use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use interlock_server::cluster::NodeConfig;
use interlock_server::door::{Authorities, Door, DoorConfig, DoorLimits};
use interlock_server::server::Server;
use interlock_store::{MemoryStore, PostgresStore, Store};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A server with its door open.
pub(crate) struct Running {
    pub(crate) server: Arc<Server>,
    pub(crate) caller: Caller,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

/// Who calls, and where.
#[derive(Clone)]
pub(crate) struct Caller {
    base: String,
    client: Client<HttpConnector, Full<axum::body::Bytes>>,
    pub(crate) token: Option<String>,
    pub(crate) namespace: Option<String>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) media: String,
    pub(crate) text: String,
}

impl Answer {
    /// Reads an answer to its end.
    pub(crate) async fn read(
        response: axum::http::Response<
            impl axum::body::HttpBody<Data = axum::body::Bytes, Error: std::fmt::Debug> + Unpin,
        >,
    ) -> Self {
        let (head, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        let media = head.headers.get("content-type");
        Self {
            status: head.status.as_u16(),
            media: media
                .map_or("", |media| media.to_str().expect("text"))
                .to_owned(),
            text: String::from_utf8(bytes.to_vec()).expect("text"),
        }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

impl Running {
    /// On a store in memory; with `INTERLOCK_TEST_STORE=postgres` as the only node on a database.
    pub(crate) async fn start() -> Self {
        if is_on_postgres() {
            return Self::open(node().await, DoorLimits::default()).await;
        }
        Self::on(Box::new(MemoryStore::new())).await
    }

    pub(crate) async fn on(store: Box<dyn Store>) -> Self {
        Self::with(store, DoorLimits::default()).await
    }

    /// With a door that is less patient than usual.
    pub(crate) async fn with(store: Box<dyn Store>, limits: DoorLimits) -> Self {
        let server = Server::start(store, "memory", |error| panic!("{error}")).expect("it starts");
        Self::open(server, limits).await
    }

    async fn open(server: Arc<Server>, limits: DoorLimits) -> Self {
        let config = DoorConfig {
            limits,
            ..DoorConfig::at("127.0.0.1:0".parse().expect("an address"))
        };
        let door = Door::open(server.clone(), &config).await.expect("a door");
        let base = format!("http://{}", door.address());
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(door.serve(async {
            let _stop = stopped.await;
        }));
        Self {
            server,
            caller: Caller {
                base,
                client: Client::builder(TokioExecutor::new()).build_http(),
                token: None,
                namespace: None,
            },
            stop,
            serving,
        }
    }

    pub(crate) async fn stop(self) {
        let _gone = self.stop.send(());
        drop(self.caller);
        self.serving.await.expect("the door closes");
        self.server.stop().await.expect("it stops");
    }
}

/// Whether the suite is run on PostgreSQL.
pub(crate) fn is_on_postgres() -> bool {
    std::env::var("INTERLOCK_TEST_STORE").is_ok_and(|store| store == "postgres")
}

/// The only node on a database of its own, once it serves.
async fn node() -> Arc<Server> {
    let database = interlock_pgtest::Server::shared().database();
    let store = PostgresStore::open(&database.url()).expect("it opens");
    let config = NodeConfig {
        name: "n1".to_owned(),
        // There is no other node that would ask it.
        address: "http://127.0.0.1:1".to_owned(),
        lease: Duration::from_secs(6),
        authorities: Authorities::nobody(),
    };
    let server = Server::start_node(store, config, |error| panic!("{error}"));
    let server = server.await.expect("it starts");
    let is_ready = || (server.namespaces.find("default")).is_some_and(|one| one.cell.is_ready());
    while !is_ready() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    server
}

impl Caller {
    /// Where the server listens.
    pub(crate) fn address(&self) -> &str {
        self.base.trim_start_matches("http://")
    }

    pub(crate) fn with(&self, token: Option<&str>, namespace: Option<&str>) -> Self {
        Self {
            token: token.map(ToOwned::to_owned),
            namespace: namespace.map(ToOwned::to_owned),
            ..self.clone()
        }
    }

    /// Asks, and reads the answer to its end.
    pub(crate) async fn call(&self, method: &str, path: &str, body: Option<&str>) -> Answer {
        Answer::read(self.open(method, path, body, &[]).await).await
    }

    /// Asks, and leaves the body to be read.
    pub(crate) async fn open(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
        headers: &[(&str, &str)],
    ) -> axum::http::Response<
        impl axum::body::HttpBody<Data = axum::body::Bytes, Error: std::fmt::Debug> + Unpin + use<>,
    > {
        let mut request = axum::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if let Some(namespace) = &self.namespace {
            request = request.header("interlock-namespace", namespace);
        }
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let body = Full::from(body.unwrap_or("").to_owned());
        let request = request.body(body).expect("a request");
        self.client.request(request).await.expect("an answer")
    }
}

//! The other nodes, as this one speaks to them: over connections that are kept, with the secret of the
//! cluster, and for a caller with the caller's own token.

use super::Cluster;
use crate::door::Authorities;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use interlock_api::node::Seen;
use interlock_api::{Code, Problem};
use interlock_store::postgres::{Node, NodeId};
use std::time::Duration;

/// By which a node shows that it is one.
const NODE: HeaderName = HeaderName::from_static("interlock-node");
/// How soon another node must take the connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(2);
/// How soon a node that is well says that it is there.
const SEEN_WITHIN: Duration = Duration::from_millis(500);
/// Connections to each other node that are kept.
const IDLE_MAX: usize = 64;

/// Said of one connection, and not of what is asked.
const HOP_BY_HOP: [HeaderName; 6] = [
    header::CONNECTION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::HOST,
];

/// The way to the other nodes.
pub(super) struct Peers {
    http: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

impl Peers {
    /// Nodes that listen with TLS must have a certificate that one of these vouches for.
    pub(super) fn new(authorities: Authorities) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT_WITHIN));
        connector.enforce_http(false);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(authorities.config())
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        let http = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_max_idle_per_host(IDLE_MAX)
            .build(connector);
        Self { http }
    }

    /// Tells a node that something has changed for it, and hears which node it is. If it does not
    /// hear, it will look by itself.
    async fn tell_to_look(&self, address: &str, secret: &str) -> Option<NodeId> {
        let request = axum::http::Request::post(format!("{address}/v1/nodes/look"))
            .header(NODE, secret)
            .body(Full::default())
            .ok()?;
        let seen = tokio::time::timeout(SEEN_WITHIN, self.answer(request)).await;
        let seen: Seen = serde_json::from_slice(&seen.ok()??).ok()?;
        seen.node.map(NodeId)
    }

    /// Asks another node for what it has by itself, on behalf of a caller.
    async fn ask(&self, address: &str, path: &str, headers: HeaderMap) -> Option<Bytes> {
        let mut request = axum::http::Request::get(format!("{address}{path}"))
            .body(Full::default())
            .ok()?;
        *request.headers_mut() = headers;
        let answer = tokio::time::timeout(CONNECT_WITHIN, self.answer(request)).await;
        answer.ok()?
    }

    /// The body of an answer, if it is one.
    async fn answer(&self, request: axum::http::Request<Full<Bytes>>) -> Option<Bytes> {
        let response = self.http.request(request).await.ok()?;
        let is_ok = response.status() == StatusCode::OK;
        let body = response.into_body().collect().await.ok()?;
        is_ok.then(|| body.to_bytes())
    }

    /// Passes a request on.
    pub(super) async fn pass(&self, address: &str, asked: Asked<'_>) -> Passed {
        let path = asked.uri.path_and_query().map_or("/", |path| path.as_str());
        let request = axum::http::Request::builder()
            .method(asked.method.clone())
            .uri(format!("{address}{path}"))
            .body(Full::new(asked.body.clone()));
        let Ok(mut request) = request else {
            return Passed::Nothing;
        };
        *request.headers_mut() = asked.headers.clone();
        match self.http.request(request).await {
            Ok(response) if response.status() == StatusCode::SERVICE_UNAVAILABLE => {
                refused(response.map(Body::new)).await
            }
            Ok(response) => Passed::Answer(response.map(Body::new)),
            Err(error) if error.is_connect() => Passed::Nothing,
            Err(_) => Passed::lost(asked.method),
        }
    }
}

/// A request to be passed on.
pub(super) struct Asked<'a> {
    pub(super) method: &'a Method,
    pub(super) uri: &'a Uri,
    pub(super) headers: &'a HeaderMap,
    pub(super) body: &'a Bytes,
}

/// What came of it.
pub(super) enum Passed {
    /// This.
    Answer(Response<Body>),
    /// Nothing was done: another node may be asked.
    Nothing,
    /// It may have been done.
    Unknown,
}

impl Passed {
    /// The node was lost before it answered.
    pub(super) fn lost(method: &Method) -> Self {
        match *method {
            Method::GET => Passed::Nothing,
            _ => Passed::Unknown,
        }
    }
}

/// A node that does not serve the namespace did nothing; every other refusal is an answer.
async fn refused(response: Response<Body>) -> Passed {
    let (parts, body) = response.into_parts();
    let Ok(body) = axum::body::to_bytes(body, 1 << 20).await else {
        return Passed::Unknown;
    };
    let problem: Option<Problem> = serde_json::from_slice(&body).ok();
    match problem {
        Some(problem) if problem.code == Code::Unavailable => Passed::Nothing,
        _ => Passed::Answer(Response::from_parts(parts, Body::from(body))),
    }
}

impl Cluster {
    /// Whether a request comes from another node.
    pub(crate) fn is_from_node(&self, headers: &HeaderMap) -> bool {
        let shown = headers.get(NODE).and_then(|value| value.to_str().ok());
        shown.is_some_and(|shown| self.secret.is(shown))
    }

    /// What every other node that is alive says to this, on behalf of a caller; nothing of those that
    /// don't answer.
    pub(crate) async fn ask_others(&self, path: &str, headers: &HeaderMap) -> Vec<Bytes> {
        let Some(headers) = self.on_behalf(headers) else {
            return Vec::new();
        };
        let directory = self.directory();
        let others = directory.others();
        let asked = others
            .iter()
            .map(|other| self.peers.ask(other, path, headers.clone()));
        let answers = futures_util::future::join_all(asked).await;
        answers.into_iter().flatten().collect()
    }

    /// Has every node look at the database now.
    pub(crate) async fn look_everywhere(&self) {
        self.look();
        let Some(secret) = self.secret.show() else {
            return;
        };
        let others = self.directory().others();
        let told = others
            .iter()
            .map(|other| self.peers.tell_to_look(other, &secret));
        futures_util::future::join_all(told).await;
    }

    /// Whether a node is there, as far as can be told within a moment. One that has just been killed
    /// has a lease still.
    pub(super) async fn is_there(&self, node: &Node) -> bool {
        match self.secret.show() {
            Some(secret) => self.peers.tell_to_look(&node.address, &secret).await == Some(node.id),
            None => false,
        }
    }

    /// The headers of a request as another node is to see them.
    pub(super) fn on_behalf(&self, headers: &HeaderMap) -> Option<HeaderMap> {
        let mut headers = headers.clone();
        for name in HOP_BY_HOP {
            headers.remove(name);
        }
        headers.insert(NODE, HeaderValue::from_str(&self.secret.show()?).ok()?);
        Some(headers)
    }
}

//! Any node answers any request: one for a namespace of another node is passed on to it, with the
//! caller's identity, and the answer passed back as it comes. During a move the request waits a
//! little.

use super::{Cluster, Whereabouts};
use crate::http::{App, Failed, is_for_any_node, whose};
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::IntoResponse;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use interlock_api::{Code, Problem};
use std::time::{Duration, Instant};

/// By which a node shows that it is one.
const NODE: HeaderName = HeaderName::from_static("interlock-node");
/// How long a request waits for a namespace that is being moved.
const MOVE_WITHIN: Duration = Duration::from_secs(5);
/// How long it waits before it looks again, if nobody says that something has changed.
const LOOK_AGAIN: Duration = Duration::from_millis(200);
/// How soon another node must take the connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(2);
/// How soon a node that has given a namespace away has answered what it had decided before.
const LAST_WORD_WITHIN: Duration = Duration::from_millis(500);
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
    http: Client<HttpConnector, Full<Bytes>>,
}

impl Peers {
    pub(super) fn new() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT_WITHIN));
        let http = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_max_idle_per_host(IDLE_MAX)
            .build(connector);
        Self { http }
    }

    /// Tells a node that something has changed for it. If it does not hear, it will look by itself.
    pub(super) async fn tell_to_look(&self, address: &str, secret: &str) {
        let request = axum::http::Request::post(format!("{address}/v1/nodes/look"))
            .header(NODE, secret)
            .body(Full::default());
        if let Ok(request) = request {
            let told = self.http.request(request);
            let _late = tokio::time::timeout(CONNECT_WITHIN, told).await;
        }
    }

    /// Asks another node for what it has by itself, on behalf of a caller.
    async fn ask(&self, address: &str, path: &str, headers: HeaderMap) -> Option<Bytes> {
        let mut request = axum::http::Request::get(format!("{address}{path}"))
            .body(Full::default())
            .ok()?;
        *request.headers_mut() = headers;
        let answer = async {
            let response = self.http.request(request).await.ok()?;
            let is_ok = response.status() == StatusCode::OK;
            let body = response.into_body().collect().await.ok()?;
            is_ok.then(|| body.to_bytes())
        };
        tokio::time::timeout(CONNECT_WITHIN, answer).await.ok()?
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

    /// The headers of a request as another node is to see them.
    fn on_behalf(&self, headers: &HeaderMap) -> Option<HeaderMap> {
        let mut headers = headers.clone();
        for name in HOP_BY_HOP {
            headers.remove(name);
        }
        headers.insert(NODE, HeaderValue::from_str(&self.secret.show()?).ok()?);
        Some(headers)
    }
}

/// Passes a request on if its namespace is with another node; otherwise it is answered here.
pub(crate) async fn forward(
    State(app): State<App>,
    request: Request,
    next: Next,
) -> Response<Body> {
    let Some(cluster) = app.server.cluster.clone() else {
        return next.run(request).await;
    };
    let Some(name) = whose(&app, request.uri(), request.headers(), &cluster) else {
        return next.run(request).await;
    };
    let is_here = app.server.namespaces.find(&name).is_some();
    if !is_here && is_for_any_node(request.method(), request.uri()) {
        return next.run(request).await;
    }
    let until = Instant::now() + MOVE_WITHIN;
    if cluster.is_from_node(request.headers()) {
        wait_until_ready(&app, &name, until).await;
        return next.run(request).await;
    }
    match wait_for(&app, &cluster, &name, until).await {
        Place::Here => next.run(request).await,
        Place::Nowhere => moving(),
        Place::There(address) => {
            let passing = Passing {
                app: &app,
                cluster: &cluster,
                name: &name,
                until,
            };
            passing.pass_on(address, request, next).await
        }
    }
}

/// Where a request is to be answered.
enum Place {
    Here,
    There(String),
    Nowhere,
}

async fn wait_for(app: &App, cluster: &Cluster, name: &str, until: Instant) -> Place {
    let mut unknown = false;
    loop {
        if app.server.namespaces.find(name).is_some() {
            wait_until_ready(app, name, until).await;
            return Place::Here;
        }
        match cluster.directory().find(name) {
            Whereabouts::At(address) => return Place::There(address),
            // It may have been made on another node a moment ago.
            Whereabouts::Unknown if unknown => return Place::Here,
            Whereabouts::Unknown => unknown = true,
            Whereabouts::Here | Whereabouts::Moving => {}
        }
        if Instant::now() >= until {
            return Place::Nowhere;
        }
        cluster.looked(LOOK_AGAIN).await;
    }
}

/// A namespace that was just taken over is being loaded: a little patience spares a retry.
async fn wait_until_ready(app: &App, name: &str, until: Instant) {
    while let Some(hosted) = app.server.namespaces.find(name)
        && !hosted.cell.is_ready()
        && Instant::now() < until
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A request on its way to another node.
struct Passing<'a> {
    app: &'a App,
    cluster: &'a Cluster,
    name: &'a str,
    until: Instant,
}

impl Passing<'_> {
    async fn pass_on(&self, mut address: String, request: Request, next: Next) -> Response<Body> {
        let (parts, body) = request.into_parts();
        // Whole, since it may have to be sent again.
        let body = match crate::http::whole_body(self.app, body).await {
            Ok(body) => body,
            Err(failed) => return failed.into_response(),
        };
        let Some(headers) = self.cluster.on_behalf(&parts.headers) else {
            return moving();
        };
        loop {
            let asked = Asked {
                method: &parts.method,
                uri: &parts.uri,
                headers: &headers,
                body: &body,
            };
            let passed = tokio::select! {
                passed = self.cluster.peers.pass(&address, asked) => passed,
                // A node that is stopped or cut off keeps its connections, and says nothing.
                () = self.is_gone(&address) => Passed::lost(&parts.method),
            };
            match passed {
                Passed::Answer(response) => return response,
                Passed::Unknown => return unknown(),
                Passed::Nothing if Instant::now() >= self.until => return moving(),
                Passed::Nothing => self.cluster.looked(LOOK_AGAIN).await,
            }
            match wait_for(self.app, self.cluster, self.name, self.until).await {
                Place::There(there) => address = there,
                Place::Nowhere => return moving(),
                // It has come here in the meantime.
                Place::Here => return next.run(Request::from_parts(parts, Body::from(body))).await,
            }
        }
    }
}

impl Passing<'_> {
    /// Returns when the namespace is not with the node at this address any more.
    async fn is_gone(&self, address: &str) {
        let mut directory = self.cluster.directory.subscribe();
        let gone = directory.wait_for(|directory| {
            !matches!(directory.find(self.name), Whereabouts::At(there) if there == address)
        });
        drop(gone.await);
        // After a move in order its answer is on the way.
        tokio::time::sleep(LAST_WORD_WITHIN).await;
    }
}

/// A request to be passed on.
struct Asked<'a> {
    method: &'a Method,
    uri: &'a Uri,
    headers: &'a HeaderMap,
    body: &'a Bytes,
}

/// What came of it.
enum Passed {
    Answer(Response<Body>),
    /// Nothing was done: another node may be asked.
    Nothing,
    /// It may have been done.
    Unknown,
}

impl Passed {
    /// The node was lost before it answered.
    fn lost(method: &Method) -> Self {
        match *method {
            Method::GET => Passed::Nothing,
            _ => Passed::Unknown,
        }
    }
}

impl Peers {
    async fn pass(&self, address: &str, asked: Asked<'_>) -> Passed {
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

fn moving() -> Response<Body> {
    let detail = "the namespace is being moved from one node to another; nothing was done";
    Failed(Problem::new(Code::Unavailable, detail)).into_response()
}

fn unknown() -> Response<Body> {
    let detail = "the node that serves the namespace was lost before it answered";
    Failed(Problem::new(Code::OutcomeUnknown, detail)).into_response()
}

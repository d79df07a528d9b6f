//! Any node answers any request: one for a namespace of another node is passed on to it, with the
//! caller's identity, and the answer passed back as it comes. During a move the request waits a
//! little.

use super::peers::{Asked, Passed};
use super::{Cluster, Whereabouts};
use crate::http::{App, Failed, is_for_any_node, whose};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Response;
use axum::middleware::Next;
use axum::response::IntoResponse;
use interlock_api::{Code, Problem};
use std::time::{Duration, Instant};

/// How long a request waits for a namespace that is being moved.
const MOVE_WITHIN: Duration = Duration::from_secs(5);
/// How long it waits before it looks again, if nobody says that something has changed.
const LOOK_AGAIN: Duration = Duration::from_millis(200);
/// How soon a node that has given a namespace away has answered what it had decided before.
const LAST_WORD_WITHIN: Duration = Duration::from_millis(500);
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

fn moving() -> Response<Body> {
    let detail = "the namespace is being moved from one node to another; nothing was done";
    Failed(Problem::new(Code::Unavailable, detail)).into_response()
}

fn unknown() -> Response<Body> {
    let detail = "the node that serves the namespace was lost before it answered";
    Failed(Problem::new(Code::OutcomeUnknown, detail)).into_response()
}

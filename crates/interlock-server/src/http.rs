//! The HTTP edge: routes under `/v1`, each with what it needs to be allowed.
//!
//! Handlers turn wire types into commands and replies into wire types; nothing is decided here.
//! One file per noun. What a route demands of the caller is the type of its `Access`.

mod access;
mod activity;
mod answer;
mod body;
mod docs;
mod document;
mod echo;
mod events;
mod failures;
mod groups;
mod kinds;
mod me;
mod metrics;
mod namespaces;
mod nodes;
mod origin;
mod overview;
mod pages;
mod quotas;
mod resources;
mod schedules;
mod status;
mod tasks;
mod tokens;
mod whose;
mod work;
mod workers;

pub use access::{Access, Admin, Anyone, Operate, OperateOrWork, Read, Submit, Work};
pub use answer::{Answer, Failed};
pub(crate) use body::whole_body;
pub(crate) use whose::{is_for_any_node, whose};

use crate::cluster::forward;
use crate::server::Server;
use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::http::request::Parts;
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};
use interlock_api::task::Nothing;
use interlock_api::{Clock, parse};
use interlock_core::words::Now;
use interlock_dashboard::Dashboard;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tower::ServiceExt;
use utoipa_axum::router::OpenApiRouter;

/// Everything that the routes share, and how the door is set.
#[derive(Clone)]
pub struct App {
    /// The server.
    pub server: Arc<Server>,
    /// Whether a caller needs a token even if there are none.
    pub tokens_needed: bool,
    /// Whether only this machine can reach it, and nobody said that everybody may.
    pub is_private: bool,
    /// Whether there are routes that decide nothing, to compare with; and where one of them writes to.
    pub echo: Option<PathBuf>,
    /// How soon a body must have come.
    pub body_within: Duration,
    /// Whether the door speaks TLS.
    pub tls: bool,
}

/// The clock that shows the core's times as people's.
fn clock_of(now: Now) -> Clock {
    Clock {
        wall_now: now.wall,
        elapsed_now: now.elapsed,
    }
}

/// All routes, and the document that describes them.
pub fn routes(app: App) -> (Router, utoipa::openapi::OpenApi) {
    docs::prepare();
    let (router, document) = described().split_for_parts();
    let router = match &app.echo {
        Some(dir) => router.merge(echo::routes(dir.clone())),
        None => router,
    };
    let router = router.merge(metrics::routes());
    // A layer is paid for by every request: only a node passes any of them on.
    let router = match app.server.cluster {
        Some(_) => router.layer(axum::middleware::from_fn_with_state(app.clone(), forward)),
        None => router,
    };
    let counted = metrics::Count(app.server.clone());
    let tls = app.tls;
    let api = router
        .layer(counted.clone())
        .method_not_allowed_fallback(answer::no_method)
        .with_state(app);
    let dashboard = Dashboard::new(api.clone().fallback(answer::no_route), tls);
    let nowhere = dashboard.nowhere();
    let router = api
        .merge(dashboard.routes().layer(counted))
        .fallback(move |request| lost(nowhere, request));
    (router, finished(document))
}

/// Who looks for a page finds one that says that there is none; who speaks JSON gets a problem.
async fn lost(nowhere: Router, request: Request) -> Response {
    let accepted = request.headers().get(header::ACCEPT);
    let accepted = accepted.and_then(|value| value.to_str().ok());
    let is_page = accepted.is_some_and(|accepted| accepted.contains("text/html"));
    if !is_page || request.uri().path().starts_with("/v1/") {
        return answer::no_route().await.into_response();
    }
    match nowhere.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// Refuses a query where none is taken: what is not understood is not passed over.
fn check_query(parts: &Parts) -> Result<(), Failed> {
    static WITHOUT: LazyLock<HashSet<(Method, String)>> =
        LazyLock::new(|| document::without_query(&described().into_openapi()));
    let route = parts.extensions.get::<MatchedPath>();
    if let (Some(query), Some(route)) = (parts.uri.query(), route) {
        let route = (parts.method.clone(), route.as_str().to_owned());
        if WITHOUT.contains(&route) {
            let Nothing {} = parse::query(query)?;
        }
    }
    Ok(())
}

/// The document that describes all routes.
pub fn document() -> utoipa::openapi::OpenApi {
    finished(described().into_openapi())
}

fn finished(mut document: utoipa::openapi::OpenApi) -> utoipa::openapi::OpenApi {
    document::finish(&mut document);
    document
}

fn described() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(document::begin())
        .merge(overview::routes())
        .merge(activity::routes())
        .merge(tasks::routes())
        .merge(groups::routes())
        .merge(resources::routes())
        .merge(kinds::routes())
        .merge(schedules::routes())
        .merge(quotas::routes())
        .merge(workers::routes())
        .merge(failures::routes())
        .merge(events::routes())
        .merge(work::routes())
        .merge(namespaces::routes())
        .merge(nodes::routes())
        .merge(tokens::routes())
        .merge(me::routes())
        .merge(status::routes())
        .merge(docs::routes())
}

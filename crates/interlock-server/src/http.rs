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
mod metrics;
mod namespaces;
mod nodes;
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

pub use access::{Access, Admin, Operate, OperateOrWork, Read, Submit, Work};
pub use answer::{Answer, Failed};
pub(crate) use body::whole_body;
pub(crate) use whose::whose;

use crate::cluster::forward;
use crate::server::Server;
use axum::Router;
use interlock_api::Clock;
use interlock_core::words::Now;
use std::sync::Arc;
use std::time::Duration;
use utoipa_axum::router::OpenApiRouter;

/// Everything that the routes share, and how the door is set.
#[derive(Clone)]
pub struct App {
    /// The server.
    pub server: Arc<Server>,
    /// Whether a caller needs a token even if there are none.
    pub tokens_needed: bool,
    /// Whether there is a route that decides nothing, to compare with.
    pub echo: bool,
    /// How soon a body must have come.
    pub body_within: Duration,
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
    let router = match app.echo {
        true => router.merge(echo::routes()),
        false => router,
    };
    let forwarded = axum::middleware::from_fn_with_state(app.clone(), forward);
    let counted = axum::middleware::from_fn_with_state(app.clone(), metrics::count);
    let router = router
        .merge(metrics::routes())
        .layer(forwarded)
        .layer(counted)
        .fallback(answer::no_route)
        .method_not_allowed_fallback(answer::no_method)
        .with_state(app);
    (router, finished(document))
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
        .merge(status::routes())
        .merge(docs::routes())
}

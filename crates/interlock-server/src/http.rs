//! The HTTP edge: routes under `/v1`, each with what it needs to be allowed.
//!
//! Handlers turn wire types into commands and replies into wire types; nothing is decided here.
//! One file per noun. What a route demands of the caller is the type of its `Access`.

mod access;
mod answer;
mod body;
mod echo;
mod tasks;

pub use access::{Access, Admin, Operate, Read, Submit, Work};
pub use answer::{Answer, Failed};

use crate::server::Server;
use axum::Router;
use interlock_api::Clock;
use interlock_core::words::Now;
use std::sync::Arc;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

/// What the document says at its top.
#[derive(OpenApi)]
#[openapi(info(
    title = "Interlock",
    description = "Coordinates background work on shared resources.",
    license(name = "Apache-2.0", identifier = "Apache-2.0"),
))]
struct Document;

/// Everything that the routes share, and how the door is set.
#[derive(Clone)]
pub struct App {
    /// The server.
    pub server: Arc<Server>,
    /// Whether a caller needs a token even if there are none.
    pub tokens_needed: bool,
    /// Whether there is a route that decides nothing, to compare with.
    pub echo: bool,
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
    let (router, document) = OpenApiRouter::with_openapi(Document::openapi())
        .merge(tasks::routes())
        .split_for_parts();
    let router = match app.echo {
        true => router.merge(echo::routes()),
        false => router,
    };
    let router = router
        .fallback(answer::no_route)
        .method_not_allowed_fallback(answer::no_method)
        .with_state(app);
    (router, document)
}

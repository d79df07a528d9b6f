//! From a number or a name to the page of a task or a resource.

use crate::Shared;
use crate::ask::{Ask, go};
use axum::Router;
use axum::response::Response;
use axum::routing::get;

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/find", get(find))
}

async fn find(ask: Ask) -> Response {
    let wanted = ask.query.get("for");
    go(&place(&ask, wanted), None)
}

/// A number is a task, `type:id` a resource, anything else the beginning of a resource's name.
fn place(ask: &Ask, wanted: &str) -> String {
    let viewer = &ask.viewer;
    if let Ok(task) = wanted.trim_start_matches('#').parse() {
        return viewer.to_task(task);
    }
    match wanted.split_once(':') {
        Some((_, id)) if !id.is_empty() => viewer.to_resource(wanted),
        _ => viewer.to("/resources") + &crate::url::query([("prefix", wanted)]),
    }
}

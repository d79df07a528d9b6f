//! Events as a stream (SSE): from a cursor in the log, then as they happen.

mod filter;
mod follower;
mod message;
mod names;
mod state;

use super::answer::Problems;
use super::body::Query;
use super::{Access, Answer, App, Read};
use crate::limits;
use axum::http::HeaderMap;
use axum::response::IntoResponse;
use axum::response::sse::{KeepAlive, Sse};
use filter::Filter;
use follower::Follower;
use futures_util::stream;
use interlock_api::event::{EventMessage, EventQuery};
use interlock_api::problem::Problem;
use interlock_api::{Code, convert};
use interlock_core::words::TaskId;
use std::convert::Infallible;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(follow))
}

/// Streams what happens in the namespace, to one task, or to the tasks of one resource.
///
/// Each message is an `Event` as JSON; its `id` is the position in the log, by which a reader goes on
/// after an interruption (`Last-Event-ID`, which browsers send by themselves, or `from`). A cursor
/// that is older than what is kept gets `reset` and the current state. Progress has no `id` and is
/// not repeated: only its latest value counts.
#[utoipa::path(get, path = "/v1/events", tag = "events",
    security(("token" = ["read"])),
    params(
        EventQuery,
        ("Last-Event-ID" = Option<u64>, Header, description = "The `id` of the last message that was read"),
    ),
    responses(
        (status = 200, description = "The stream", body = EventMessage, content_type = "text/event-stream"),
        Problems,
    ))]
async fn follow(
    access: Access<Read>,
    headers: HeaderMap,
    Query(query): Query<EventQuery>,
) -> Answer<impl IntoResponse> {
    let after = match headers.get("last-event-id") {
        None => query.from,
        Some(value) => {
            let id = value
                .to_str()
                .ok()
                .and_then(|text| text.trim().parse().ok());
            let wrong = || Problem::new(Code::BadValue, "it must be the id of an event");
            Some(id.ok_or_else(|| wrong().at("Last-Event-ID"))?)
        }
    };
    let resource = query.resource.as_deref();
    let resource = resource.map(|text| convert::resource_name(text, "resource"));
    let filter = Filter::new(query.task.map(TaskId), resource.transpose()?);
    let follower = Follower::begin(access.server, access.namespace, filter, after).await?;
    let events = stream::unfold(follower, |mut follower| async {
        let event = follower.next().await?;
        Some((Ok::<_, Infallible>(event), follower))
    });
    let keep_alive = KeepAlive::new().interval(limits::KEEP_ALIVE_EVERY);
    Ok(Sse::new(events).keep_alive(keep_alive))
}

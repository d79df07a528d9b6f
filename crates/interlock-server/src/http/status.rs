//! The server at a glance, and whether it is alive and ready.

use super::access::Whole;
use super::answer::{Json, Problems, WithStatus};
use super::{Answer, App, Read};
use crate::cell::View;
use crate::server::{Hosted, Server};
use axum::extract::State;
use axum::http::HeaderMap;
use interlock_api::convert;
use interlock_api::span::Span;
use interlock_api::status::{Counts, Health, NamespaceStatus, Status};
use interlock_api::time::Time;
use serde::de::DeserializeOwned;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(status))
        .routes(routes!(alive))
        .routes(routes!(ready))
}

/// Shows the server at a glance, as far as the token allows to see it.
#[utoipa::path(get, path = "/v1/status", tag = "server",
    security(("token" = ["read"])),
    responses(
        (status = 200, description = "The server", body = Status),
        Problems,
    ))]
async fn status(whole: Whole<Read>, headers: HeaderMap) -> Answer<Json<Status>> {
    let mut namespaces = Vec::new();
    for hosted in whole.namespaces() {
        namespaces.push(namespace_status(&whole.server, &hosted).await);
    }
    for other in elsewhere::<Status>(&whole.server, "/v1/status", &headers).await {
        namespaces.extend(other.namespaces);
    }
    namespaces.sort_by(|a, b| a.name.cmp(&b.name));
    namespaces.dedup_by(|a, b| a.name == b.name);
    let up = whole.server.started.elapsed().as_millis();
    Ok(Json(Status {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        now: Time::from(crate::clock::wall()),
        up: Span::from_ms(u64::try_from(up).unwrap_or(u64::MAX)),
        store: whole.server.store.to_owned(),
        nodes: super::nodes::all(&whole),
        namespaces,
    }))
}

/// What the other nodes say to the same question, if this is one of several and was asked by a
/// caller rather than a node.
pub(super) async fn elsewhere<T: DeserializeOwned>(
    server: &Server,
    path: &str,
    headers: &HeaderMap,
) -> Vec<T> {
    let cluster = server.cluster.as_ref();
    let Some(cluster) = cluster.filter(|cluster| !cluster.is_from_node(headers)) else {
        return Vec::new();
    };
    let answers = cluster.ask_others(path, headers).await;
    let answers = answers.iter().map(|answer| serde_json::from_slice(answer));
    answers.filter_map(Result::ok).collect()
}

async fn namespace_status(server: &Server, hosted: &Hosted) -> NamespaceStatus {
    let seen = match hosted.cell.is_ready() {
        true => {
            let read = |view: &View<'_>| (view.core.position(), view.core.counts(), view.unfolded);
            hosted.cell.read(read).await.ok()
        }
        false => None,
    };
    let directory = server.cluster.as_ref().map(|cluster| cluster.directory());
    let claim = directory.as_ref().and_then(|known| known.claim(hosted.id));
    NamespaceStatus {
        name: hosted.name.clone(),
        ready: seen.is_some(),
        position: seen.map_or(0, |(position, ..)| position),
        unfolded: seen.map_or(0, |(.., unfolded)| unfolded),
        node: (server.cluster.as_ref()).map(|cluster| cluster.name().to_owned()),
        epoch: claim.map(|claim| claim.epoch),
        counts: seen.map_or_else(Counts::default, |(_, counts, _)| {
            convert::status::counts(&counts)
        }),
    }
}

/// Says whether the process is alive. Needs no token.
#[utoipa::path(get, path = "/healthz", tag = "server",
    responses((status = 200, description = "It is alive", body = Health)))]
async fn alive() -> Json<Health> {
    Json(Health {
        status: "ok".to_owned(),
    })
}

/// Says whether every namespace is loaded and answers. Needs no token.
#[utoipa::path(get, path = "/readyz", tag = "server",
    responses(
        (status = 200, description = "All of them are", body = Health),
        (status = 503, description = "Some are not", body = Health),
    ))]
async fn ready(State(app): State<App>) -> WithStatus<Health> {
    let all = app.server.namespaces.all();
    let loading = all.iter().filter(|hosted| !hosted.cell.is_ready()).count();
    let (code, status) = match loading {
        0 => (200, "ok".to_owned()),
        1 => (503, "a namespace is being loaded".to_owned()),
        loading => (503, format!("{loading} namespaces are being loaded")),
    };
    WithStatus(code, Health { status })
}

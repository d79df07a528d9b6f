//! Which namespace a request is about, before anything else of it is looked at.

use super::App;
use super::access::authenticate;
use super::tasks;
use crate::cluster::Cluster;
use crate::server::DEFAULT_NAMESPACE;
use axum::http::{HeaderMap, Method, Uri};
use interlock_store::NamespaceId;

/// Whether a request can be answered by any node, from the history that all of them can read.
pub(crate) fn is_for_any_node(method: &Method, uri: &Uri) -> bool {
    method == Method::GET
        && uri.path() == "/v1/tasks"
        && tasks::is_of_ended(uri.query().unwrap_or(""))
}

/// What concerns no namespace, or all of them.
const WHOLE: [&str; 7] = [
    "status",
    "me",
    "tokens",
    "nodes",
    "openapi.json",
    "echo",
    "namespaces",
];

/// The namespace that a request is about. None if it is about the whole server, or will be refused.
pub(crate) fn whose(
    app: &App,
    uri: &Uri,
    headers: &HeaderMap,
    cluster: &Cluster,
) -> Option<String> {
    let path = uri.path().strip_prefix("/v1/")?;
    let mut parts = path.split('/');
    let noun = parts.next()?;
    if noun == "namespaces"
        && let Some(name) = parts.next()
    {
        // Any node can note where one is wanted.
        let moves = parts.next() == Some("move");
        return (!moves).then(|| name.to_owned());
    }
    if WHOLE.contains(&noun) {
        return None;
    }
    let caller = authenticate(app, headers).ok()?;
    let named = headers.get("interlock-namespace");
    match (named, caller.namespace) {
        (Some(name), _) => Some(name.to_str().ok()?.to_owned()),
        (None, Some(own)) => name_of(app, cluster, own),
        (None, None) => Some(DEFAULT_NAMESPACE.to_owned()),
    }
}

fn name_of(app: &App, cluster: &Cluster, id: NamespaceId) -> Option<String> {
    let all = app.server.namespaces.all();
    let here = all.into_iter().find(|hosted| hosted.id == id);
    let here = here.map(|hosted| hosted.name.clone());
    here.or_else(|| cluster.directory().name_of(id).map(str::to_owned))
}

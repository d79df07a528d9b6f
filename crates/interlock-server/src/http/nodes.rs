//! Nodes: who is there, who serves what, and who is to give it away.

use super::access::{Whole, foreign};
use super::answer::{Json, Problems};
use super::body::{Body1, Named};
use super::{Admin, Answer, App, Failed, Operate, Read};
use crate::cluster::{Cluster, Directory, state};
use axum::extract::State;
use axum::http::HeaderMap;
use interlock_api::node::{MoveNamespace, Node, NodeState, Nodes, Seen, Served};
use interlock_api::span::Span;
use interlock_api::task::{Done, Nothing};
use interlock_api::time::Time;
use interlock_api::{Code, Problem};
use interlock_store::StoreError;
use interlock_store::postgres;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(drain))
        .routes(routes!(undrain))
        .routes(routes!(move_namespace))
        .route("/v1/nodes/look", axum::routing::post(look))
}

/// Lists the nodes that serve the same database, and what each of them serves.
#[utoipa::path(get, path = "/v1/nodes", tag = "nodes",
    security(("token" = ["read"])),
    responses(
        (status = 200, description = "All of them", body = Nodes),
        Problems,
    ))]
async fn list(whole: Whole<Read>) -> Answer<Json<Nodes>> {
    Ok(Json(Nodes { nodes: all(&whole) }))
}

/// All nodes, the dead ones last; none if there is no cluster.
pub(super) fn all(whole: &Whole<Read>) -> Vec<Node> {
    let Some(cluster) = &whole.server.cluster else {
        return Vec::new();
    };
    let directory = cluster.directory();
    let mut nodes: Vec<Node> = (directory.nodes.iter())
        .map(|node| shown(whole, &directory, node))
        .collect();
    nodes.sort_by(|a, b| {
        let dead = |node: &Node| node.state == NodeState::Dead;
        (dead(a), &a.name, a.id).cmp(&(dead(b), &b.name, b.id))
    });
    nodes
}

fn shown(whole: &Whole<Read>, directory: &Directory, node: &postgres::Node) -> Node {
    let owned = directory.claims.iter();
    let owned = owned.filter(|claim| claim.owner == Some(node.id) && node.left.is_some());
    let namespaces = owned
        .filter(|claim| whole.may_use(claim.namespace))
        .map(|claim| Served {
            name: claim.name.clone(),
            epoch: claim.epoch,
        });
    Node {
        name: node.name.clone(),
        id: node.id.0,
        state: state(node),
        here: directory.me == Some(node.id),
        address: node.address.clone(),
        version: node.version.clone(),
        started: Time::from_ms(node.started_ms),
        lease_left: node
            .left
            .map(|left| Span::from_ms(u64::try_from(left.as_millis()).unwrap_or(u64::MAX))),
        namespaces: namespaces.collect(),
    }
}

/// Has a node give its namespaces to others, and take no new ones.
#[utoipa::path(post, path = "/v1/nodes/{name}/drain", tag = "nodes",
    security(("token" = ["operate"])),
    params(("name" = String, Path, description = "The node", max_length = 200)),
    request_body = Nothing,
    responses(
        (status = 200, description = "Noted; it begins within seconds", body = Done),
        Problems,
    ))]
async fn drain(
    whole: Whole<Operate>,
    Named(name): Named,
    Body1(Nothing {}): Body1<Nothing>,
) -> Answer<Json<Done>> {
    set_draining(&whole, &name, true).await
}

/// Lets a node serve namespaces again.
#[utoipa::path(post, path = "/v1/nodes/{name}/undrain", tag = "nodes",
    security(("token" = ["operate"])),
    params(("name" = String, Path, description = "The node", max_length = 200)),
    request_body = Nothing,
    responses(
        (status = 200, description = "Noted", body = Done),
        Problems,
    ))]
async fn undrain(
    whole: Whole<Operate>,
    Named(name): Named,
    Body1(Nothing {}): Body1<Nothing>,
) -> Answer<Json<Done>> {
    set_draining(&whole, &name, false).await
}

async fn set_draining(whole: &Whole<Operate>, name: &str, draining: bool) -> Answer<Json<Done>> {
    // It concerns all namespaces.
    if whole.caller.namespace.is_some() {
        return Err(foreign());
    }
    let node = find(whole.server.cluster.as_deref(), name)?;
    on_database(whole.server.cluster.clone(), move |cluster| {
        cluster.drain(node, draining)
    })
    .await
}

/// Has a namespace served by a certain node, or by any.
#[utoipa::path(post, path = "/v1/namespaces/{name}/move", tag = "nodes",
    security(("token" = ["admin"])),
    params(("name" = String, Path, description = "The namespace", max_length = 200)),
    request_body = MoveNamespace,
    responses(
        (status = 200, description = "Noted; it moves within seconds", body = Done),
        Problems,
    ))]
async fn move_namespace(
    whole: Whole<Admin>,
    Named(name): Named,
    Body1(MoveNamespace { to }): Body1<MoveNamespace>,
) -> Answer<Json<Done>> {
    let cluster = whole.server.cluster.as_deref();
    let to = to.map(|to| find(cluster, &to)).transpose()?;
    let directory = cluster.map(Cluster::directory).unwrap_or_default();
    let known = directory.id_of(&name).filter(|id| whole.may_use(*id));
    let id = match known {
        Some(id) => id,
        // Made a moment ago and served here; or the usual words for one that is not there, or not the
        // caller's.
        None => whole.namespace(&name)?.id,
    };
    if cluster.is_none() {
        return Err(no_nodes());
    }
    on_database(whole.server.cluster.clone(), move |cluster| {
        cluster.want(id, to)
    })
    .await
}

/// Another node says that something has changed. Not for people: it shows the secret of the cluster.
async fn look(State(app): State<App>, headers: HeaderMap) -> Answer<Json<Seen>> {
    match &app.server.cluster {
        Some(cluster) if cluster.is_from_node(&headers) => {
            cluster.look();
            let node = cluster.directory().me.map(|me| me.0);
            Ok(Json(Seen { node }))
        }
        _ => Err(Problem::new(Code::NotFound, "there is nothing at this path").into()),
    }
}

fn find(cluster: Option<&Cluster>, name: &str) -> Answer<postgres::NodeId> {
    let Some(cluster) = cluster else {
        return Err(no_nodes());
    };
    let directory = cluster.directory();
    directory.named(name).map(|node| node.id).ok_or_else(|| {
        let mut shown = name.to_owned();
        shown.truncate(shown.floor_char_boundary(64));
        let problem = Problem::new(
            Code::UnknownNode,
            format!("no node named {shown:?} is alive"),
        );
        Failed(problem.knowing(directory.alive().map(|node| node.name.clone())))
    })
}

fn no_nodes() -> Failed {
    let detail = "this server is not one of several nodes; for that it needs PostgreSQL";
    Failed(Problem::new(Code::UnknownNode, detail))
}

/// Notes something in the database, and has all nodes that can be told look at it.
async fn on_database(
    cluster: Option<Arc<Cluster>>,
    note: impl FnOnce(&Cluster) -> Result<(), StoreError> + Send + 'static,
) -> Answer<Json<Done>> {
    let Some(cluster) = cluster else {
        return Err(no_nodes());
    };
    let noting = cluster.clone();
    let noted = tokio::task::spawn_blocking(move || note(&noting)).await;
    match noted {
        Ok(Ok(())) => {
            cluster.look_everywhere().await;
            Ok(Json(Done {}))
        }
        Ok(Err(StoreError::UnknownNode(_))) => {
            Err(Problem::new(Code::UnknownNode, "the node is not alive any more").into())
        }
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Err(Problem::new(Code::Internal, "the server's log says why").into()),
    }
}

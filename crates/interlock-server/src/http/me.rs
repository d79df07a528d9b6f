//! Who the caller is, and what they may do: so that nobody is offered what they may not do.

use super::access::Whole;
use super::answer::{Json, Problems};
use super::{Answer, Anyone, App};
use crate::cell::CellError;
use interlock_api::me::Me;
use interlock_store::NamespaceId;
use std::collections::BTreeSet;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(me))
}

/// Says who the caller is: the name of the token, its scopes, and the namespaces it may use.
///
/// Any token may ask.
#[utoipa::path(get, path = "/v1/me", tag = "tokens",
    security(
        ("token" = ["submit"]),
        ("token" = ["work"]),
        ("token" = ["read"]),
        ("token" = ["operate"]),
        ("token" = ["admin"]),
    ),
    responses(
        (status = 200, description = "The caller", body = Me),
        Problems,
    ))]
async fn me(whole: Whole<Anyone>) -> Answer<Json<Me>> {
    let known = known(&whole);
    let namespace = match whole.caller.namespace {
        None => None,
        Some(own) => {
            let found = known.iter().find(|(id, _)| *id == own);
            // Its namespace is on its way, or was just removed.
            let (_, name) = found.ok_or(CellError::Moved)?;
            Some(name.clone())
        }
    };
    let names: BTreeSet<String> = (known.into_iter())
        .filter(|(id, _)| whole.may_use(*id))
        .map(|(_, name)| name)
        .collect();
    Ok(Json(Me {
        name: whole.caller.name.clone(),
        namespace,
        scopes: whole.caller.scopes.clone(),
        namespaces: names.into_iter().collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }))
}

/// All namespaces, with whatever node they are.
fn known(whole: &Whole<Anyone>) -> Vec<(NamespaceId, String)> {
    let here = whole.server.namespaces.all();
    let here = here.iter().map(|hosted| (hosted.id, hosted.name.clone()));
    let cluster = whole.server.cluster.as_ref();
    let elsewhere = cluster.map(|cluster| {
        let directory = cluster.directory();
        let claims = directory.claims.iter();
        let claims = claims.map(|claim| (claim.namespace, claim.name.clone()));
        claims.collect::<Vec<_>>()
    });
    here.chain(elsewhere.into_iter().flatten()).collect()
}

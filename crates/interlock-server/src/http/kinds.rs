//! Kinds: registered types of task.

use super::answer::{Json, Problems};
use super::body::{Body1, Named, Query};
use super::pages::ByName;
use super::{Access, Admin, Answer, App, Operate, Read};
use interlock_api::convert;
use interlock_api::kind::{Kind, KindPolicy};
use interlock_api::page::{Page, PageQuery};
use interlock_api::task::{Done, Nothing};
use interlock_core::command::HoldTarget;
use interlock_core::view::KindView;
use interlock_core::words::Name;
use interlock_core::{Command, Refusal, Reply};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show, put, remove))
        .routes(routes!(hold))
        .routes(routes!(release))
}

/// Lists kinds, by name.
#[utoipa::path(get, path = "/v1/kinds", tag = "kinds",
    security(("token" = ["read"])),
    params(PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<Kind>),
        Problems,
    ))]
async fn list(access: Access<Read>, Query(query): Query<PageQuery>) -> Answer<Json<Page<Kind>>> {
    let by_name = ByName::read(&query)?;
    let wanted = by_name.clone();
    let kinds = access.namespace.cell.read(move |view| {
        let kinds = view.core.kinds().into_iter();
        let kinds = kinds.filter(|found| wanted.follows(&found.kind.name));
        kinds.take(wanted.wanted()).map(shown).collect()
    });
    Ok(Json(by_name.page(kinds.await?, |kind: &Kind| &kind.name)))
}

/// Shows a kind.
#[utoipa::path(get, path = "/v1/kinds/{name}", tag = "kinds",
    security(("token" = ["read"])),
    params(("name" = String, Path, description = "The kind", max_length = 200)),
    responses(
        (status = 200, description = "The kind", body = Kind),
        Problems,
    ))]
async fn show(access: Access<Read>, Named(name): Named) -> Answer<Json<Kind>> {
    let name = convert::name(&name, "name")?;
    look(&access, name).await
}

async fn look<D>(access: &Access<D>, name: Name) -> Answer<Json<Kind>> {
    let found = access.namespace.cell.read(move |view| {
        let found = view.core.kind(&name).map(shown);
        found.ok_or_else(|| Refusal::UnknownKind {
            kind: name,
            known: (view.core.kinds().iter())
                .map(|found| found.kind.name.clone())
                .collect(),
        })
    });
    Ok(Json(found.await??))
}

fn shown(view: KindView) -> Kind {
    Kind {
        name: view.kind.name.to_string(),
        policy: convert::kind::shown(&view.kind),
        held: view.held,
        staffed: view.staffed,
        waiting: view.waiting,
        running: view.running,
    }
}

/// Registers a kind, or changes its policy.
#[utoipa::path(put, path = "/v1/kinds/{name}", tag = "kinds",
    security(("token" = ["admin"])),
    params(("name" = String, Path, description = "The kind", max_length = 200)),
    request_body = KindPolicy,
    responses(
        (status = 200, description = "The kind as it is now", body = Kind),
        Problems,
    ))]
async fn put(
    access: Access<Admin>,
    Named(name): Named,
    Body1(policy): Body1<KindPolicy>,
) -> Answer<Json<Kind>> {
    let kind = convert::kind::kind(Some(&name), policy)?;
    let name = kind.name.clone();
    let command = Command::SetKind(Box::new(kind));
    match access.namespace.cell.decide(command).await?.reply {
        Reply::Refused(refusal) => Err(refusal.into()),
        _ => look(&access, name).await,
    }
}

/// Removes a kind that has no tasks.
#[utoipa::path(delete, path = "/v1/kinds/{name}", tag = "kinds",
    security(("token" = ["admin"])),
    params(("name" = String, Path, description = "The kind", max_length = 200)),
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
async fn remove(access: Access<Admin>, Named(name): Named) -> Answer<Json<Done>> {
    let name = convert::name(&name, "name")?;
    access.done(Command::RemoveKind(name)).await
}

/// Keeps the tasks of a kind from starting until it is released.
#[utoipa::path(post, path = "/v1/kinds/{name}/hold", tag = "kinds",
    security(("token" = ["operate"])),
    params(("name" = String, Path, description = "The kind", max_length = 200)),
    request_body = Nothing,
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
async fn hold(
    access: Access<Operate>,
    Named(name): Named,
    Body1(Nothing {}): Body1<Nothing>,
) -> Answer<Json<Done>> {
    let what = HoldTarget::Kind(convert::name(&name, "name")?);
    let by = access.by();
    access.done(Command::Hold { what, by }).await
}

/// Ends the hold of a kind.
#[utoipa::path(post, path = "/v1/kinds/{name}/release", tag = "kinds",
    security(("token" = ["operate"])),
    params(("name" = String, Path, description = "The kind", max_length = 200)),
    request_body = Nothing,
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
async fn release(
    access: Access<Operate>,
    Named(name): Named,
    Body1(Nothing {}): Body1<Nothing>,
) -> Answer<Json<Done>> {
    let what = HoldTarget::Kind(convert::name(&name, "name")?);
    let by = access.by();
    access.done(Command::Release { what, by }).await
}

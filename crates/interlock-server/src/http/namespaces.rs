//! Namespaces: worlds of their own.

mod remove;

use super::access::{Whole, foreign};
use super::answer::{Json, Problems};
use super::body::{Body1, Named, Query};
use super::pages::ByName;
use super::status::elsewhere;
use super::{Admin, Answer, App, Failed, Operate, Read};
use crate::limits;
use crate::server::Hosted;
use axum::http::{HeaderMap, Uri};
use interlock_api::namespace::{Namespace, NamespacePolicy};
use interlock_api::page::{Cursor, Page, PageQuery};
use interlock_api::problem::Problem;
use interlock_api::task::{Done, Nothing};
use interlock_api::time::Time;
use interlock_api::{Code, convert};
use interlock_core::command::HoldTarget;
use interlock_core::words::Name;
use interlock_core::{Command, Reply};
use interlock_store::StoreError;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show, put, remove::remove))
        .routes(routes!(hold))
        .routes(routes!(release))
}

/// Lists the namespaces that the token allows to see, by name.
#[utoipa::path(get, path = "/v1/namespaces", tag = "namespaces",
    security(("token" = ["read"])),
    params(PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<Namespace>),
        Problems,
    ))]
async fn list(
    whole: Whole<Read>,
    uri: Uri,
    headers: HeaderMap,
    Query(query): Query<PageQuery>,
) -> Answer<Json<Page<Namespace>>> {
    let by_name = ByName::read(&query)?;
    let after = by_name.after.as_ref().map(Name::as_str);
    let mut namespaces = Vec::new();
    for hosted in whole.namespaces() {
        let follows = after.is_none_or(|after| hosted.name.as_str() > after);
        if follows && namespaces.len() < by_name.wanted() {
            namespaces.push(look(&hosted).await?);
        }
    }
    // Each node has some of them: the first ones of all are among the first ones of each.
    let path = uri
        .path_and_query()
        .map_or("/v1/namespaces", |path| path.as_str());
    let mut more = false;
    for other in elsewhere::<Page<Namespace>>(&whole.server, path, &headers).await {
        more |= other.next.is_some();
        namespaces.extend(other.items);
    }
    namespaces.sort_by(|a, b| a.name.cmp(&b.name));
    namespaces.dedup_by(|a, b| a.name == b.name);
    let mut page = by_name.page(namespaces, |found| &found.name);
    if more && page.next.is_none() {
        page.next = page
            .items
            .last()
            .map(|last| Cursor::Name(last.name.clone()).to_string());
    }
    Ok(Json(page))
}

/// Shows a namespace.
#[utoipa::path(get, path = "/v1/namespaces/{name}", tag = "namespaces",
    security(("token" = ["read"])),
    params(("name" = String, Path, description = "The namespace", max_length = 200)),
    responses(
        (status = 200, description = "The namespace", body = Namespace),
        Problems,
    ))]
async fn show(whole: Whole<Read>, Named(name): Named) -> Answer<Json<Namespace>> {
    let hosted = whole.namespace(&name)?;
    Ok(Json(look(&hosted).await?))
}

async fn look(hosted: &Hosted) -> Answer<Namespace> {
    let seen = hosted
        .cell
        .read(|view| (view.core.namespace(), view.core.counts()));
    let ((settings, held), counts) = seen.await?;
    Ok(Namespace {
        name: hosted.name.clone(),
        policy: convert::namespace::shown(&hosted.name, &settings),
        held,
        created: Time::from_ms(hosted.created_ms),
        counts: convert::status::counts(&counts),
    })
}

/// Creates a namespace, or changes its settings.
#[utoipa::path(put, path = "/v1/namespaces/{name}", tag = "namespaces",
    security(("token" = ["admin"])),
    params(("name" = String, Path, description = "The namespace", max_length = 200)),
    request_body = NamespacePolicy,
    responses(
        (status = 200, description = "The namespace as it is now", body = Namespace),
        Problems,
    ))]
async fn put(
    whole: Whole<Admin>,
    Named(name): Named,
    Body1(policy): Body1<NamespacePolicy>,
) -> Answer<Json<Namespace>> {
    let (name, settings) = convert::namespace::namespace(Some(&name), &policy)?;
    let hosted = match whole.server.namespaces.find(name.as_str()) {
        Some(hosted) if whole.may_use(hosted.id) => hosted,
        None if whole.caller.namespace.is_none() => create(&whole, &name).await?,
        _ => return Err(foreign()),
    };
    let command = Command::SetNamespace(settings);
    match hosted.cell.decide(command).await?.reply {
        Reply::Refused(refusal) => Err(refusal.into()),
        _ => Ok(Json(look(&hosted).await?)),
    }
}

async fn create(whole: &Whole<Admin>, name: &Name) -> Answer<Arc<Hosted>> {
    // A request names it in a header.
    if !name.as_str().is_ascii() {
        let detail = "a namespace's name has only letters of ASCII";
        return Err(Problem::new(Code::BadName, detail).at("name").into());
    }
    if whole.server.namespaces.all().len() >= limits::NAMESPACES_MAX {
        let detail = format!("at most {} namespaces are allowed", limits::NAMESPACES_MAX);
        let mut problem = Problem::new(Code::TooMany, detail);
        problem.more.max = Some(limits::NAMESPACES_MAX as u64);
        return Err(problem.into());
    }
    let (text, now) = (name.to_string(), crate::clock::wall().0);
    let made = (whole.server.committer())
        .call_async(move |store| store.create_namespace(&text, now))
        .await?;
    let row = match made {
        Ok(row) => row,
        Err(StoreError::NameTaken(_)) => {
            // Somebody else has just made it, or is just removing it.
            let detail = "the namespace is just being made or removed; try again";
            return Err(Problem::new(Code::Unavailable, detail).into());
        }
        Err(error) => return Err(error.into()),
    };
    whole.server.namespaces.host(row).map_err(|error| {
        tracing::error!(%error, "a namespace can't be served");
        Failed(Problem::new(
            Code::Internal,
            "the namespace can't be served; the server's log says why",
        ))
    })
}

/// Keeps every task of a namespace from starting until it is released.
#[utoipa::path(post, path = "/v1/namespaces/{name}/hold", tag = "namespaces",
    security(("token" = ["operate"])),
    params(("name" = String, Path, description = "The namespace", max_length = 200)),
    request_body = Nothing,
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
async fn hold(
    whole: Whole<Operate>,
    Named(name): Named,
    Body1(Nothing {}): Body1<Nothing>,
) -> Answer<Json<Done>> {
    set_hold(&whole, &name, true).await
}

/// Ends the hold of a namespace.
#[utoipa::path(post, path = "/v1/namespaces/{name}/release", tag = "namespaces",
    security(("token" = ["operate"])),
    params(("name" = String, Path, description = "The namespace", max_length = 200)),
    request_body = Nothing,
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
async fn release(
    whole: Whole<Operate>,
    Named(name): Named,
    Body1(Nothing {}): Body1<Nothing>,
) -> Answer<Json<Done>> {
    set_hold(&whole, &name, false).await
}

async fn set_hold(whole: &Whole<Operate>, name: &str, held: bool) -> Answer<Json<Done>> {
    let (what, by) = (HoldTarget::Namespace, whole.by());
    let command = match held {
        true => Command::Hold { what, by },
        false => Command::Release { what, by },
    };
    let hosted = whole.namespace(name)?;
    match hosted.cell.decide(command).await?.reply {
        Reply::Refused(refusal) => Err(refusal.into()),
        _ => Ok(Json(Done {})),
    }
}

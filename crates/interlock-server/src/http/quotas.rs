//! Quotas: how much may be started or spent.

use super::answer::{Json, Problems};
use super::body::{Body1, Named, Query};
use super::pages::ByName;
use super::{Access, Admin, Answer, App, OperateOrWork, Read, clock_of};
use crate::cell::View;
use interlock_api::page::{Page, PageQuery};
use interlock_api::problem::Problem;
use interlock_api::quota::{PauseQuota, Quota, QuotaPolicy, QuotaQuery};
use interlock_api::task::Done;
use interlock_api::{Code, convert};
use interlock_core::words::{self, Name, ResourceName, Scope};
use interlock_core::{Command, Refusal, Reply};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show, put, remove))
        .routes(routes!(pause))
}

/// Lists quotas, by name.
#[utoipa::path(get, path = "/v1/quotas", tag = "quotas",
    security(("token" = ["read"])),
    params(PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<Quota>),
        Problems,
    ))]
async fn list(access: Access<Read>, Query(query): Query<PageQuery>) -> Answer<Json<Page<Quota>>> {
    let by_name = ByName::read(&query)?;
    let wanted = by_name.clone();
    let quotas = access.namespace.cell.read(move |view| {
        let mut quotas = view.core.quotas();
        quotas.retain(|quota| wanted.follows(&quota.name));
        quotas.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let quotas = quotas.iter().take(wanted.wanted());
        quotas.map(|quota| shown(view, quota, None)).collect()
    });
    Ok(Json(
        by_name.page(quotas.await?, |quota: &Quota| &quota.name),
    ))
}

/// Shows a quota, and what is left of it.
#[utoipa::path(get, path = "/v1/quotas/{name}", tag = "quotas",
    security(("token" = ["read"])),
    params(("name" = String, Path, description = "The quota", max_length = 200), QuotaQuery),
    responses(
        (status = 200, description = "The quota", body = Quota),
        Problems,
    ))]
async fn show(
    access: Access<Read>,
    Named(name): Named,
    Query(query): Query<QuotaQuery>,
) -> Answer<Json<Quota>> {
    let name = convert::name(&name, "name")?;
    let resource = query.resource.as_deref();
    let resource = resource.map(|text| convert::resource_name(text, "resource"));
    look(&access, name, resource.transpose()?).await
}

async fn look<D>(
    access: &Access<D>,
    name: Name,
    resource: Option<ResourceName>,
) -> Answer<Json<Quota>> {
    let found = access.namespace.cell.read(move |view| {
        let found = view.core.quotas().into_iter();
        let found = found.into_iter().find(|quota| quota.name == name);
        let quota = found.ok_or_else(|| convert::refusal::refusal(&Refusal::UnknownQuota(name)))?;
        check_resource(&quota, resource.as_ref())?;
        Ok::<_, Problem>(shown(view, &quota, resource.as_ref()))
    });
    Ok(Json(found.await??))
}

/// A quota of the namespace has one count, one per resource has one for each of its type.
fn check_resource(quota: &words::Quota, resource: Option<&ResourceName>) -> Result<(), Problem> {
    let wrong = |why: String| Err(Problem::new(Code::BadValue, why).at("resource"));
    match (&quota.scope, resource) {
        (Scope::Namespace, Some(_)) => wrong("the quota is not per resource".to_owned()),
        (Scope::Per(wanted), Some(found)) if wanted.as_str() != found.resource_type() => {
            wrong(format!("the quota is per {wanted}"))
        }
        _ => Ok(()),
    }
}

fn shown(view: &View<'_>, quota: &words::Quota, resource: Option<&ResourceName>) -> Quota {
    let counted = quota.scope == Scope::Namespace || resource.is_some();
    let count = counted.then(|| view.core.quota(&quota.name, resource));
    Quota {
        name: quota.name.to_string(),
        policy: convert::quota::shown(quota),
        count: count
            .flatten()
            .map(|count| convert::quota::count(&count, &clock_of(view.now))),
    }
}

/// Defines or changes a quota.
#[utoipa::path(put, path = "/v1/quotas/{name}", tag = "quotas",
    security(("token" = ["admin"])),
    params(("name" = String, Path, description = "The quota", max_length = 200)),
    request_body = QuotaPolicy,
    responses(
        (status = 200, description = "The quota as it is now", body = Quota),
        Problems,
    ))]
async fn put(
    access: Access<Admin>,
    Named(name): Named,
    Body1(policy): Body1<QuotaPolicy>,
) -> Answer<Json<Quota>> {
    let quota = convert::quota::quota(Some(&name), &policy)?;
    let name = quota.name.clone();
    let command = Command::SetQuota(Box::new(quota));
    match access.namespace.cell.decide(command).await?.reply {
        Reply::Refused(refusal) => Err(refusal.into()),
        _ => look(&access, name, None).await,
    }
}

/// Removes a quota that no kind names.
#[utoipa::path(delete, path = "/v1/quotas/{name}", tag = "quotas",
    security(("token" = ["admin"])),
    params(("name" = String, Path, description = "The quota", max_length = 200)),
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
async fn remove(access: Access<Admin>, Named(name): Named) -> Answer<Json<Done>> {
    let name = convert::name(&name, "name")?;
    access.done(Command::RemoveQuota(name)).await
}

/// Grants nothing of a quota for a while.
///
/// For a worker that hears "too many requests" from outside, and for operators.
#[utoipa::path(post, path = "/v1/quotas/{name}/pause", tag = "quotas",
    security(("token" = ["operate"]), ("token" = ["work"])),
    params(("name" = String, Path, description = "The quota", max_length = 200)),
    request_body = PauseQuota,
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
async fn pause(
    access: Access<OperateOrWork>,
    Named(name): Named,
    Body1(pause): Body1<PauseQuota>,
) -> Answer<Json<Done>> {
    let name = convert::name(&name, "name")?;
    access.done(convert::quota::pause(name, &pause)?).await
}

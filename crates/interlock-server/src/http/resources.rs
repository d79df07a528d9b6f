//! Resources: what tasks touch.

mod last;

use super::answer::{Json, Problems};
use super::body::{Body1, Named, Query};
use super::{Access, Answer, App, Operate, Read, clock_of};
use crate::cell::View;
use crate::limits;
use interlock_api::page::{self, Cursor, Page};
use interlock_api::problem::Problem;
use interlock_api::resource::{Resource, ResourceQuery, ResourceRow, ResourceState};
use interlock_api::task::{Done, Nothing};
use interlock_api::{Code, convert};
use interlock_core::Command;
use interlock_core::command::HoldTarget;
use interlock_core::view::{Found, ResourceIndex, TaskView};
use interlock_core::words::{ResourceName, TaskId};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show))
        .routes(routes!(hold))
        .routes(routes!(release))
}

/// Which stretch of the list.
struct Wanted {
    prefix: String,
    state: Option<ResourceState>,
    from: ResourceIndex,
    limit: usize,
}

/// Lists resources that are claimed, held or metered.
#[utoipa::path(get, path = "/v1/resources", tag = "resources",
    security(("token" = ["read"])),
    params(ResourceQuery),
    responses(
        (status = 200, description = "A page; it may be short, or empty, and have a cursor", body = Page<ResourceRow>),
        Problems,
    ))]
async fn list(
    access: Access<Read>,
    Query(query): Query<ResourceQuery>,
) -> Answer<Json<Page<ResourceRow>>> {
    let from = page::after_id(query.cursor.as_deref())?.unwrap_or(0);
    let from = u32::try_from(from).map_err(|_| {
        Problem::new(Code::BadRequest, "the cursor belongs to another list").at("cursor")
    })?;
    let wanted = Wanted {
        prefix: query.prefix.unwrap_or_default(),
        state: query.state,
        from: ResourceIndex(from),
        limit: page::limit(query.limit)? as usize,
    };
    let page = access.namespace.cell.read(move |view| rows(view, &wanted));
    Ok(Json(page.await?))
}

fn rows(view: &View<'_>, wanted: &Wanted) -> Page<ResourceRow> {
    let (names, next) = view.core.list_resources(
        &wanted.prefix,
        wanted.from,
        wanted.limit,
        limits::LIST_LOOKS,
    );
    let rows = names
        .iter()
        .map(|name| convert::resource::row(&view.core.resource(name)));
    let rows = rows.filter(|row| wanted.state.is_none_or(|state| row.state == state));
    let next = next.map(|ResourceIndex(index)| Cursor::Id(index.into()));
    Page::new(rows.collect(), next)
}

/// Shows a resource: who holds it, who waits for it and why, what ended last, what is left of its
/// quotas.
///
/// A resource needs no declaration, so there is always an answer.
#[utoipa::path(get, path = "/v1/resources/{resource}", tag = "resources",
    security(("token" = ["read"])),
    params(("resource" = String, Path, description = "The resource, `type:id`", max_length = 400)),
    responses(
        (status = 200, description = "The resource", body = Resource),
        Problems,
    ))]
async fn show(access: Access<Read>, Named(name): Named) -> Answer<Json<Resource>> {
    let name = convert::resource_name(&name, "resource")?;
    let asked = name.clone();
    let seen = access.namespace.cell.read(move |view| {
        let recent = last::recent(view.pending, &asked);
        (shown(view, &asked), recent)
    });
    let (mut resource, recent) = seen.await?;
    resource.last = last::merged(&access, name, recent).await?;
    Ok(Json(resource))
}

fn shown(view: &View<'_>, name: &ResourceName) -> Resource {
    let clock = clock_of(view.now);
    let task = |id: TaskId| -> Option<TaskView> {
        match view.core.task(id) {
            Found::Live(task) => Some(*task),
            Found::Ended(_) | Found::Unknown => None,
        }
    };
    let resource = convert::resource::resource(&view.core.resource(name), task, &clock);
    let scheduled = view.core.scheduled_on(name, limits::LIST_LOOKS);
    Resource {
        scheduled: (scheduled.into_iter().filter_map(task))
            .map(|task| convert::resource::in_line(&task, name, &clock))
            .collect(),
        ..resource
    }
}

/// Keeps every task that claims a resource from starting until it is released.
#[utoipa::path(post, path = "/v1/resources/{resource}/hold", tag = "resources",
    security(("token" = ["operate"])),
    params(("resource" = String, Path, description = "The resource, `type:id`", max_length = 400)),
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
    let what = HoldTarget::Resource(convert::resource_name(&name, "resource")?);
    let by = access.by();
    access.done(Command::Hold { what, by }).await
}

/// Ends the hold of a resource.
#[utoipa::path(post, path = "/v1/resources/{resource}/release", tag = "resources",
    security(("token" = ["operate"])),
    params(("resource" = String, Path, description = "The resource, `type:id`", max_length = 400)),
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
    let what = HoldTarget::Resource(convert::resource_name(&name, "resource")?);
    let by = access.by();
    access.done(Command::Release { what, by }).await
}

//! Schedules: they submit tasks by the calendar or at an interval.

use super::answer::{Json, Problems};
use super::body::{Body1, Named, Query};
use super::pages::ByName;
use super::{Access, Admin, Answer, App, Operate, Read};
use interlock_api::convert;
use interlock_api::page::{Page, PageQuery};
use interlock_api::schedule::{Schedule, SchedulePolicy};
use interlock_api::task::{Done, Nothing};
use interlock_core::words::Name;
use interlock_core::{Command, Refusal, Reply};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show, put, remove))
        .routes(routes!(pause))
        .routes(routes!(resume))
}

/// Lists schedules, by name.
#[utoipa::path(get, path = "/v1/schedules", tag = "schedules",
    security(("token" = ["read"])),
    params(PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<Schedule>),
        Problems,
    ))]
async fn list(
    access: Access<Read>,
    Query(query): Query<PageQuery>,
) -> Answer<Json<Page<Schedule>>> {
    let by_name = ByName::read(&query)?;
    let wanted = by_name.clone();
    let found = access.namespace.cell.read(move |view| {
        view.core
            .list_schedules(wanted.after.as_ref(), wanted.wanted())
    });
    let found = found.await?;
    let shown = found
        .iter()
        .map(|(view, schedule)| convert::schedule::schedule_now(view, schedule));
    Ok(Json(
        by_name.page(shown.collect(), |schedule: &Schedule| &schedule.name),
    ))
}

/// Shows a schedule.
#[utoipa::path(get, path = "/v1/schedules/{name}", tag = "schedules",
    security(("token" = ["read"])),
    params(("name" = String, Path, description = "The schedule", max_length = 200)),
    responses(
        (status = 200, description = "The schedule", body = Schedule),
        Problems,
    ))]
async fn show(access: Access<Read>, Named(name): Named) -> Answer<Json<Schedule>> {
    let name = convert::name(&name, "name")?;
    look(&access, name).await
}

async fn look<D>(access: &Access<D>, name: Name) -> Answer<Json<Schedule>> {
    let found = access.namespace.cell.read(move |view| {
        let found = view.core.schedule_now(&name);
        found.ok_or(Refusal::UnknownSchedule(name))
    });
    let (view, schedule) = found.await??;
    Ok(Json(convert::schedule::schedule_now(&view, &schedule)))
}

/// Defines or changes a schedule.
#[utoipa::path(put, path = "/v1/schedules/{name}", tag = "schedules",
    security(("token" = ["admin"])),
    params(("name" = String, Path, description = "The schedule", max_length = 200)),
    request_body = SchedulePolicy,
    responses(
        (status = 200, description = "The schedule as it is now", body = Schedule),
        Problems,
    ))]
async fn put(
    access: Access<Admin>,
    Named(name): Named,
    Body1(policy): Body1<SchedulePolicy>,
) -> Answer<Json<Schedule>> {
    let schedule = convert::schedule::schedule(Some(&name), policy)?;
    let name = schedule.name.clone();
    let command = Command::SetSchedule(Box::new(schedule));
    match access.namespace.cell.decide(command).await?.reply {
        Reply::Refused(refusal) => Err(refusal.into()),
        _ => look(&access, name).await,
    }
}

/// Removes a schedule; its live task, if any, goes on.
#[utoipa::path(delete, path = "/v1/schedules/{name}", tag = "schedules",
    security(("token" = ["admin"])),
    params(("name" = String, Path, description = "The schedule", max_length = 200)),
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
async fn remove(access: Access<Admin>, Named(name): Named) -> Answer<Json<Done>> {
    let name = convert::name(&name, "name")?;
    access.done(Command::RemoveSchedule(name)).await
}

/// Keeps a schedule from firing until it is resumed.
#[utoipa::path(post, path = "/v1/schedules/{name}/pause", tag = "schedules",
    security(("token" = ["operate"])),
    params(("name" = String, Path, description = "The schedule", max_length = 200)),
    request_body = Nothing,
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
async fn pause(
    access: Access<Operate>,
    Named(name): Named,
    Body1(Nothing {}): Body1<Nothing>,
) -> Answer<Json<Done>> {
    set_paused(&access, &name, true).await
}

/// Lets a schedule fire again.
#[utoipa::path(post, path = "/v1/schedules/{name}/resume", tag = "schedules",
    security(("token" = ["operate"])),
    params(("name" = String, Path, description = "The schedule", max_length = 200)),
    request_body = Nothing,
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
async fn resume(
    access: Access<Operate>,
    Named(name): Named,
    Body1(Nothing {}): Body1<Nothing>,
) -> Answer<Json<Done>> {
    set_paused(&access, &name, false).await
}

async fn set_paused(access: &Access<Operate>, name: &str, paused: bool) -> Answer<Json<Done>> {
    let name = convert::name(name, "name")?;
    access.done(Command::PauseSchedule { name, paused }).await
}

//! Workers: who there is, and draining them.

use super::answer::{Json, Problems};
use super::body::{Body1, Named, Query};
use super::pages::ByName;
use super::{Access, Answer, App, Operate, Read, clock_of};
use interlock_api::convert;
use interlock_api::page::{Page, PageQuery};
use interlock_api::task::{Done, Nothing};
use interlock_api::worker::Worker;
use interlock_core::{Command, Refusal};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show))
        .routes(routes!(drain))
}

/// Lists workers, by name.
#[utoipa::path(get, path = "/v1/workers", tag = "workers",
    security(("token" = ["read"])),
    params(PageQuery),
    responses(
        (status = 200, description = "A page of them", body = Page<Worker>),
        Problems,
    ))]
async fn list(access: Access<Read>, Query(query): Query<PageQuery>) -> Answer<Json<Page<Worker>>> {
    let by_name = ByName::read(&query)?;
    let wanted = by_name.clone();
    let workers = access.namespace.cell.read(move |view| {
        let found = view
            .core
            .list_workers(wanted.after.as_ref(), wanted.wanted());
        let clock = clock_of(view.now);
        let shown = |worker| convert::worker::worker(worker, &clock);
        found.iter().map(shown).collect()
    });
    Ok(Json(
        by_name.page(workers.await?, |worker: &Worker| &worker.name),
    ))
}

/// Shows a worker.
#[utoipa::path(get, path = "/v1/workers/{name}", tag = "workers",
    security(("token" = ["read"])),
    params(("name" = String, Path, description = "The worker", max_length = 200)),
    responses(
        (status = 200, description = "The worker", body = Worker),
        Problems,
    ))]
async fn show(access: Access<Read>, Named(name): Named) -> Answer<Json<Worker>> {
    let name = convert::name(&name, "name")?;
    let found = access.namespace.cell.read(move |view| {
        let found = view.core.worker(&name);
        let clock = clock_of(view.now);
        let shown = found.map(|worker| convert::worker::worker(&worker, &clock));
        shown.ok_or(Refusal::UnknownWorker(name))
    });
    Ok(Json(found.await??))
}

/// Gives a worker no new work; it leaves when it is done.
#[utoipa::path(post, path = "/v1/workers/{name}/drain", tag = "workers",
    security(("token" = ["operate"])),
    params(("name" = String, Path, description = "The worker", max_length = 200)),
    request_body = Nothing,
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
async fn drain(
    access: Access<Operate>,
    Named(name): Named,
    Body1(Nothing {}): Body1<Nothing>,
) -> Answer<Json<Done>> {
    let worker = convert::name(&name, "name")?;
    let by = access.by();
    access.done(Command::Drain { worker, by }).await
}

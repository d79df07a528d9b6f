//! What went on in a namespace lately.

use super::answer::{Json, Problems};
use super::{Access, Answer, App, Read};
use interlock_api::activity::Activity;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(activity))
}

/// Shows what went on during the last hour and the last day: submissions by verdict, runs by how they
/// ended, and how long tasks waited.
///
/// It is counted in memory, so it begins anew when the server starts, or when the namespace comes to
/// another node; `since` says when that was.
#[utoipa::path(get, path = "/v1/activity", tag = "overview",
    security(("token" = ["read"])),
    responses(
        (status = 200, description = "What went on", body = Activity),
        Problems,
    ))]
async fn activity(access: Access<Read>) -> Answer<Json<Activity>> {
    let cell = &access.namespace.cell;
    let seen = cell.read(|view| view.activity.shown(view.now.wall.0));
    Ok(Json(seen.await?))
}

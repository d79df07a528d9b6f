//! Tasks: submit, look at, wait for, steer.

mod history;
mod list;
mod show;
mod steer;
mod submit;

pub(super) use history::{find_ended, read, shown_ended};
pub(super) use list::is_of_ended;
pub(super) use steer::again;

use super::App;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(submit::submit, list::list))
        .routes(routes!(submit::batch))
        .routes(routes!(show::show))
        .routes(routes!(show::explain))
        .routes(routes!(steer::cancel))
        .routes(routes!(steer::retry))
        .routes(routes!(steer::bump))
        .routes(routes!(steer::hold))
        .routes(routes!(steer::release))
        .routes(routes!(steer::purge))
}

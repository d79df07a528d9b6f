//! The overview.

use crate::Shared;
use crate::ask::{Ask, Page, page};
use axum::Router;
use interlock_api::Problem;
use interlock_api::overview::Overview;
use maud::html;

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/", page(show))
}

async fn show(ask: Ask) -> Result<Page, Problem> {
    let overview: Overview = ask.api.get("/v1/overview").await?;
    let main = html! { h1 { "Overview" } p { (overview.counts.waiting) " waiting" } };
    Ok(Page::live("Overview", main))
}

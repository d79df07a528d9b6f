//! Which pages there are: one line each for the way to it and for its routes.

use crate::Shared;
use crate::page;
use axum::Router;

/// A page that every page leads to.
pub(crate) struct Entry {
    /// What it is called.
    pub(crate) name: &'static str,
    /// Where it is, within a namespace.
    pub(crate) path: &'static str,
}

/// The pages that every page leads to, in order.
pub(crate) const ENTRIES: [Entry; 10] = [
    entry("Overview", "/"),
    entry("Tasks", "/tasks"),
    entry("Resources", "/resources"),
    entry("Failures", "/failures"),
    entry("Workers", "/workers"),
    entry("Kinds", "/kinds"),
    entry("Schedules", "/schedules"),
    entry("Quotas", "/quotas"),
    entry("Groups", "/groups"),
    entry("Nodes", "/nodes"),
];

const fn entry(name: &'static str, path: &'static str) -> Entry {
    Entry { name, path }
}

/// The routes of all pages, within a namespace.
pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .merge(page::overview::routes())
        .merge(page::tasks::routes())
        .merge(page::resources::routes())
        .merge(page::failures::routes())
        .merge(page::workers::routes())
        .merge(page::kinds::routes())
        .merge(page::schedules::routes())
        .merge(page::quotas::routes())
        .merge(page::groups::routes())
        .merge(page::nodes::routes())
        .merge(page::find::routes())
        .merge(page::submit::routes())
}

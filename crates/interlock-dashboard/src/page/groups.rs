//! The pages of groups: a list of those with live tasks, and one group as a graph.

mod graph;
mod list;
mod show;

use crate::Shared;
use axum::Router;

pub(crate) fn routes() -> Router<Shared> {
    Router::new().merge(list::routes()).merge(show::routes())
}

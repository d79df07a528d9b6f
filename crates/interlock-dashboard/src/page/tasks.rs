//! Tasks: the list of them. One task has a page of its own.

mod list;

use crate::Shared;
use axum::Router;

pub(crate) fn routes() -> Router<Shared> {
    Router::new().merge(list::routes())
}

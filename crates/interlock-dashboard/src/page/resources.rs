//! Resources: the list of them, and one of them with its line.

mod act;
mod history;
mod line;
mod list;
mod one;

use crate::Shared;
use axum::Router;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .merge(list::routes())
        .merge(one::routes())
        .merge(act::routes())
}

//! Tasks: the list of them, one of them, and what can be done to one or to many.

mod act;
mod bulk;
mod chain;
mod filter;
mod list;
mod one;
mod runs;

use crate::Shared;
use axum::Router;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .merge(list::routes())
        .merge(bulk::routes())
        .merge(one::routes())
        .merge(act::routes())
}

/// What became of a submission, for the other page that submits.
pub(crate) use act::reported;

//! The page of failures.

use crate::Shared;
use axum::Router;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
}

//! The page of resources.

use crate::Shared;
use axum::Router;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
}

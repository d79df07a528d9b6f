//! The page of quotas.

use crate::Shared;
use axum::Router;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
}

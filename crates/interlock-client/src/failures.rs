//! Calls about failures: grouped by kind and error, retried in bulk.

use crate::client::Client;
use crate::error::Error;
use interlock_api::failure::{Failure, FailureQuery, Retried, RetryFailures};
use interlock_api::page::Page;

/// Calls about failures.
#[derive(Clone, Copy, Debug)]
pub struct Failures<'a>(pub(crate) &'a Client);

impl Failures<'_> {
    /// What failed, grouped by kind and error.
    pub async fn list(&self, query: &FailureQuery) -> Result<Page<Failure>, Error> {
        self.0.get_by("/v1/failures", query).await
    }

    /// Submits failed tasks again.
    pub async fn retry(&self, which: &RetryFailures) -> Result<Retried, Error> {
        self.0.post("/v1/failures/retry", which).await
    }
}

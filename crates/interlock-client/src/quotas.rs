//! Calls about quotas.

use crate::client::Client;
use crate::error::Error;
use interlock_api::page::{Page, PageQuery};
use interlock_api::path::segment;
use interlock_api::quota::{PauseQuota, Quota, QuotaPolicy, QuotaQuery};
use interlock_api::task::Done;

/// Calls about quotas.
#[derive(Clone, Copy, Debug)]
pub struct Quotas<'a>(pub(crate) &'a Client);

impl Quotas<'_> {
    /// A page of them, by name.
    pub async fn list(&self, query: &PageQuery) -> Result<Page<Quota>, Error> {
        self.0.get_by("/v1/quotas", query).await
    }

    /// One of them.
    pub async fn show(&self, name: &str) -> Result<Quota, Error> {
        self.0.get(&path(name)).await
    }

    /// Creates it, or changes it as a whole.
    pub async fn set(&self, name: &str, policy: &QuotaPolicy) -> Result<Quota, Error> {
        self.0.put(&path(name), policy).await
    }

    /// Removes it.
    pub async fn remove(&self, name: &str) -> Result<Done, Error> {
        self.0.delete(&path(name)).await
    }

    /// One of them, with the count of a resource.
    pub async fn count(&self, name: &str, query: &QuotaQuery) -> Result<Quota, Error> {
        self.0.get_by(&path(name), query).await
    }

    /// Grants nothing for a while.
    pub async fn pause(&self, name: &str, pause: &PauseQuota) -> Result<Done, Error> {
        self.0.post(&format!("{}/pause", path(name)), pause).await
    }
}

fn path(name: &str) -> String {
    format!("/v1/quotas/{}", segment(name))
}

//! Calls about resources.

use crate::client::Client;
use crate::error::Error;
use interlock_api::page::Page;
use interlock_api::path::segment;
use interlock_api::resource::{Resource, ResourceQuery, ResourceRow};
use interlock_api::task::Done;

/// Calls about resources.
#[derive(Clone, Copy, Debug)]
pub struct Resources<'a>(pub(crate) &'a Client);

impl Resources<'_> {
    /// A page of them, by name.
    pub async fn list(&self, query: &ResourceQuery) -> Result<Page<ResourceRow>, Error> {
        self.0.get_by("/v1/resources", query).await
    }

    /// Keeps every task that claims it from starting.
    pub async fn hold(&self, name: &str) -> Result<Done, Error> {
        self.0.post(&format!("{}/hold", path(name)), &Done {}).await
    }

    /// Lets them start again.
    pub async fn release(&self, name: &str) -> Result<Done, Error> {
        self.0
            .post(&format!("{}/release", path(name)), &Done {})
            .await
    }

    /// One of them: holder, line, quotas, last results.
    pub async fn show(&self, name: &str) -> Result<Resource, Error> {
        self.0.get(&path(name)).await
    }
}

fn path(name: &str) -> String {
    format!("/v1/resources/{}", segment(name))
}

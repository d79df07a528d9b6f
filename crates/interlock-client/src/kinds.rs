//! Calls about kinds.

use crate::client::Client;
use crate::error::Error;
use interlock_api::kind::{Kind, KindPolicy};
use interlock_api::page::{Page, PageQuery};
use interlock_api::path::segment;
use interlock_api::task::Done;

/// Calls about kinds.
#[derive(Clone, Copy, Debug)]
pub struct Kinds<'a>(pub(crate) &'a Client);

impl Kinds<'_> {
    /// A page of them, by name.
    pub async fn list(&self, query: &PageQuery) -> Result<Page<Kind>, Error> {
        self.0.get_by("/v1/kinds", query).await
    }

    /// One of them.
    pub async fn show(&self, name: &str) -> Result<Kind, Error> {
        self.0.get(&path(name)).await
    }

    /// Creates it, or changes it as a whole.
    pub async fn set(&self, name: &str, policy: &KindPolicy) -> Result<Kind, Error> {
        self.0.put(&path(name), policy).await
    }

    /// Removes it.
    pub async fn remove(&self, name: &str) -> Result<Done, Error> {
        self.0.delete(&path(name)).await
    }

    /// Keeps its tasks from starting.
    pub async fn hold(&self, name: &str) -> Result<Done, Error> {
        self.0.post(&format!("{}/hold", path(name)), &Done {}).await
    }

    /// Lets its tasks start again.
    pub async fn release(&self, name: &str) -> Result<Done, Error> {
        self.0
            .post(&format!("{}/release", path(name)), &Done {})
            .await
    }
}

fn path(name: &str) -> String {
    format!("/v1/kinds/{}", segment(name))
}

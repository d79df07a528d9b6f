//! Calls about workers.

use crate::client::Client;
use crate::error::Error;
use interlock_api::page::{Page, PageQuery};
use interlock_api::path::segment;
use interlock_api::task::Done;
use interlock_api::worker::Worker;

/// Calls about workers.
#[derive(Clone, Copy, Debug)]
pub struct Workers<'a>(pub(crate) &'a Client);

impl Workers<'_> {
    /// A page of them, by name.
    pub async fn list(&self, query: &PageQuery) -> Result<Page<Worker>, Error> {
        self.0.get_by("/v1/workers", query).await
    }

    /// Gives it no new work: it leaves when it is done.
    pub async fn drain(&self, name: &str) -> Result<Done, Error> {
        self.0
            .post(&format!("{}/drain", path(name)), &Done {})
            .await
    }

    /// One of them.
    pub async fn show(&self, name: &str) -> Result<Worker, Error> {
        self.0.get(&path(name)).await
    }
}

fn path(name: &str) -> String {
    format!("/v1/workers/{}", segment(name))
}

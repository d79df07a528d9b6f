//! Calls about schedules.

use crate::client::Client;
use crate::error::Error;
use interlock_api::page::{Page, PageQuery};
use interlock_api::path::segment;
use interlock_api::schedule::{Schedule, SchedulePolicy};
use interlock_api::task::Done;

/// Calls about schedules.
#[derive(Clone, Copy, Debug)]
pub struct Schedules<'a>(pub(crate) &'a Client);

impl Schedules<'_> {
    /// A page of them, by name.
    pub async fn list(&self, query: &PageQuery) -> Result<Page<Schedule>, Error> {
        self.0.get_by("/v1/schedules", query).await
    }

    /// One of them.
    pub async fn show(&self, name: &str) -> Result<Schedule, Error> {
        self.0.get(&path(name)).await
    }

    /// Creates it, or changes it as a whole.
    pub async fn set(&self, name: &str, policy: &SchedulePolicy) -> Result<Schedule, Error> {
        self.0.put(&path(name), policy).await
    }

    /// Removes it.
    pub async fn remove(&self, name: &str) -> Result<Done, Error> {
        self.0.delete(&path(name)).await
    }

    /// Lets it fire no more for now.
    pub async fn pause(&self, name: &str) -> Result<Done, Error> {
        self.0
            .post(&format!("{}/pause", path(name)), &Done {})
            .await
    }

    /// Lets it fire again.
    pub async fn resume(&self, name: &str) -> Result<Done, Error> {
        self.0
            .post(&format!("{}/resume", path(name)), &Done {})
            .await
    }
}

fn path(name: &str) -> String {
    format!("/v1/schedules/{}", segment(name))
}

//! Calls about groups.

use crate::client::Client;
use crate::error::Error;
use interlock_api::group::{Group, GroupReport, GroupRow};
use interlock_api::page::{Page, PageQuery};
use interlock_api::submission::Submissions;
use interlock_api::task::Done;

/// Calls about groups.
#[derive(Clone, Copy, Debug)]
pub struct Groups<'a>(pub(crate) &'a Client);

impl Groups<'_> {
    /// Submits a group, all or none. One that was not admitted is an answer, too: its outcomes say
    /// why, and it has no id.
    pub async fn submit(&self, items: &Submissions) -> Result<GroupReport, Error> {
        self.0.post_any("/v1/groups", items).await
    }

    /// A page of them, the newest first.
    pub async fn list(&self, query: &PageQuery) -> Result<Page<GroupRow>, Error> {
        self.0.get_by("/v1/groups", query).await
    }

    /// One group.
    pub async fn show(&self, group: u64) -> Result<Group, Error> {
        self.0.get(&format!("/v1/groups/{group}")).await
    }

    /// Calls all of its tasks off.
    pub async fn cancel(&self, group: u64) -> Result<Done, Error> {
        let path = format!("/v1/groups/{group}/cancel");
        self.0.post(&path, &Done {}).await
    }
}

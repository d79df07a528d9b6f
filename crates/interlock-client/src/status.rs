//! The server at a glance.

use crate::client::Client;
use crate::error::Error;
use interlock_api::activity::Activity;
use interlock_api::me::Me;
use interlock_api::overview::{Overview, OverviewQuery};
use interlock_api::status::{Health, Status};

impl Client {
    /// The server and its namespaces at a glance.
    pub async fn status(&self) -> Result<Status, Error> {
        self.get("/v1/status").await
    }

    /// The namespace in one look: totals, where tasks are, the busiest lines, quotas.
    pub async fn overview(&self, query: &OverviewQuery) -> Result<Overview, Error> {
        self.get_by("/v1/overview", query).await
    }

    /// What went on in the namespace during the last hour and the last day.
    pub async fn activity(&self) -> Result<Activity, Error> {
        self.get("/v1/activity").await
    }

    /// Who the caller is: the name of the token, its scopes, and the namespaces it may use.
    pub async fn me(&self) -> Result<Me, Error> {
        self.get("/v1/me").await
    }

    /// Whether the process is alive.
    pub async fn health(&self) -> Result<Health, Error> {
        self.get("/healthz").await
    }

    /// Whether it is ready to serve.
    pub async fn ready(&self) -> Result<Health, Error> {
        self.get("/readyz").await
    }
}

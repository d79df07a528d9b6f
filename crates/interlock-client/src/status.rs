//! The server at a glance.

use crate::client::Client;
use crate::error::Error;
use interlock_api::status::{Health, Status};

impl Client {
    /// The server and its namespaces at a glance.
    pub async fn status(&self) -> Result<Status, Error> {
        self.get("/v1/status").await
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

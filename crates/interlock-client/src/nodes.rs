//! Calls about nodes.

use crate::client::Client;
use crate::error::Error;
use interlock_api::node::Nodes as All;
use interlock_api::path::segment;
use interlock_api::task::Done;

/// Calls about nodes.
#[derive(Clone, Copy, Debug)]
pub struct Nodes<'a>(pub(crate) &'a Client);

impl Nodes<'_> {
    /// All of them, and what each serves.
    pub async fn list(&self) -> Result<All, Error> {
        self.0.get("/v1/nodes").await
    }

    /// Has one give its namespaces to others.
    pub async fn drain(&self, name: &str) -> Result<Done, Error> {
        let path = format!("/v1/nodes/{}/drain", segment(name));
        self.0.post(&path, &Done {}).await
    }

    /// Lets one serve namespaces again.
    pub async fn undrain(&self, name: &str) -> Result<Done, Error> {
        let path = format!("/v1/nodes/{}/undrain", segment(name));
        self.0.post(&path, &Done {}).await
    }
}

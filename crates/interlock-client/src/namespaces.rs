//! Calls about namespaces.

use crate::client::Client;
use crate::error::Error;
use interlock_api::namespace::{Namespace, NamespacePolicy};
use interlock_api::node::MoveNamespace;
use interlock_api::page::{Page, PageQuery};
use interlock_api::path::segment;
use interlock_api::task::Done;

/// Calls about namespaces.
#[derive(Clone, Copy, Debug)]
pub struct Namespaces<'a>(pub(crate) &'a Client);

impl Namespaces<'_> {
    /// A page of them, by name.
    pub async fn list(&self, query: &PageQuery) -> Result<Page<Namespace>, Error> {
        self.0.get_by("/v1/namespaces", query).await
    }

    /// One of them.
    pub async fn show(&self, name: &str) -> Result<Namespace, Error> {
        self.0.get(&path(name)).await
    }

    /// Creates it, or changes it as a whole.
    pub async fn set(&self, name: &str, policy: &NamespacePolicy) -> Result<Namespace, Error> {
        self.0.put(&path(name), policy).await
    }

    /// Removes it.
    pub async fn remove(&self, name: &str) -> Result<Done, Error> {
        self.0.delete(&path(name)).await
    }

    /// Has it served by a node of this name, or by any.
    pub async fn move_to(&self, name: &str, to: &MoveNamespace) -> Result<Done, Error> {
        self.0.post(&format!("{}/move", path(name)), to).await
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
    format!("/v1/namespaces/{}", segment(name))
}

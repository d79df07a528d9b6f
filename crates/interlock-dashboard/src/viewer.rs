//! Whoever looks: what they may do, where they are, and how links lead from there.

#[cfg(test)]
pub(crate) mod sample;

use crate::url;
use interlock_api::Time;
use interlock_api::me::Me;
use interlock_api::token::Scope;
use serde::{Deserialize, Serialize};

/// The namespace whose pages need no prefix.
pub(crate) const DEFAULT_NAMESPACE: &str = "default";

/// Whoever looks at a page.
#[derive(Clone, Debug)]
pub(crate) struct Viewer {
    /// Who they are, and what they may do.
    pub(crate) me: Me,
    /// Whether they came with a token.
    pub(crate) signed_in: bool,
    /// The namespace that they look at.
    pub(crate) namespace: String,
    /// The path of the page within the namespace.
    pub(crate) path: String,
    /// The query of the page.
    pub(crate) query: String,
    /// The time by which everything on the page is told.
    pub(crate) now: Time,
    /// Only the inner part is wanted, to freshen a page that is there.
    pub(crate) inner_only: bool,
    /// What the last action has to say.
    pub(crate) notice: Option<Notice>,
}

/// What an action has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Notice {
    /// Whether it was done.
    pub(crate) done: bool,
    /// What is said.
    pub(crate) text: String,
}

impl Viewer {
    /// Whether they may do this.
    pub(crate) fn may(&self, scope: Scope) -> bool {
        self.me.scopes.contains(&scope)
    }

    /// Where a page of this namespace is.
    pub(crate) fn to(&self, path: &str) -> String {
        in_namespace(&self.namespace, path)
    }

    /// Where the page of a task is.
    pub(crate) fn to_task(&self, task: u64) -> String {
        self.to(&format!("/tasks/{task}"))
    }

    /// Where the page of a resource is.
    pub(crate) fn to_resource(&self, resource: &str) -> String {
        self.to(&format!("/resources/{}", url::segment(resource)))
    }

    /// Where they are, to come back to.
    pub(crate) fn here(&self) -> String {
        match self.query.as_str() {
            "" => self.to(&self.path),
            query => format!("{}?{query}", self.to(&self.path)),
        }
    }
}

/// Where a page of a namespace is.
pub(crate) fn in_namespace(namespace: &str, path: &str) -> String {
    match namespace {
        DEFAULT_NAMESPACE => path.to_owned(),
        other if path == "/" => format!("/in/{}", url::segment(other)),
        other => format!("/in/{}{path}", url::segment(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_namespace_has_a_prefix() {
        assert_eq!(in_namespace("default", "/tasks"), "/tasks");
        assert_eq!(in_namespace("shops", "/"), "/in/shops");
        assert_eq!(in_namespace("a/b", "/tasks/1"), "/in/a%2Fb/tasks/1");
    }
}

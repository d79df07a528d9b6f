//! The server at a glance.

use crate::node::Node;
use crate::span::Span;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The server at a glance, as far as the token allows to see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Status {
    /// The server's version.
    #[schema(example = "0.1.0")]
    pub version: String,
    /// Its time.
    pub now: Time,
    /// How long it has been up.
    pub up: Span,
    /// Which store it uses.
    #[schema(example = "sqlite")]
    pub store: String,
    /// The nodes that serve the same database, if it is one of several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<Node>,
    /// Each namespace.
    pub namespaces: Vec<NamespaceStatus>,
}

/// A namespace at a glance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NamespaceStatus {
    /// Its name.
    pub name: String,
    /// Whether it is being served; not while it recovers from its store.
    pub ready: bool,
    /// The position of its log.
    pub position: u64,
    /// Events of the log that no checkpoint has folded into the tables yet: a restart has to.
    #[serde(default)]
    pub unfolded: u64,
    /// The node that serves it, if there are nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "n1")]
    pub node: Option<String>,
    /// How often it was claimed by a node, if there are nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
    /// How many of what there are.
    pub counts: Counts,
}

/// How many of what there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Counts {
    /// Tasks that wait.
    pub waiting: u64,
    /// Tasks that run.
    pub running: u64,
    /// Resources that are claimed, held or metered.
    pub resources: u64,
    /// Sessions of workers.
    pub sessions: u64,
    /// Workers that wait for work right now.
    pub idle_workers: u64,
}

/// Whether the process is alive, or ready to serve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// `ok`, or what is missing.
    #[schema(example = "ok")]
    pub status: String,
}

//! Nodes: the servers on one database, all equal.

use crate::span::Span;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// All nodes that are known, dead ones too for a while.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Nodes {
    /// By name, the alive ones first; none if the server is not one of several.
    pub nodes: Vec<Node>,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Node {
    /// What people call it.
    #[schema(example = "n1")]
    pub name: String,
    /// Its number: every start of it is another one.
    pub id: u64,
    /// Its state, in one word.
    pub state: NodeState,
    /// Whether it is the one that answers.
    pub here: bool,
    /// Where other nodes reach it.
    #[schema(example = "http://10.0.0.1:7420")]
    pub address: String,
    /// Its version.
    #[schema(example = "0.1.0")]
    pub version: String,
    /// When it joined.
    pub started: Time,
    /// How long its lease lasts if it is not renewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_left: Option<Span>,
    /// What it serves.
    pub namespaces: Vec<Served>,
}

/// A namespace that a node serves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Served {
    /// Its name.
    #[schema(example = "default")]
    pub name: String,
    /// Grows with every change of its node.
    pub epoch: u64,
}

/// A node in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    /// It serves namespaces.
    Alive,
    /// It gives its namespaces away.
    Draining,
    /// Its lease is over.
    Dead,
}

/// Where a namespace is to be served.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveNamespace {
    /// The name of a node that is alive; anywhere if none. It stays there as long as that node does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, example = "n2")]
    pub to: Option<String>,
}

/// Which node it is that was told to look; between nodes only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Its number; none before it has joined.
    pub node: Option<u64>,
}

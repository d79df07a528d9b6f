//! Where everything is, as of the last look at the database.

use interlock_api::node::NodeState;
use interlock_store::NamespaceId;
use interlock_store::postgres::{Claim, Node, NodeId};

/// Where everything is, as of the last look at the database.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    /// Which node this is; none before it has joined.
    pub me: Option<NodeId>,
    /// The nodes, dead ones too for as long as they are remembered.
    pub nodes: Vec<Node>,
    /// Who owns what, by namespace.
    pub claims: Vec<Claim>,
}

/// Where a namespace is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// There is none of this name.
    Unknown,
    /// On its way from one node to another.
    Moving,
    /// With this node.
    Here,
    /// With another node, at this address.
    At(String),
}

impl Directory {
    /// Where a namespace is.
    pub fn find(&self, name: &str) -> Whereabouts {
        let Some(claim) = self.claims.iter().find(|claim| claim.name == name) else {
            return Whereabouts::Unknown;
        };
        match claim.owner {
            Some(_) if !claim.is_alive => Whereabouts::Moving,
            Some(owner) if Some(owner) == self.me => Whereabouts::Here,
            Some(owner) => match self.node(owner) {
                Some(node) => Whereabouts::At(node.address.clone()),
                None => Whereabouts::Moving,
            },
            None => Whereabouts::Moving,
        }
    }

    /// A node by its number.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// The node of this name that is alive.
    pub fn named(&self, name: &str) -> Option<&Node> {
        self.alive().find(|node| node.name == name)
    }

    /// The nodes that are alive.
    pub fn alive(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.left.is_some())
    }

    /// The name of a namespace.
    pub fn name_of(&self, namespace: NamespaceId) -> Option<&str> {
        self.claim(namespace).map(|claim| claim.name.as_str())
    }

    /// The number of a namespace.
    pub fn id_of(&self, name: &str) -> Option<NamespaceId> {
        let mut claims = self.claims.iter();
        let claim = claims.find(|claim| claim.name == name);
        claim.map(|claim| claim.namespace)
    }

    /// Who owns a namespace.
    pub fn claim(&self, namespace: NamespaceId) -> Option<&Claim> {
        let mut claims = self.claims.iter();
        claims.find(|claim| claim.namespace == namespace)
    }

    /// Where the other nodes that are alive can be reached.
    pub fn others(&self) -> Vec<String> {
        let others = self.alive().filter(|node| Some(node.id) != self.me);
        others.map(|node| node.address.clone()).collect()
    }
}

/// A node in one word.
pub(crate) fn state(node: &Node) -> NodeState {
    match (node.left, node.draining) {
        (None, _) => NodeState::Dead,
        (Some(_), true) => NodeState::Draining,
        (Some(_), false) => NodeState::Alive,
    }
}

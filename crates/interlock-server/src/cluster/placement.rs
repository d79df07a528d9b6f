//! Which node should have which namespace: a function of what the database says, so that all nodes
//! come to the same answer by themselves. If two looked at different moments and disagree, the
//! database decides; nothing here is needed for safety.
//!
//! A namespace stays where it is as long as it can. It moves if somebody wants it elsewhere, if its
//! node is dead or gives its namespaces away, or if its node has two more than another that has been
//! there for a while.

use interlock_store::NamespaceId;
use interlock_store::postgres::NodeId;
use std::collections::BTreeMap;

/// What counts of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeFact {
    /// Which one.
    pub id: NodeId,
    /// Whether it gives its namespaces away.
    pub draining: bool,
    /// Whether it has been there for a while, so that it will probably stay.
    pub settled: bool,
}

/// What counts of a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceFact {
    /// Which one.
    pub id: NamespaceId,
    /// Its owner, if that is alive.
    pub owner: Option<NodeId>,
    /// Where somebody asked it to be.
    pub wanted: Option<NodeId>,
}

/// What a node does about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// Claims a namespace that nobody serves.
    Claim(NamespaceId),
    /// Gives one of its own to another node.
    HandOver(NamespaceId, NodeId),
}

/// What this node should do. `nodes` are those that are alive.
pub fn plan(me: NodeId, nodes: &[NodeFact], spaces: &[SpaceFact]) -> Vec<Move> {
    let homes = homes(nodes, spaces);
    let moves = spaces.iter().filter_map(|space| {
        let home = *homes.get(&space.id)?;
        match space.owner {
            None if home == me => Some(Move::Claim(space.id)),
            Some(owner) if owner == me && home != me => Some(Move::HandOver(space.id, home)),
            _ => None,
        }
    });
    moves.collect()
}

/// Where each namespace should be; nowhere if no node is fit.
fn homes(nodes: &[NodeFact], spaces: &[SpaceFact]) -> BTreeMap<NamespaceId, NodeId> {
    let fit: Vec<&NodeFact> = nodes.iter().filter(|node| !node.draining).collect();
    let mut homes = Homes::among(&fit);
    if fit.is_empty() {
        // Somebody has to serve them, even on the way out.
        let staying = spaces
            .iter()
            .filter_map(|space| Some((space.id, space.owner?)));
        return staying.collect();
    }
    let mut homeless = Vec::new();
    for space in spaces {
        let wanted = space.wanted.filter(|node| homes.has(*node));
        let owner = space.owner.filter(|node| homes.has(*node));
        match (wanted, owner) {
            (Some(node), _) => homes.pin(space.id, node),
            (None, Some(node)) => homes.give(space.id, node),
            (None, None) => homeless.push(space.id),
        }
    }
    for space in homeless {
        if let Some(node) = homes.emptiest(space) {
            homes.give(space, node);
        }
    }
    let settled = fit.iter().filter(|node| node.settled);
    homes.balance(&settled.map(|node| node.id).collect::<Vec<_>>());
    homes.all()
}

/// Homes found so far.
struct Homes {
    movable: BTreeMap<NodeId, Vec<NamespaceId>>,
    pinned: BTreeMap<NodeId, Vec<NamespaceId>>,
}

impl Homes {
    fn among(nodes: &[&NodeFact]) -> Self {
        let none = |node: &&NodeFact| (node.id, Vec::new());
        Self {
            movable: nodes.iter().map(none).collect(),
            pinned: nodes.iter().map(none).collect(),
        }
    }

    fn has(&self, node: NodeId) -> bool {
        self.movable.contains_key(&node)
    }

    fn give(&mut self, space: NamespaceId, node: NodeId) {
        self.movable.entry(node).or_default().push(space);
    }

    fn pin(&mut self, space: NamespaceId, node: NodeId) {
        self.pinned.entry(node).or_default().push(space);
    }

    fn count(&self, node: NodeId) -> usize {
        let of = |homes: &BTreeMap<NodeId, Vec<_>>| homes.get(&node).map_or(0, Vec::len);
        of(&self.movable) + of(&self.pinned)
    }

    /// The node with the fewest; of several, one that depends on the namespace, so that they spread.
    fn emptiest(&self, space: NamespaceId) -> Option<NodeId> {
        let nodes = self.movable.keys().copied();
        nodes.min_by_key(|node| (self.count(*node), mix(space, *node)))
    }

    /// Evens out differences of two and more.
    fn balance(&mut self, settled: &[NodeId]) {
        while let Some((fullest, emptiest)) = self.uneven(settled) {
            let spaces = self.movable.entry(fullest).or_default();
            let chosen = (0..spaces.len()).min_by_key(|at| mix(spaces[*at], emptiest));
            let Some(chosen) = chosen else { return };
            let space = spaces.swap_remove(chosen);
            self.give(space, emptiest);
        }
    }

    fn uneven(&self, settled: &[NodeId]) -> Option<(NodeId, NodeId)> {
        let movable = |node: &NodeId| self.movable.get(node).is_some_and(|some| !some.is_empty());
        let nodes = self.movable.keys().copied();
        let fullest = nodes
            .filter(movable)
            .max_by_key(|node| (self.count(*node), node.0))?;
        let emptiest = settled.iter().copied();
        let emptiest = emptiest.min_by_key(|node| (self.count(*node), node.0))?;
        (self.count(fullest) >= self.count(emptiest) + 2).then_some((fullest, emptiest))
    }

    fn all(self) -> BTreeMap<NamespaceId, NodeId> {
        let both = self.movable.into_iter().chain(self.pinned);
        both.flat_map(|(node, spaces)| spaces.into_iter().map(move |space| (space, node)))
            .collect()
    }
}

/// Mixes two numbers, the same way on every node and in every version.
fn mix(space: NamespaceId, node: NodeId) -> u64 {
    let mut mixed = u64::from(space.0).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ node.0;
    for _ in 0..2 {
        mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    }
    mixed ^ (mixed >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: u64) -> NodeFact {
        NodeFact {
            id: NodeId(id),
            draining: false,
            settled: true,
        }
    }

    fn space(id: u32, owner: Option<u64>) -> SpaceFact {
        SpaceFact {
            id: NamespaceId(id),
            owner: owner.map(NodeId),
            wanted: None,
        }
    }

    /// Carries out what every node plans, once.
    fn step(nodes: &[NodeFact], spaces: &mut [SpaceFact]) -> usize {
        let mut moves = 0;
        let before = spaces.to_vec();
        for node in nodes {
            for planned in plan(node.id, nodes, &before) {
                let (id, to) = match planned {
                    Move::Claim(id) => (id, node.id),
                    Move::HandOver(id, to) => (id, to),
                };
                let space = spaces.iter_mut().find(|space| space.id == id);
                let space = space.expect("only known ones are moved");
                assert_eq!(
                    space.owner,
                    before.iter().find(|old| old.id == id).expect("it").owner,
                    "two nodes moved {id}"
                );
                space.owner = Some(to);
                moves += 1;
            }
        }
        moves
    }

    fn counts(nodes: &[NodeFact], spaces: &[SpaceFact]) -> Vec<usize> {
        let of = |node: &NodeFact| {
            spaces
                .iter()
                .filter(|space| space.owner == Some(node.id))
                .count()
        };
        nodes.iter().map(of).collect()
    }

    #[test]
    fn namespaces_without_an_owner_are_spread_and_then_stay() {
        let nodes = [node(1), node(2), node(3)];
        let mut spaces: Vec<_> = (1..=10).map(|id| space(id, None)).collect();
        assert_eq!(step(&nodes, &mut spaces), 10);
        let counts = counts(&nodes, &spaces);
        assert!(
            counts.iter().all(|count| (3..=4).contains(count)),
            "{counts:?}"
        );
        assert_eq!(
            step(&nodes, &mut spaces),
            0,
            "nothing moves without a reason"
        );
    }

    #[test]
    fn what_a_dead_node_had_is_taken_by_others_and_nothing_else_moves() {
        let nodes = [node(1), node(2)];
        let mut spaces: Vec<_> = (1..=6)
            .map(|id| space(id, Some(u64::from(id % 2) + 1)))
            .collect();
        spaces.push(space(7, None));
        assert_eq!(step(&nodes, &mut spaces), 1);
        assert!(spaces[6].owner.is_some());
    }

    #[test]
    fn a_new_node_gets_its_share_only_when_it_has_been_there_for_a_while() {
        let mut nodes = [node(1), node(2)];
        nodes[1].settled = false;
        let mut spaces: Vec<_> = (1..=5).map(|id| space(id, Some(1))).collect();
        assert_eq!(step(&nodes, &mut spaces), 0);
        nodes[1].settled = true;
        assert_eq!(step(&nodes, &mut spaces), 2);
        assert_eq!(counts(&nodes, &spaces), [3, 2]);
        assert_eq!(
            step(&nodes, &mut spaces),
            0,
            "a difference of one is even enough"
        );
    }

    #[test]
    fn a_draining_node_gives_everything_away_unless_it_is_alone() {
        let mut nodes = [node(1), node(2)];
        nodes[0].draining = true;
        let mut spaces: Vec<_> = (1..=4).map(|id| space(id, Some(1))).collect();
        step(&nodes, &mut spaces);
        assert_eq!(counts(&nodes, &spaces), [0, 4]);
        let mut alone: Vec<_> = (1..=4).map(|id| space(id, Some(1))).collect();
        assert_eq!(step(&nodes[..1], &mut alone), 0);
    }

    #[test]
    fn a_wanted_namespace_goes_there_and_balance_leaves_it_alone() {
        let nodes = [node(1), node(2)];
        let mut spaces: Vec<_> = (1..=4).map(|id| space(id, Some(1))).collect();
        for space in &mut spaces {
            space.wanted = Some(NodeId(2));
        }
        assert_eq!(step(&nodes, &mut spaces), 4);
        assert_eq!(counts(&nodes, &spaces), [0, 4]);
        assert_eq!(step(&nodes, &mut spaces), 0);
    }
}

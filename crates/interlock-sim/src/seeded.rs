//! Seeded bugs: those of the core, which are compiled into it, and those of the nodes around it.

use interlock_core::Bug;

macro_rules! node_bugs {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// A mistake of nodes that share a store.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum NodeBug {
            $($(#[$doc])+ $name,)+
        }

        impl NodeBug {
            /// Every one there is.
            pub const ALL: &[NodeBug] = &[$(NodeBug::$name,)+];
        }
    };
}

node_bugs! {
    /// A node whose lease is over goes on answering beats.
    ZombieRenewsLeases,
    /// The store takes a write under an epoch that is not in force.
    EpochNotAsserted,
    /// After a commit without an answer the owner goes on from memory.
    OwnerDoesNotReload,
    /// A namespace is handed over before what was decided last is committed, and answered all the
    /// same.
    HandOverBeforeLastCommit,
    /// A namespace is taken from a node whose lease is not over.
    ClaimFromTheLiving,
    /// A new owner goes on from a load that was made before its claim.
    LoadBeforeClaim,
}

/// A seeded bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seeded {
    /// In the core.
    Core(Bug),
    /// In what nodes do.
    Node(NodeBug),
}

impl Seeded {
    /// Every one there is.
    pub fn all() -> impl Iterator<Item = Seeded> {
        let core = Bug::ALL.iter().copied().map(Seeded::Core);
        core.chain(NodeBug::ALL.iter().copied().map(Seeded::Node))
    }

    /// Its name.
    pub fn name(self) -> String {
        match self {
            Seeded::Core(bug) => format!("{bug:?}"),
            Seeded::Node(bug) => format!("{bug:?}"),
        }
    }

    /// The one of this name.
    pub fn parse(text: &str) -> Result<Self, String> {
        let found = Self::all().find(|bug| bug.name() == text);
        found.ok_or_else(|| format!("no bug is called {text}"))
    }

    /// What the core is told.
    pub fn of_core(self) -> Option<Bug> {
        match self {
            Seeded::Core(bug) => Some(bug),
            Seeded::Node(_) => None,
        }
    }

    /// What the nodes are told.
    pub fn of_nodes(self) -> Option<NodeBug> {
        match self {
            Seeded::Core(_) => None,
            Seeded::Node(bug) => Some(bug),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bug_is_found_by_its_name() {
        for bug in Seeded::all() {
            assert_eq!(Seeded::parse(&bug.name()), Ok(bug));
        }
        assert!(Seeded::parse("NoBug").is_err());
    }
}

//! Seeded mistakes: each leaves out one thing that the protocol rests on, and must be found.

/// A mistake in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mutation {
    /// A write asserts the epoch, and does not lock the row while it does.
    NoRowLock,
    /// A write does not look at the epoch.
    NoEpoch,
    /// After an unknown outcome a namespace is loaded again under the epoch that it had.
    NoNewEpoch,
    /// A commit without an answer is taken for done.
    UnsureTakenForDone,
    /// A namespace is loaded first, and claimed then.
    LoadBeforeClaim,
    /// A namespace is taken from a node whose lease is not over.
    ClaimFromTheLiving,
    /// Whoever takes a namespace from a dead node leaves that node's row as it is.
    NotBuried,
    /// A node counts its lease from the answer instead of from the sending.
    CountFromAnswer,
    /// A node uses all of its lease by its own clock.
    NoMargin,
    /// A node looks at its lease before a call arrives, and not after.
    CheckBeforeArrival,
    /// A node does not look at its lease at all.
    NoCheck,
    /// A new owner takes the leases of runs for as old as they were.
    NoFullLease,
    /// A node goes on answering for a namespace that it hands over.
    HandOverKeepsServing,
    /// A node that joins anew goes on with what it served as another one.
    TermIgnored,
}

impl Mutation {
    /// All of them.
    pub const ALL: [Mutation; 14] = [
        Mutation::NoRowLock,
        Mutation::NoEpoch,
        Mutation::NoNewEpoch,
        Mutation::UnsureTakenForDone,
        Mutation::LoadBeforeClaim,
        Mutation::ClaimFromTheLiving,
        Mutation::NotBuried,
        Mutation::CountFromAnswer,
        Mutation::NoMargin,
        Mutation::CheckBeforeArrival,
        Mutation::NoCheck,
        Mutation::NoFullLease,
        Mutation::HandOverKeepsServing,
        Mutation::TermIgnored,
    ];
}

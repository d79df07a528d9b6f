//! What can happen. Each is one step: before and after it anything else may come, so that a process
//! may stand still (SIGSTOP) between any two of its own for as long as it likes.

use crate::state::Write;

/// What can happen. Nodes are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Time goes by: a tick of the database's clock, and of every other clock but those of the nodes
    /// in this set, which lose it.
    Tick {
        /// Whose clocks lose the tick.
        slow: u8,
    },
    /// The database's clock is set back by a tick.
    SetBack,
    /// A process becomes a node.
    Join(u8),
    /// It asks for another lease. If renewals are not slow, it has it at once.
    RenewSend(u8),
    /// The database grants or refuses it.
    Renew(u8),
    /// The node hears the answer.
    RenewHear(u8),
    /// The connection is lost before that.
    RenewCut(u8),
    /// A node claims the namespace: the row is changed and committed, and the node hears of it.
    Claim(u8),
    /// The same, and the connection is lost before the node hears of it.
    ClaimCut(u8),
    /// It loads the namespace.
    Load(u8),
    /// A client submits something to a node that has it already: answered from memory.
    Repeat(u8, Write),
    /// A node sends an append.
    AppendSend(u8, Write),
    /// An append compares the epoch and locks the row, or is refused.
    AppendLock(u8),
    /// It commits.
    AppendCommit(u8),
    /// The node hears the answer, and the client from it.
    AppendHear(u8),
    /// The connection is lost before that, whatever became of the append.
    AppendCut(u8),
    /// An append whose sender is gone never takes effect.
    AppendVanish(u8),
    /// A node stops serving the namespace and gives it to another one.
    HandOver(u8, u8),
    /// A node ends its lease in order.
    Leave(u8),
    /// A process is killed.
    Crash(u8),
    /// The worker sends a beat.
    BeatSend,
    /// It is lost, or refused.
    BeatLost,
    /// It has arrived at a node, which looks at its lease by its own clock and finds it good.
    MayAnswer(u8),
    /// It arrives at a node that has looked before: only by mistake.
    BeatArrive(u8),
    /// The node answers, and the worker hears it.
    BeatAnswer(u8),
}

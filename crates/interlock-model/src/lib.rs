//! The protocol by which several nodes share one database, checked exhaustively with stateright.
//!
//! Two or three nodes, one namespace with one run, and everything that can go wrong between them, in
//! every order: a process may stand still between any two of its steps for as long as it likes, be
//! killed, lose its connection before an answer whatever became of the call, have a clock that loses
//! time; the database's clock may be set back. Time, crashes, moves, joins and epochs are not bounded,
//! since a state keeps of times only what is left, and of an epoch only whether it is in force. What
//! is bounded is in [`bounds`]: how many things clients want written, how many appends are on their
//! way whose sender is gone, and one beat at a time. [`properties`] says what must hold, and
//! [`mutation`] which mistakes must be found: a checker that finds nothing must be able to.
//!
//! # What stands for what
//!
//! Paths are below `crates/`: `store` is `interlock-store/src/postgres`, `server` is
//! `interlock-server/src`.
//!
//! | action | code |
//! |---|---|
//! | `Join` | `Ownership::join` (`store/ownership/nodes.rs`), `Cluster::join` (`server/cluster/keeper.rs`) |
//! | `RenewSend`, `Renew`, `RenewHear` | `Cluster::renew` and `renew_always`; `nodes::renew`; `LeaseClock::granted` and `end` (`server/cluster/lease.rs`) |
//! | `RenewCut` | `Link::write_within` without an answer: the last lease counts until it is over |
//! | `Tick`, `SetBack` | `clock_timestamp()` of the database; `boot_ms` of a node, which may lose a tick within a lease |
//! | `Claim`, `ClaimCut` | `claim::claim` with `bury` (`store/ownership/claim.rs`), `Tenure::claim` (`server/cluster.rs`) |
//! | `Load` | `Thread::load` (`server/cell/thread.rs`), `load::load`; `Core::open` gives each run a full lease |
//! | `AppendSend` | `Committer` → `Store::append`; of a client's submission, or of the end of a run whose lease is over |
//! | `AppendLock`, `AppendCommit` | the one statement `APPEND` (`store/append.rs`): `FOR SHARE` on the row with this epoch, then the insert |
//! | `AppendHear` | the batch's answers go (`Batch::committed`), or the cell's life is over (`Batch::fail`) |
//! | `AppendCut` | `StoreError::Unsure`: `Held::forget`, and the cell claims and loads again |
//! | `AppendVanish` | a statement that never came to the server, or was rolled back with its connection |
//! | `Repeat` | a submission with the idempotency key of one that is known |
//! | `HandOver` | `Cluster::hand_over`: the cell is dropped, the committer is done, `claim::give` |
//! | `Leave` | `Cluster::leave`, `nodes::leave` |
//! | `Crash` | kill -9; what the process had sent may still take effect |
//! | `BeatSend`, `BeatLost` | a worker's beat; an answer counts from the sending, so that it does not matter when it is heard |
//! | `MayAnswer` | `Life::may_answer` (`server/cell/life.rs`), asked after the call has arrived |
//! | `BeatAnswer` | `Life::answer`: decided in memory, with nothing written |
//! | `BeatArrive` | none: only with a mistake |
//!
//! # What is left out
//!
//! Steps that only take time are one with the step before them where that gives others the most room:
//! a claim is heard when it is committed, since a node that has not heard does nothing that one which
//! has not loaded could not do; a refusal is heard at once, since before it the append was under way
//! all the same. Checkpoints pass the same lock as appends. Opening a namespace writes a record before
//! anything is answered, which is one more append. Clocks of nodes that run fast end leases early. The
//! lease of a run is counted without error: for that a worker stops at 0.8 of it.

pub mod action;
pub mod bounds;
pub mod dead_end;
mod merge;
pub mod model;
pub mod mutation;
pub mod properties;
pub mod state;
pub mod step;

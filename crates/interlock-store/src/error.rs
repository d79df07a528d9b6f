//! What can go wrong in a store, each with a sentence that a person can act on.

use std::path::PathBuf;
use std::time::Duration;

use crate::types::NamespaceId;

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process has the store open.
    #[error(
        "{} is in use by another process{}; stop it first, or use another data directory",
        path.display(),
        pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
    )]
    Busy {
        /// The data directory.
        path: PathBuf,
        /// The process that holds the lock, if it said so.
        pid: Option<u32>,
    },
    /// Something else, such as a database shell, holds a lock on the database. Nothing was written;
    /// may be tried again.
    #[error("the database is locked by another program; nothing was written, try again")]
    Contended,
    /// The disk is full. Nothing was written; may be tried again when there is room.
    #[error("no room on the disk for {doing}: nothing was written, free some space and try again")]
    Full {
        /// What was being done.
        doing: &'static str,
    },
    /// An operating-system error outside of a commit, so that nothing is in doubt.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// What was read is not what was written.
    #[error("the store is damaged at {place}: {what}; restore a backup")]
    Damaged {
        /// Where.
        place: String,
        /// How it shows.
        what: String,
    },
    /// The store lacks what the side file says had been in it.
    #[error(
        "the store ends too early: {place} ends at {found}, but {expected} had been written; \
         restore a backup, or, to go on without what is missing, remove the file `position`"
    )]
    Behind {
        /// Which log, or the store's own count of changes.
        place: String,
        /// Where it should end at least.
        expected: u64,
        /// Where it ends.
        found: u64,
    },
    /// An append that does not begin where the log ends. Nothing was written.
    #[error("the log of namespace {namespace} ends at {expected}, an append began at {got}")]
    Gap {
        /// Of which namespace.
        namespace: NamespaceId,
        /// Where the log ends.
        expected: u64,
        /// Where the append began.
        got: u64,
    },
    /// A checkpoint that goes back, goes beyond the log, or would delete what it does not cover.
    /// Nothing was written.
    #[error("bad checkpoint of namespace {namespace} at {position}: {why}")]
    BadCheckpoint {
        /// Of which namespace.
        namespace: NamespaceId,
        /// At which position.
        position: u64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A value that this store can't keep. Nothing was written.
    #[error("bad {field}: {why}")]
    BadValue {
        /// Which one.
        field: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
    /// There is no such namespace, or it was removed.
    #[error("there is no namespace {0}")]
    UnknownNamespace(NamespaceId),
    /// A namespace of that name exists.
    #[error("there is a namespace named {0:?} already")]
    NameTaken(String),
    /// A newer version wrote this store.
    #[error(
        "the store has format {found}, this version reads up to {known}: use a newer `interlock`"
    )]
    NewerSchema {
        /// The store's format.
        found: i64,
        /// The newest format known here.
        known: i64,
    },
    /// A setting that durability rests on is not in force.
    #[error("{name} must be {wanted}, but is {found}: is the data directory on a network drive?")]
    Settings {
        /// Which setting.
        name: &'static str,
        /// What it must be.
        wanted: String,
        /// What it is.
        found: String,
    },
    /// A write or sync failed, so that nobody knows what is on the disk. The store answers nothing
    /// more until it is opened again.
    #[error("the store stopped: {0}; it must be opened again")]
    Poisoned(String),
    /// The database is not the one that was opened: it was restored, or a standby took its place.
    /// Everything has to be opened anew.
    #[error(
        "the database was restored, or another server has taken its place; it must be opened again"
    )]
    Restored,
    /// The path that a backup was to go to exists.
    #[error("{} exists, and a backup overwrites nothing", .0.display())]
    Exists(PathBuf),
    /// The text that names a database is wrong.
    #[error("bad database URL: {why}")]
    BadTarget {
        /// What is wrong with it, without the password.
        why: String,
    },
    /// The database is set up so that nothing can be promised on it.
    #[error("{cause}; {remedy}")]
    BadGround {
        /// What is wrong.
        cause: String,
        /// What to do about it.
        remedy: String,
    },
    /// The database does not answer. Nothing was written; may be tried again.
    #[error("the database can't be reached for {doing}: {why}; nothing was written, try again")]
    Unreachable {
        /// What was being done.
        doing: &'static str,
        /// What happened.
        why: String,
    },
    /// The database refused it. Nothing was written.
    #[error("the database refused {doing}: {why}; nothing was written")]
    Database {
        /// What was being done.
        doing: &'static str,
        /// What it said.
        why: String,
    },
    /// The connection was lost between sending a commit and its answer. The namespaces concerned are
    /// not owned any more: each has to be claimed anew, and loaded, which shows what was written.
    #[error(
        "the connection to the database was lost while {doing} ({why}): whether it was done is not known"
    )]
    Unsure {
        /// What was being done.
        doing: &'static str,
        /// What happened.
        why: String,
    },
    /// This process may not write to the namespace. Nothing was written.
    #[error("namespace {namespace} is not owned by this node: {why}; nothing was written")]
    NotOwned {
        /// Which namespace.
        namespace: NamespaceId,
        /// Why not.
        why: &'static str,
    },
    /// A submission that was to be consumed is not in the inbox any more: an earlier commit took it.
    /// Nothing was written.
    #[error("a submission to namespace {namespace} was consumed already; nothing was written")]
    NotPending {
        /// To which namespace.
        namespace: NamespaceId,
    },
    /// Another node owns the namespace, and is alive.
    #[error("namespace {namespace} is owned by node {node} for {} ms more at least", left.as_millis())]
    Owned {
        /// Which namespace.
        namespace: NamespaceId,
        /// By whom.
        node: u64,
        /// What is left of that node's lease.
        left: Duration,
    },
    /// The lease of this node has ended: others may own its namespaces already. It can join again as
    /// another node.
    #[error("the lease of this node has ended")]
    LeaseEnded,
    /// A node of this name is alive.
    #[error("a node named {name:?} is alive for {} ms more at least; give this one another name, or wait", left.as_millis())]
    NodeAlive {
        /// Its name.
        name: String,
        /// What is left of its lease.
        left: Duration,
    },
    /// There is no such node, or it is dead.
    #[error("there is no node {0} that is alive")]
    UnknownNode(u64),
    /// This kind of store can't do that.
    #[error("{0}")]
    Unsupported(&'static str),
}

impl StoreError {
    /// May the same call succeed later, with nothing changed by this one?
    pub fn retryable(&self) -> bool {
        matches!(
            self,
            Self::Full { .. } | Self::Contended | Self::Unreachable { .. }
        )
    }

    /// Does it heal by claiming the namespaces concerned anew and loading them? Whatever was known of
    /// them counts no more.
    pub fn heals_by_loading(&self) -> bool {
        matches!(
            self,
            Self::Unsure { .. } | Self::NotOwned { .. } | Self::NotPending { .. }
        )
    }

    pub(crate) fn damaged(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Damaged {
            place: place.into(),
            what: what.into(),
        }
    }
}

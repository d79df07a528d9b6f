//! The two traits: one that writes and one that reads.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use crate::error::StoreError;
use crate::types::{
    Append, Checkpoint, FailureGroup, HistoryFilter, HistoryPage, HistoryRow, LastEnded, Loaded,
    LogPage, Namespace, NamespaceId, NewToken, Purge, Purged, Sliced, Token,
};

/// A result of a store.
pub(crate) type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Everything that changes a store, and what a start has to read. Used by one thread at a time; one process
/// has one store, whatever the number of its namespaces.
///
/// Every call that returns `Ok` is durable when it returns. A call that returns an error for which
/// [`StoreError::retryable`] holds has changed nothing; after [`StoreError::Poisoned`] nothing more
/// is answered until the store is opened again. After one for which
/// [`StoreError::heals_by_loading`] holds, the namespaces concerned have to be claimed (see
/// [`Ownership`](crate::postgres::Ownership)) and loaded anew; only a store that others write to has
/// such errors.
pub trait Store: Send {
    /// Raised when the store was restored from a backup, so that what was promised after the backup
    /// can't be mistaken for what is promised now. Fixed while the store is open, unless others can
    /// replace it meanwhile: then it changes only when nothing is owned any more.
    fn generation(&self) -> u32;

    /// The namespaces, by id.
    fn namespaces(&mut self) -> Result<Vec<Namespace>>;

    /// Makes a namespace with an empty log, which begins at position 1.
    fn create_namespace(&mut self, name: &str, now_ms: u64) -> Result<Namespace>;

    /// Removes a namespace: it is gone at once and its name is free, and what it held is deleted by
    /// [`sweep`](Store::sweep).
    fn remove_namespace(&mut self, namespace: NamespaceId) -> Result<()>;

    /// Deletes up to so many rows of removed namespaces. Returns how many; 0 when none are left.
    fn sweep(&mut self, limit: usize) -> Result<u64>;

    /// Where the log of a namespace ends: the position of the next event.
    fn end(&mut self, namespace: NamespaceId) -> Result<u64>;

    /// Appends records as one commit: all of them, in all their namespaces, or none, together with
    /// what they consume. Each must begin where the log of its namespace ends.
    fn append(&mut self, records: &[Append<'_>]) -> Result<()>;

    /// What can't wait until nothing is waiting to be appended; much of it is done beside the commits
    /// that follow. Call it after each commit, when the answers have gone out.
    fn keep_up(&mut self) -> Result<()> {
        Ok(())
    }

    /// A moment for the store's own housekeeping, which `append` puts off so that nobody waits for
    /// it. Call it when nothing is waiting to be appended, or after the answers have gone out.
    fn tend(&mut self) -> Result<()>;

    /// Folds the log into the tables up to a position, as one commit.
    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<()>;

    /// Writes ended tasks to the history ahead of the checkpoint that will carry or cover them. A
    /// long list can be written in slices between appends this way; writing a task again replaces
    /// it.
    fn record(&mut self, namespace: NamespaceId, ended: &[HistoryRow]) -> Result<()>;

    /// Writes ahead up to so many rows of a checkpoint that is to be made next. They count only when
    /// what is [left](Sliced::rest) of it has been written too; if another checkpoint of the
    /// namespace is made instead, or it is loaded again, they are as if they had never been written.
    /// (Ended tasks are in the history at once, as after [`record`](Store::record).) Says whether
    /// there may be more to write ahead.
    fn stage(&mut self, checkpoint: &mut Sliced, limit: usize) -> Result<bool>;

    /// Hands out the rows of a namespace, its checkpoint position and the log from there on, in the
    /// order of [`Loaded`]. Every checksum is verified, that nothing is missing too; what shows only
    /// at the end is an error after rows were handed out, so use them only when this returned `Ok`.
    /// The visitor may stop it early.
    fn load(
        &mut self,
        namespace: NamespaceId,
        visit: &mut dyn FnMut(Loaded) -> ControlFlow<()>,
    ) -> Result<()>;

    /// Deletes up to so many history rows.
    fn purge(&mut self, namespace: NamespaceId, what: &Purge<'_>, limit: usize) -> Result<Purged>;

    /// Keeps a token.
    fn put_token(&mut self, token: &NewToken) -> Result<Token>;

    /// All tokens by id, revoked ones too.
    fn tokens(&mut self) -> Result<Vec<Token>>;

    /// Revokes a token. Says whether there was one that was not revoked yet.
    fn revoke_token(&mut self, id: u64, now_ms: u64) -> Result<bool>;

    /// Keeps a small named value of the whole store, or deletes it.
    fn put_setting(&mut self, name: &str, value: Option<&[u8]>) -> Result<()>;

    /// A small named value of the whole store.
    fn setting(&mut self, name: &str) -> Result<Option<Vec<u8>>>;

    /// A reader that is independent of this store and of every other reader.
    fn reader(&self) -> Result<Box<dyn Reader>>;

    /// A way to load namespaces beside this, so that a long load makes no other namespace wait; none
    /// if only this can.
    fn loader(&self) -> Option<Arc<dyn Loader>> {
        None
    }

    /// A namespace was loaded by a [`Loader`]: from now on it can be written to. Returns where its
    /// log ends.
    fn adopt(&mut self, namespace: NamespaceId) -> Result<u64> {
        self.end(namespace)
    }

    /// Closes the store in order, noting where its logs end. Dropping it instead loses nothing.
    fn stop(self: Box<Self>) -> Result<()>;
}

/// Loads namespaces that this process may write to, as [`Store::load`] does, from any thread.
pub trait Loader: Send + Sync {
    /// Hands out rows, position and records of a namespace, as of one moment. Returns where its log
    /// ends.
    fn load(
        &self,
        namespace: NamespaceId,
        visit: &mut dyn FnMut(Loaded) -> ControlFlow<()>,
    ) -> Result<u64>;
}

/// Reads history and log, each call as of one moment, without waiting for the writer or making it
/// wait. It sees everything whose append or checkpoint had returned when the call began.
///
/// No call scans more than a bound, whatever is in the store.
pub trait Reader: Send {
    /// The ended task of this id, or else the one that the id leads to; of several the one with the
    /// highest id.
    fn find(&mut self, namespace: NamespaceId, task: u64) -> Result<Option<HistoryRow>>;

    /// Ended tasks, highest id first, with ids below `before`.
    ///
    /// Group, error (with kind), schedule, parent, resource, kind and outcome have an index each, of
    /// which the first one in this order is used. Whatever else is asked for (a worker, a tag, times,
    /// an error without a kind) is looked for among those, at most
    /// [`LOOKS_MAX`](crate::limits::LOOKS_MAX) rows and
    /// [`ANSWER_BYTES_MAX`](crate::limits::ANSWER_BYTES_MAX) bytes per call; so an answer may be
    /// short, or empty, and still have a `next`.
    fn list(
        &mut self,
        namespace: NamespaceId,
        filter: &HistoryFilter,
        before: Option<u64>,
        limit: usize,
    ) -> Result<HistoryPage>;

    /// Failed tasks grouped by kind and error, the group with the latest task first.
    fn failures(&mut self, namespace: NamespaceId, limit: usize) -> Result<Vec<FailureGroup>>;

    /// For each kind and outcome, the latest task that ended so on this resource. By kind, then
    /// outcome.
    fn last_ended(&mut self, namespace: NamespaceId, resource: &str) -> Result<Vec<LastEnded>>;

    /// Records of the log that end after a position, oldest first, within
    /// [`ANSWER_BYTES_MAX`](crate::limits::ANSWER_BYTES_MAX) bytes.
    fn log(&mut self, namespace: NamespaceId, from: u64, limit: usize) -> Result<LogPage>;

    /// Up to when the history has everything: none if nothing was logged since the last checkpoint,
    /// otherwise the time of the last record that the checkpoint covers, or of the first that is
    /// there.
    fn folded_until(&mut self, namespace: NamespaceId) -> Result<Option<u64>>;

    /// Copies the whole store, as of one moment, to a data directory that must not exist yet. The
    /// first opening of the copy raises its generation. The writer goes on meanwhile.
    fn backup(&mut self, to: &Path) -> Result<()>;
}

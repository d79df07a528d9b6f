//! The committer: one thread that owns the store and writes for all cells of the process.
//!
//! Whatever batches have arrived become one commit; only then do their answers go. What fails is
//! told to everyone concerned: after a storage error nothing goes on from memory.

use crate::cell::{Batch, CellError, LoadError, load};
use crate::limits;
use interlock_core::Core;
use interlock_store::{Append, NamespaceId, Store, StoreError};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use tokio::sync::oneshot;
use tracing::{error, warn};

/// Something to be done with the store.
type Call = Box<dyn FnOnce(&mut dyn Store) + Send>;

enum Job {
    Batch(Batch),
    Call(Call),
    Stop(oneshot::Sender<Result<(), StoreError>>),
}

/// The way to the committer. Cheap to clone.
#[derive(Clone)]
pub struct Committer {
    jobs: Sender<Job>,
}

/// The committer is gone: the server is stopping, or the store failed for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the store is closed")]
pub struct Closed;

/// Figures of one commit, for whoever counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Batches in it.
    pub batches: usize,
    /// Bytes of events.
    pub bytes: usize,
    /// How long it took.
    pub took: std::time::Duration,
}

/// What the committer tells the rest of the process.
pub trait Watcher: Send + 'static {
    /// A commit was made.
    fn committed(&mut self, commit: Commit);
    /// The store can't be trusted any more: the process has to end.
    fn lost(&mut self, error: &StoreError);
}

impl Committer {
    /// Starts the thread.
    pub fn start(
        store: Box<dyn Store>,
        watcher: impl Watcher,
    ) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (jobs, inbox) = channel();
        let thread = std::thread::Builder::new()
            .name("committer".into())
            .spawn(move || Thread::new(store, inbox, Box::new(watcher)).run())?;
        Ok((Self { jobs }, thread))
    }

    /// Writes a batch; its answers go when that is done.
    pub fn write(&self, batch: Batch) {
        if let Err(unsent) = self.jobs.send(Job::Batch(batch))
            && let Job::Batch(batch) = unsent.0
        {
            batch.fail(CellError::Stopping);
        }
    }

    /// Does something with the store, between two commits, and waits for it.
    pub fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&mut dyn Store) -> T + Send + 'static,
    ) -> Result<T, Closed> {
        let (to, answer) = channel();
        self.send(move |store| {
            let _gone = to.send(call(store));
        })?;
        answer.recv().map_err(|_| Closed)
    }

    /// The same without blocking the thread.
    pub async fn call_async<T: Send + 'static>(
        &self,
        call: impl FnOnce(&mut dyn Store) -> T + Send + 'static,
    ) -> Result<T, Closed> {
        let (to, answer) = oneshot::channel();
        self.send(move |store| {
            let _gone = to.send(call(store));
        })?;
        answer.await.map_err(|_| Closed)
    }

    fn send(&self, call: impl FnOnce(&mut dyn Store) + Send + 'static) -> Result<(), Closed> {
        self.jobs
            .send(Job::Call(Box::new(call)))
            .map_err(|_| Closed)
    }

    /// Loads a namespace.
    pub fn load(
        &self,
        namespace: NamespaceId,
        hash_seed: u64,
    ) -> Result<Result<Core, LoadError>, Closed> {
        self.call(move |store| load(store, namespace, hash_seed))
    }

    /// Closes the store in order, after everything that was sent before.
    pub async fn stop(&self) -> Result<Result<(), StoreError>, Closed> {
        let (to, done) = oneshot::channel();
        self.jobs.send(Job::Stop(to)).map_err(|_| Closed)?;
        done.await.map_err(|_| Closed)
    }
}

struct Thread {
    store: Box<dyn Store>,
    inbox: Receiver<Job>,
    watcher: Box<dyn Watcher>,
    /// Jobs that arrived and wait for the commit under way.
    waiting: VecDeque<Job>,
    lost: bool,
}

impl Thread {
    fn new(store: Box<dyn Store>, inbox: Receiver<Job>, watcher: Box<dyn Watcher>) -> Self {
        Self {
            store,
            inbox,
            watcher,
            waiting: VecDeque::new(),
            lost: false,
        }
    }

    fn run(mut self) {
        while let Some(job) = self.next() {
            match job {
                Job::Batch(batch) => {
                    let batches = self.gather(batch);
                    self.commit(batches);
                }
                Job::Call(call) => call(&mut *self.store),
                Job::Stop(done) => {
                    let _gone = done.send(self.store.stop());
                    return;
                }
            }
        }
    }

    fn next(&mut self) -> Option<Job> {
        match self.waiting.pop_front() {
            Some(job) => Some(job),
            None => self.inbox.recv().ok(),
        }
    }

    /// This batch and those that have arrived behind it, up to a checkpoint or another job.
    fn gather(&mut self, first: Batch) -> Vec<Batch> {
        self.waiting.extend(self.inbox.try_iter());
        let mut bytes = first.bytes.len();
        let mut batches = vec![first];
        while batches.last().is_some_and(|last| last.checkpoint.is_none())
            && bytes < limits::COMMIT_BYTES_MAX
        {
            match self.waiting.pop_front() {
                Some(Job::Batch(batch)) => {
                    bytes += batch.bytes.len();
                    batches.push(batch);
                }
                Some(other) => {
                    self.waiting.push_front(other);
                    break;
                }
                None => break,
            }
        }
        batches
    }

    fn commit(&mut self, batches: Vec<Batch>) {
        // What a cell decided before its store failed counts no more.
        let (batches, old): (Vec<_>, Vec<_>) =
            batches.into_iter().partition(|batch| batch.is_current());
        for batch in old {
            batch.fail(CellError::Unknown);
        }
        if let Err(error) = self.append(&batches) {
            return self.fail(batches, &error);
        }
        for mut batch in batches {
            batch.release();
            match self.checkpoint(&batch) {
                Ok(()) => batch.done(),
                Err(error) => self.fail(vec![batch], &error),
            }
        }
        if let Err(error) = self.store.tend() {
            self.note(&error);
        }
    }

    fn append(&mut self, batches: &[Batch]) -> Result<(), StoreError> {
        let records: Vec<Append<'_>> = (batches.iter())
            .filter(|batch| !batch.bytes.is_empty())
            .map(|batch| Append {
                namespace: batch.namespace,
                position: batch.positions.0,
                next: batch.positions.1,
                at_ms: batch.at_ms,
                bytes: &batch.bytes,
            })
            .collect();
        if records.is_empty() {
            return Ok(());
        }
        let begun = std::time::Instant::now();
        self.store.append(&records)?;
        self.watcher.committed(Commit {
            batches: records.len(),
            bytes: records.iter().map(|record| record.bytes.len()).sum(),
            took: begun.elapsed(),
        });
        Ok(())
    }

    /// Rows are written after the answers have gone: the log has everything already.
    fn checkpoint(&mut self, batch: &Batch) -> Result<(), StoreError> {
        match &batch.checkpoint {
            Some(checkpoint) => self.store.checkpoint(checkpoint),
            None => Ok(()),
        }
    }

    fn fail(&mut self, batches: Vec<Batch>, error: &StoreError) {
        self.note(error);
        let answer = match error {
            StoreError::Full { .. } => CellError::Full,
            error if error.retryable() => CellError::Loading,
            _ => CellError::Unknown,
        };
        for batch in batches {
            batch.fail(answer);
        }
    }

    fn note(&mut self, error: &StoreError) {
        if error.retryable() {
            warn!(%error, "the store refused a write");
        } else if !self.lost {
            self.lost = true;
            error!(%error, "the store failed");
            self.watcher.lost(error);
        }
    }
}

//! The committer: one thread that owns the store and writes for all cells of the process.
//!
//! Whatever batches have arrived become one commit; only then do their answers go. What fails is
//! told to everyone concerned: after a storage error nothing goes on from memory.

mod foldings;
mod joined;

use crate::cell::{Batch, CellError, LoadError, Release, load, load_beside};
use crate::limits;
use foldings::Foldings;
use interlock_core::Core;
use interlock_store::{Append, Loader, NamespaceId, Store, StoreError};
use joined::Joined;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tracing::{error, warn};

/// Something to be done with the store.
type Call = Box<dyn FnOnce(&mut dyn Store) + Send>;

enum Job {
    Batch(Box<Batch>),
    /// After every checkpoint that is under way.
    Call(Call),
    /// Between two slices of one.
    Look(Call),
    Stop(oneshot::Sender<Result<(), StoreError>>),
}

/// The way to the committer. Cheap to clone.
#[derive(Clone)]
pub struct Committer {
    jobs: Sender<Job>,
    loader: Option<Arc<dyn Loader>>,
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
        let runtime = Handle::try_current().ok();
        let loader = store.loader();
        let thread = std::thread::Builder::new()
            .name("committer".into())
            .spawn(move || Thread::new(store, inbox, Box::new(watcher), runtime).run())?;
        Ok((Self { jobs, loader }, thread))
    }

    /// Writes a batch; its answers go when that is done.
    pub fn write(&self, batch: Batch) {
        if let Err(unsent) = self.jobs.send(Job::Batch(Box::new(batch)))
            && let Job::Batch(batch) = unsent.0
        {
            batch.fail(CellError::Stopping);
        }
    }

    /// Does something with the store, between two commits and after every checkpoint that is under
    /// way.
    pub async fn call_async<T: Send + 'static>(
        &self,
        call: impl FnOnce(&mut dyn Store) -> T + Send + 'static,
    ) -> Result<T, Closed> {
        let (to, answer) = oneshot::channel();
        self.send(Job::Call(Box::new(move |store| {
            let _gone = to.send(call(store));
        })))?;
        answer.await.map_err(|_| Closed)
    }

    /// The same for what has nothing to do with tasks or history, so that no checkpoint has to be
    /// complete.
    pub async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&mut dyn Store) -> T + Send + 'static,
    ) -> Result<T, Closed> {
        let (to, answer) = oneshot::channel();
        self.send(Job::Look(Box::new(move |store| {
            let _gone = to.send(look(store));
        })))?;
        answer.await.map_err(|_| Closed)
    }

    fn send(&self, job: Job) -> Result<(), Closed> {
        self.jobs.send(job).map_err(|_| Closed)
    }

    /// Loads a namespace; if the store can, beside everything else that goes on.
    pub fn load(
        &self,
        namespace: NamespaceId,
        hash_seed: u64,
    ) -> Result<Result<Core, LoadError>, Closed> {
        match &self.loader {
            None => self.wait_for(Job::Call, move |store| load(store, namespace, hash_seed)),
            Some(loader) => match load_beside(&**loader, namespace, hash_seed) {
                Ok(core) => self.adopt(namespace, core),
                Err(error) => Ok(Err(error)),
            },
        }
    }

    /// From now on the store takes what is decided upon this.
    fn adopt(&self, namespace: NamespaceId, core: Core) -> Result<Result<Core, LoadError>, Closed> {
        let loaded = core.position();
        let end = self.wait_for(Job::Look, move |store| store.adopt(namespace))?;
        Ok(match end {
            Ok(end) if end == loaded => Ok(core),
            Ok(end) => Err(LoadError::WentOn {
                namespace,
                loaded,
                end,
            }),
            Err(error) => Err(error.into()),
        })
    }

    /// Has something done with the store, and blocks until it is.
    fn wait_for<T: Send + 'static>(
        &self,
        job: impl FnOnce(Call) -> Job,
        call: impl FnOnce(&mut dyn Store) -> T + Send + 'static,
    ) -> Result<T, Closed> {
        let (to, answer) = channel();
        self.send(job(Box::new(move |store| {
            let _gone = to.send(call(store));
        })))?;
        answer.recv().map_err(|_| Closed)
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
    foldings: Foldings,
    /// Whether the store may want a moment for itself.
    untended: bool,
    /// Whether nobody has come since there was time for that.
    quiet: bool,
    /// Where the answers are sent from.
    runtime: Option<Handle>,
    lost: bool,
}

impl Thread {
    fn new(
        store: Box<dyn Store>,
        inbox: Receiver<Job>,
        watcher: Box<dyn Watcher>,
        runtime: Option<Handle>,
    ) -> Self {
        Self {
            store,
            inbox,
            watcher,
            waiting: VecDeque::new(),
            foldings: Foldings::default(),
            untended: true,
            quiet: false,
            runtime,
            lost: false,
        }
    }

    fn run(mut self) {
        loop {
            self.foldings.drop_old();
            match self.next() {
                Ok(Job::Batch(batch)) => {
                    let batches = self.gather(*batch);
                    let events: u64 = batches.iter().map(Batch::events).sum();
                    self.commit(batches);
                    self.fold_what_is_owed(events);
                }
                Ok(Job::Call(call)) => {
                    self.finish_folding();
                    call(&mut *self.store);
                }
                Ok(Job::Look(look)) => look(&mut *self.store),
                Ok(Job::Stop(done)) => {
                    self.finish_folding();
                    let _gone = done.send(self.store.stop());
                    return;
                }
                Err(RecvTimeoutError::Timeout) => self.idle(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// The next job. Waits for one, unless nobody has come for a while and there is something else to
    /// do.
    fn next(&mut self) -> Result<Job, RecvTimeoutError> {
        match self.waiting.pop_front() {
            Some(job) => Ok(job),
            None if !self.foldings.are_due() && !self.untended => {
                (self.inbox.recv()).map_err(|_| RecvTimeoutError::Disconnected)
            }
            None if self.quiet => self.inbox.try_recv().map_err(|error| match error {
                TryRecvError::Empty => RecvTimeoutError::Timeout,
                TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
            }),
            None => self.inbox.recv_timeout(match self.foldings.are_due() {
                true => limits::IDLE_AFTER,
                false => limits::TEND_AFTER,
            }),
        }
    }

    /// There is time for what nobody waits for.
    fn idle(&mut self) {
        self.quiet = true;
        match self.foldings.are_due() {
            true => self.fold(limits::FOLD_WHEN_IDLE),
            false => self.tend(),
        }
    }

    fn tend(&mut self) {
        self.untended = false;
        if let Err(error) = self.store.tend() {
            self.note(&error);
        }
    }

    /// This batch and those that have arrived behind it, up to another job.
    fn gather(&mut self, first: Batch) -> Vec<Batch> {
        self.waiting.extend(self.inbox.try_iter());
        let mut bytes = first.bytes.len();
        let mut batches = vec![first];
        while bytes < limits::COMMIT_BYTES_MAX {
            match self.waiting.pop_front() {
                Some(Job::Batch(batch)) => {
                    bytes += batch.bytes.len();
                    batches.push(*batch);
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
        let (batches, old): (Vec<_>, Vec<_>) = batches
            .into_iter()
            .partition(|batch| batch.origin.is_current());
        for batch in old {
            batch.fail(CellError::Unknown);
        }
        let Some(batches) = self.append_owned(batches) else {
            return;
        };
        let mut releases = Vec::new();
        for mut batch in batches {
            if let Some(part) = batch.part.take() {
                self.foldings.add(&batch.origin, part);
            }
            releases.append(&mut batch.committed());
        }
        self.release(releases);
        self.untended = true;
    }

    /// Appends what may be: batches of a namespace that is another node's now, or that consume what
    /// is gone, fail by themselves.
    fn append_owned(&mut self, mut batches: Vec<Batch>) -> Option<Vec<Batch>> {
        loop {
            match self.append(&batches) {
                Ok(()) => return Some(batches),
                Err(
                    error @ (StoreError::NotOwned { namespace, .. }
                    | StoreError::NotPending { namespace }),
                ) => {
                    let (lost, kept): (Vec<_>, Vec<_>) = (batches.into_iter())
                        .partition(|batch| batch.origin.namespace == namespace);
                    let none = lost.is_empty() || kept.is_empty();
                    self.fail(lost, &error);
                    if none {
                        self.fail(kept, &error);
                        return None;
                    }
                    batches = kept;
                }
                Err(error) => {
                    self.fail(batches, &error);
                    return None;
                }
            }
        }
    }

    fn append(&mut self, batches: &[Batch]) -> Result<(), StoreError> {
        let joined = Joined::of(batches);
        let records: Vec<Append<'_>> = joined.iter().map(Joined::append).collect();
        if records.is_empty() {
            return Ok(());
        }
        let begun = std::time::Instant::now();
        self.store.append(&records)?;
        self.watcher.committed(Commit {
            batches: batches.len(),
            bytes: joined.iter().map(Joined::len).sum(),
            took: begun.elapsed(),
        });
        Ok(())
    }

    /// Lets answers go. On a thread of the runtime, where waking whoever waits for one is cheap.
    fn release(&self, releases: Vec<Release>) {
        let release = move || releases.into_iter().for_each(|release| release(Ok(())));
        match &self.runtime {
            Some(runtime) => drop(runtime.spawn(async { release() })),
            None => release(),
        }
    }

    /// Checkpoints keep up with what is logged.
    fn fold_what_is_owed(&mut self, events: u64) {
        self.quiet = false;
        if let Some(rows) = self.foldings.rows_due(events) {
            self.fold(rows);
        }
    }

    fn fold(&mut self, rows: u64) {
        self.foldings.drop_old();
        if let Err((origin, error)) = self.foldings.write(&mut *self.store, rows) {
            let answer = self.answer_to(&error);
            origin.fail(answer);
        }
        self.untended = true;
    }

    /// Whoever loads or removes a namespace finds no checkpoint of it half made: a cell that has
    /// stopped has given out all of its last one, and what came from a life that is over counts no
    /// more.
    fn finish_folding(&mut self) {
        while self.foldings.are_due() {
            self.fold(limits::FOLD_WHEN_IDLE);
        }
    }

    fn fail(&mut self, batches: Vec<Batch>, error: &StoreError) {
        let answer = self.answer_to(error);
        for batch in batches {
            batch.fail(answer);
        }
    }

    /// Notes an error; what those are told whom it concerns.
    fn answer_to(&mut self, error: &StoreError) -> CellError {
        self.note(error);
        match error {
            StoreError::Full { .. } => CellError::Full,
            StoreError::NotOwned { .. } => CellError::Moved,
            // It was taken by a commit that this cell had no answer to; now it looks again.
            StoreError::NotPending { .. } => CellError::Loading,
            error if error.retryable() => CellError::Loading,
            _ => CellError::Unknown,
        }
    }

    fn note(&mut self, error: &StoreError) {
        if error.retryable() || error.heals_by_loading() {
            warn!(%error, "the store refused a write");
        } else if !self.lost {
            self.lost = true;
            error!(%error, "the store failed");
            self.watcher.lost(error);
        }
    }
}

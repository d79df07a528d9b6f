//! The committer: writes for all cells of the process.
//!
//! Whatever batches have arrived become one commit; only then do their answers go. What fails is
//! told to everyone concerned: after a storage error nothing goes on from memory.
//!
//! This is the door. A thread does what is asked here one after another, and in between
//! what nobody waits for. A cell that finds nobody else with the store, and commits short, uses the
//! same writer by itself.

mod foldings;
mod joined;
mod thread;
mod writer;

use crate::cell::{Batch, CellError, LoadError, load, load_beside};
use crate::limits;
use interlock_core::Core;
use interlock_store::{Loader, NamespaceId, Store, StoreError};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use thread::Thread;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use writer::{Desk, Writer};

/// Something to be done with the store.
type Call = Box<dyn FnOnce(&mut dyn Store) + Send>;

enum Job {
    /// Look again what there is to do: a cell has used the writer.
    Wake,
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
    desk: Arc<Desk>,
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
        let desk = Arc::new(Desk::new(Writer::new(store, Box::new(watcher), runtime)));
        let thread = Thread::new(desk.clone(), inbox);
        let thread = std::thread::Builder::new()
            .name("committer".into())
            .spawn(move || thread.run())?;
        Ok((Self { jobs, desk, loader }, thread))
    }

    /// Writes a batch; its answers go when that is done. A small one at once, if commits are short and
    /// nobody else has anything to write: then waking another thread would take as long as the commit.
    pub fn write(&self, batch: Batch) {
        let is_small = batch.bytes.len() <= limits::WRITE_AT_ONCE_BYTES;
        if is_small && let Some(mut writer) = self.desk.free() {
            writer.write(vec![batch]);
            if writer.wakes_thread() {
                let _stopped = self.jobs.send(Job::Wake);
            }
            return;
        }
        if let Err(unsent) = self.announce(Job::Batch(Box::new(batch)))
            && let Job::Batch(batch) = unsent
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
        self.announce(job).map_err(|_| Closed)
    }

    /// Until the job is done nobody passes it by.
    fn announce(&self, job: Job) -> Result<(), Job> {
        self.desk.announce();
        self.jobs.send(job).map_err(|unsent| unsent.0)
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
        self.send(Job::Stop(to))?;
        done.await.map_err(|_| Closed)
    }
}

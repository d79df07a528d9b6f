//! The server: its namespaces, the readers of its store, and who may come in.

mod namespaces;
mod readers;
mod tokens;

pub use namespaces::{Hosted, Namespaces};
pub use readers::Readers;
pub use tokens::{Caller, Tokens, hash, parse_scopes, scopes_text};

use crate::cluster::{Cluster, NodeConfig, Sole, Tenure};
use crate::committer::{Commit, Committer, Watcher};
use crate::metrics::{CommitMetrics, Metrics};
use interlock_store::{Namespace, PostgresStore, Store, StoreError};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};

/// The namespace that is there from the beginning, and meant where none is named.
pub const DEFAULT_NAMESPACE: &str = "default";

/// Everything that the routes share.
pub struct Server {
    /// The namespaces.
    pub namespaces: Namespaces,
    /// Reads history and log.
    pub readers: Readers,
    /// Who may come in.
    pub tokens: Tokens,
    /// Which store it is, in a word.
    pub store: &'static str,
    /// What is counted.
    pub metrics: Metrics,
    /// When it was started.
    pub started: Instant,
    /// The cluster that it is a node of, if it is.
    pub cluster: Option<Arc<Cluster>>,
    keeping: std::sync::Mutex<Option<Keeping>>,
    stopping: watch::Sender<bool>,
    committer: Committer,
    committing: std::sync::Mutex<Option<JoinHandle<()>>>,
    lost: Lost,
}

/// Why a server can't be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store says so.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system does.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
    /// The store was closed again.
    #[error(transparent)]
    Closed(#[from] crate::committer::Closed),
}

impl Server {
    /// Opens every namespace of a store, and the default one if there is none. `lost` is called if
    /// the store can't be trusted any more: the process has to end then.
    pub fn start(
        mut store: Box<dyn Store>,
        kind: &'static str,
        lost: impl FnOnce(&StoreError) + Send + 'static,
    ) -> Result<Arc<Self>, StartError> {
        let now = crate::clock::wall().0;
        let mut rows = store.namespaces()?;
        if rows.is_empty() {
            rows.push(store.create_namespace(DEFAULT_NAMESPACE, now)?);
        }
        Self::begin((store, kind), rows, Arc::new(Sole), None, Box::new(lost))
    }

    /// Becomes one of several nodes on a database. It serves what falls to it, and passes on what is
    /// for others.
    pub async fn start_node(
        mut store: PostgresStore,
        config: NodeConfig,
        lost: impl FnOnce(&StoreError) + Send + 'static,
    ) -> Result<Arc<Self>, StartError> {
        let now = crate::clock::wall().0;
        if store.namespaces()?.is_empty() {
            match store.create_namespace(DEFAULT_NAMESPACE, now) {
                // Another node was faster.
                Ok(_) | Err(StoreError::NameTaken(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let cluster = Arc::new(Cluster::new(config, store.ownership()));
        while let Err(error) = cluster.join().await {
            let StoreError::NodeAlive { left, .. } = error else {
                return Err(error.into());
            };
            // Most likely this node itself, which was killed a moment ago.
            tracing::warn!(%error, "waiting for the lease of a node of this name to end");
            tokio::time::sleep(left.max(Duration::from_millis(100))).await;
        }
        let inbox = store.inbox();
        let (store, tenure) = (Box::new(store), cluster.clone());
        let server = Self::begin(
            (store, "postgres"),
            Vec::new(),
            tenure,
            Some(cluster.clone()),
            Box::new(lost),
        )?;
        crate::cluster::inbox::start(inbox, &server)?;
        let (stop, stopped) = oneshot::channel();
        let kept = tokio::spawn(cluster.keep(server.clone(), stopped));
        if let Ok(mut keeping) = server.keeping.lock() {
            *keeping = Some(Keeping { stop, kept });
        }
        Ok(server)
    }

    fn begin(
        (mut store, kind): (Box<dyn Store>, &'static str),
        rows: Vec<Namespace>,
        tenure: Arc<dyn Tenure>,
        cluster: Option<Arc<Cluster>>,
        lost: OnLost,
    ) -> Result<Arc<Self>, StartError> {
        let tokens = Tokens::new(store.tokens()?);
        let readers = Readers::open(&*store)?;
        let generation = store.generation();
        let metrics = Metrics::default();
        let lost = Lost(Arc::new(std::sync::Mutex::new(Some(lost))));
        let watching = Watching {
            commits: metrics.commits(),
            lost: lost.clone(),
        };
        let (committer, thread) = Committer::start(store, watching)?;
        let namespaces =
            Namespaces::start(rows, generation, committer.clone(), metrics.clone(), tenure)?;
        Ok(Arc::new(Self {
            namespaces,
            readers,
            tokens,
            store: kind,
            metrics,
            started: Instant::now(),
            cluster,
            keeping: std::sync::Mutex::new(None),
            stopping: watch::Sender::new(false),
            committer,
            committing: std::sync::Mutex::new(Some(thread)),
            lost,
        }))
    }

    /// The store can't be trusted any more: the process has to end.
    pub(crate) fn lose(&self, error: &StoreError) {
        self.lost.tell(error);
    }

    /// The way to the store.
    pub fn committer(&self) -> &Committer {
        &self.committer
    }

    /// Tells those who wait for something to happen that nothing will: no new connections come in.
    pub fn begin_stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Whether the server has begun to stop.
    pub fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Returns when the server begins to stop.
    pub async fn stopping(&self) {
        let mut stopping = self.stopping.subscribe();
        let _never_dropped = stopping.wait_for(|stopping| *stopping).await;
    }

    /// Stops every cell in order and closes the store.
    pub async fn stop(&self) -> Result<(), StartError> {
        let keeping = self
            .keeping
            .lock()
            .ok()
            .and_then(|mut keeping| keeping.take());
        if let Some(Keeping { stop, kept }) = keeping {
            let _gone = stop.send(());
            let _panicked = kept.await;
        }
        self.namespaces.stop().await;
        self.committer.stop().await??;
        let thread = self
            .committing
            .lock()
            .ok()
            .and_then(|mut thread| thread.take());
        if let Some(thread) = thread {
            let _panicked = tokio::task::spawn_blocking(move || thread.join()).await;
        }
        Ok(())
    }
}

/// What keeps this node in the cluster.
struct Keeping {
    stop: oneshot::Sender<()>,
    kept: tokio::task::JoinHandle<()>,
}

/// Counts commits, and passes the end of all on.
struct Watching {
    commits: CommitMetrics,
    lost: Lost,
}

/// Tells whoever wants to know that the store can't be trusted any more; once.
#[derive(Clone)]
struct Lost(Arc<std::sync::Mutex<Option<OnLost>>>);

impl Lost {
    fn tell(&self, error: &StoreError) {
        let lost = self.0.lock().ok().and_then(|mut lost| lost.take());
        if let Some(lost) = lost {
            lost(error);
        }
    }
}

/// Called once, when the store can't be trusted any more.
type OnLost = Box<dyn FnOnce(&StoreError) + Send>;

impl Watcher for Watching {
    fn committed(&mut self, commit: Commit) {
        self.commits.note(&commit);
    }

    fn lost(&mut self, error: &StoreError) {
        self.lost.tell(error);
    }
}

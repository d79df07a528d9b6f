//! The server: its namespaces, the readers of its store, and who may come in.

mod namespaces;
mod readers;
mod tokens;

pub use namespaces::{Hosted, Namespaces};
pub use readers::Readers;
pub use tokens::{Caller, Tokens, hash, parse_scopes, scopes_text};

use crate::committer::{Committer, Watcher};
use interlock_store::{Store, StoreError};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;
use tokio::sync::watch;

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
    /// When it was started.
    pub started: Instant,
    stopping: watch::Sender<bool>,
    committer: Committer,
    committing: std::sync::Mutex<Option<JoinHandle<()>>>,
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
    /// Opens every namespace of a store, and the default one if there is none.
    pub fn start(
        mut store: Box<dyn Store>,
        kind: &'static str,
        watcher: impl Watcher,
    ) -> Result<Arc<Self>, StartError> {
        let now = crate::clock::wall().0;
        let mut rows = store.namespaces()?;
        if rows.is_empty() {
            rows.push(store.create_namespace(DEFAULT_NAMESPACE, now)?);
        }
        let tokens = Tokens::new(store.tokens()?);
        let readers = Readers::open(&*store)?;
        let generation = store.generation();
        let (committer, thread) = Committer::start(store, watcher)?;
        let namespaces = Namespaces::start(rows, generation, committer.clone())?;
        Ok(Arc::new(Self {
            namespaces,
            readers,
            tokens,
            store: kind,
            started: Instant::now(),
            stopping: watch::Sender::new(false),
            committer,
            committing: std::sync::Mutex::new(Some(thread)),
        }))
    }

    /// The way to the store.
    pub fn committer(&self) -> &Committer {
        &self.committer
    }

    /// Tells those who wait for something to happen that nothing will: no new connections come in.
    pub fn begin_stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Returns when the server begins to stop.
    pub async fn stopping(&self) {
        let mut stopping = self.stopping.subscribe();
        let _never_dropped = stopping.wait_for(|stopping| *stopping).await;
    }

    /// Stops every cell in order and closes the store.
    pub async fn stop(&self) -> Result<(), StartError> {
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

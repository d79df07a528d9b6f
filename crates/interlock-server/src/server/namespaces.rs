//! The namespaces that this process serves.

use crate::cell::{self, Cell};
use crate::cluster::Tenure;
use crate::committer::Committer;
use crate::metrics::Metrics;
use interlock_store::{Namespace, NamespaceId};
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};
use std::thread::JoinHandle;

/// A namespace that is served here.
pub struct Hosted {
    /// Its number.
    pub id: NamespaceId,
    /// Its name.
    pub name: String,
    /// When it was created.
    pub created_ms: u64,
    /// The door to it.
    pub cell: Cell,
    thread: std::sync::Mutex<Option<JoinHandle<()>>>,
}

/// All of them, by name.
pub struct Namespaces {
    by_name: RwLock<BTreeMap<String, Arc<Hosted>>>,
    generation: u32,
    committer: Committer,
    metrics: Metrics,
    tenure: Arc<dyn Tenure>,
}

impl Namespaces {
    pub(super) fn start(
        rows: Vec<Namespace>,
        generation: u32,
        committer: Committer,
        metrics: Metrics,
        tenure: Arc<dyn Tenure>,
    ) -> std::io::Result<Self> {
        let namespaces = Self {
            by_name: RwLock::default(),
            generation,
            committer,
            metrics,
            tenure,
        };
        for row in rows {
            namespaces.host(row)?;
        }
        Ok(namespaces)
    }

    /// Begins to serve a namespace.
    pub fn host(&self, row: Namespace) -> std::io::Result<Arc<Hosted>> {
        let metrics = self.metrics.decisions(&row.name);
        let committer = self.committer.clone();
        let (cell, thread) = cell::start(
            row.id,
            self.generation,
            committer,
            metrics,
            self.tenure.clone(),
        )?;
        let hosted = Arc::new(Hosted {
            id: row.id,
            name: row.name.clone(),
            created_ms: row.created_ms,
            cell,
            thread: std::sync::Mutex::new(Some(thread)),
        });
        self.write().insert(row.name, hosted.clone());
        Ok(hosted)
    }

    /// The namespace of this name.
    pub fn find(&self, name: &str) -> Option<Arc<Hosted>> {
        self.read().get(name).cloned()
    }

    /// All of them, by name.
    pub fn all(&self) -> Vec<Arc<Hosted>> {
        self.read().values().cloned().collect()
    }

    /// Serves a namespace no more.
    pub async fn drop(&self, name: &str) {
        let hosted = self.write().remove(name);
        if let Some(hosted) = hosted {
            hosted.stop().await;
        }
    }

    /// Stops all of them in order.
    pub(super) async fn stop(&self) {
        for hosted in self.all() {
            hosted.stop().await;
        }
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, BTreeMap<String, Arc<Hosted>>> {
        self.by_name
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, BTreeMap<String, Arc<Hosted>>> {
        self.by_name
            .write()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Hosted {
    async fn stop(&self) {
        self.cell.stop().await;
        let thread = self.thread.lock().ok().and_then(|mut thread| thread.take());
        if let Some(thread) = thread {
            let _panicked = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }
}

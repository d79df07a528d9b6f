//! Readers of history and log. A query blocks its thread, so it runs on one made for that.

use interlock_store::{Reader, Store, StoreError};
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

/// How many queries run at the same time.
const READERS: usize = 4;

/// A few readers, used in turn.
#[derive(Clone)]
pub struct Readers {
    idle: Arc<Mutex<Vec<Box<dyn Reader>>>>,
    free: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn open(store: &dyn Store) -> Result<Self, StoreError> {
        let readers: Result<Vec<_>, _> = (0..READERS).map(|_| store.reader()).collect();
        Ok(Self {
            idle: Arc::new(Mutex::new(readers?)),
            free: Arc::new(Semaphore::new(READERS)),
        })
    }

    /// Runs a query. None if the server is stopping.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&mut dyn Reader) -> Result<T, StoreError> + Send + 'static,
    ) -> Option<Result<T, StoreError>> {
        let _permit = self.free.clone().acquire_owned().await.ok()?;
        let idle = self.idle.clone();
        let work = tokio::task::spawn_blocking(move || {
            let mut reader = lock(&idle).pop()?;
            let answer = read(&mut *reader);
            lock(&idle).push(reader);
            Some(answer)
        });
        work.await.ok()?
    }
}

fn lock(idle: &Mutex<Vec<Box<dyn Reader>>>) -> std::sync::MutexGuard<'_, Vec<Box<dyn Reader>>> {
    idle.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

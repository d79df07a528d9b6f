//! The barest thing that keeps what it acknowledges: one thread, and one append to a store of its own
//! for whatever has arrived. It decides nothing, so that what it takes is what the disk and waiting for
//! it take.

use crate::cell::CellError;
use crate::limits;
use interlock_store::{Append, SqliteStore, Store, StoreError};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender, channel};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tracing::error;

/// Keeps bytes in a directory, which is made when the first come.
pub(super) struct Keeper {
    dir: PathBuf,
    inbox: OnceLock<Sender<Item>>,
}

struct Item {
    bytes: Vec<u8>,
    to: oneshot::Sender<()>,
}

impl Keeper {
    pub(super) fn new(dir: PathBuf) -> Self {
        let inbox = OnceLock::new();
        Self { dir, inbox }
    }

    /// Returns when they are on the disk.
    pub(super) async fn keep(&self, bytes: Vec<u8>) -> Result<(), CellError> {
        let (to, kept) = oneshot::channel();
        let inbox = self.inbox.get_or_init(|| start(self.dir.clone()));
        let sent = inbox.send(Item { bytes, to });
        sent.map_err(|_| CellError::Unknown)?;
        kept.await.map_err(|_| CellError::Unknown)
    }
}

fn start(dir: PathBuf) -> Sender<Item> {
    let (inbox, items) = channel();
    let runtime = Handle::current();
    // Whoever waits for an answer notices that the thread is gone.
    std::thread::spawn(move || {
        if let Err(error) = run(&dir, &items, &runtime) {
            error!(%error, "what was to be echoed can't be kept");
        }
    });
    inbox
}

fn run(dir: &Path, inbox: &Receiver<Item>, runtime: &Handle) -> Result<(), StoreError> {
    let mut store = SqliteStore::open(dir)?;
    let namespace = match store.namespaces()?.pop() {
        Some(namespace) => namespace.id,
        None => store.create_namespace("echo", 0)?.id,
    };
    let mut position = store.end(namespace)?;
    while let Ok(first) = inbox.recv() {
        let more = inbox.try_iter().take(limits::BATCH_REQUESTS_MAX);
        let items: Vec<Item> = std::iter::once(first).chain(more).collect();
        let bytes: Vec<&[u8]> = items.iter().map(|item| item.bytes.as_slice()).collect();
        let next = position + items.len() as u64;
        store.append(&[Append {
            namespace,
            position,
            next,
            at_ms: 0,
            bytes: &bytes.concat(),
            consumed: &[],
        }])?;
        position = next;
        runtime.spawn(async move {
            for item in items {
                let _gone = item.to.send(());
            }
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use interlock_store::LogPage;
    use std::time::{Duration, Instant};

    #[tokio::test]
    async fn what_is_answered_is_in_the_store() {
        let data = tempfile::tempdir().expect("a directory");
        let dir = data.path().join("echo");
        let keeper = Keeper::new(dir.clone());
        for bytes in ["first", "second"] {
            keeper.keep(bytes.into()).await.expect("there is room");
        }
        drop(keeper);
        let mut store = closed_by_keeper(&dir).await;
        let namespace = store.namespaces().expect("it can be read")[0].id;
        let mut reader = store.reader().expect("it can be read");
        let page = reader.log(namespace, 1, 10).expect("it can be read");
        let LogPage::Records(records) = page else {
            panic!("the beginning is gone: {page:?}");
        };
        let kept: Vec<&[u8]> = records.iter().map(|record| &record.bytes[..]).collect();
        assert_eq!(kept, [&b"first"[..], b"second"]);
    }

    /// The store, once the thread has let go of it.
    async fn closed_by_keeper(dir: &Path) -> SqliteStore {
        let begun = Instant::now();
        loop {
            match SqliteStore::open(dir) {
                Ok(store) => return store,
                Err(error) => assert!(begun.elapsed() < Duration::from_secs(20), "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

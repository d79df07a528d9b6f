//! Retention: what has expired leaves the history, a slice at a time between commits, and so does
//! what removed namespaces left behind.

use crate::clock;
use crate::limits;
use crate::server::Server;
use interlock_store::{NamespaceId, Purge, StoreError};
use std::sync::Arc;
use tracing::{debug, warn};

/// Purges now and then, as long as the server runs.
pub async fn keep_purging(server: Arc<Server>) {
    let mut every = tokio::time::interval(limits::PURGE_EVERY);
    loop {
        every.tick().await;
        for hosted in server.namespaces.all() {
            if let Err(error) = purge(&server, hosted.id).await {
                warn!(%error, namespace = hosted.name, "expired tasks could not be purged");
            }
        }
        while let Ok(Ok(1..)) = (server.committer())
            .call_async(|store| store.sweep(limits::PURGE_SLICE))
            .await
        {}
    }
}

async fn purge(server: &Server, namespace: NamespaceId) -> Result<(), StoreError> {
    loop {
        let slice = server.committer().call_async(move |store| {
            let now_ms = clock::wall().0;
            store.purge(namespace, &Purge::Expired { now_ms }, limits::PURGE_SLICE)
        });
        let Ok(purged) = slice.await else {
            return Ok(());
        };
        let purged = purged?;
        debug!(%namespace, rows = purged.rows, "purged");
        if !purged.more {
            return Ok(());
        }
    }
}

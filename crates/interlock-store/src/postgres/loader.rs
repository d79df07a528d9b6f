//! Loading namespaces beside the writer, each on a connection that is made for it.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::ledger::Space;
use super::link::{Link, Shared};
use super::reader::SNAPSHOT;
use super::{load, owned};
use crate::error::StoreError;
use crate::store::{Loader, Result};
use crate::types::{Loaded, NamespaceId};

pub(super) struct PostgresLoader {
    pub(super) shared: Arc<Shared>,
}

impl Loader for PostgresLoader {
    fn load(
        &self,
        namespace: NamespaceId,
        visit: &mut dyn FnMut(Loaded) -> ControlFlow<()>,
    ) -> Result<u64> {
        let Some(epoch) = self.shared.held.epoch(namespace) else {
            let why = "it was not claimed";
            return Err(StoreError::NotOwned { namespace, why });
        };
        let mut link = Link::new(Arc::clone(&self.shared));
        link.read_at_length("loading a namespace", async |session| {
            session
                .transaction(SNAPSHOT, async |session| {
                    owned::assert(session, namespace, epoch).await?;
                    let space = Space::read(session, namespace).await?;
                    load::load(session, &space, visit).await
                })
                .await
        })
    }
}

//! What nodes know one another by: a secret in the database, which only nodes can read.

use crate::server::hash;
use interlock_store::{Store, StoreError};
use std::sync::{PoisonError, RwLock};

/// The setting that keeps it.
const SETTING: &str = "cluster-secret";

/// The secret of the cluster, once it is known.
#[derive(Default)]
pub(super) struct Secret(RwLock<Option<String>>);

impl Secret {
    /// Reads it from the store; makes one if there is none.
    pub(super) fn read_or_make(store: &mut dyn Store) -> Result<String, StoreError> {
        if let Some(found) = store.setting(SETTING)?
            && let Ok(text) = String::from_utf8(found)
        {
            return Ok(text);
        }
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|_| StoreError::BadValue {
            field: SETTING,
            why: "the system gives no random numbers",
        })?;
        let made: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        // If two nodes make one at the same time, all of them know the later one with the next look.
        store.put_setting(SETTING, Some(made.as_bytes()))?;
        Ok(made)
    }

    pub(super) fn set(&self, secret: String) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(secret);
    }

    /// To be shown to another node.
    pub(super) fn show(&self) -> Option<String> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.clone()
    }

    /// Whether this is it. Compared by hash, so that how long it takes tells nothing.
    pub(super) fn is(&self, shown: &str) -> bool {
        self.show()
            .is_some_and(|secret| hash(&secret) == hash(shown))
    }
}

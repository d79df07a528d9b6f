//! Names of what events name by number, and the fencing generation.

use crate::Core;
use crate::words::{KindId, Name, QuotaId, SessionId};

impl Core {
    /// The name of a kind that exists.
    pub fn kind_name(&self, kind: KindId) -> Option<Name> {
        let found = self.state.kinds.try_get(kind)?;
        Some(found.kind.name.clone())
    }

    /// The name of a quota that exists.
    pub fn quota_name(&self, quota: QuotaId) -> Option<Name> {
        let found = self.state.quotas.get(quota)?;
        Some(found.name.clone())
    }

    /// The name of a session's worker, as long as it has not left.
    pub fn worker_name(&self, session: SessionId) -> Option<Name> {
        let found = self.state.sessions.get(&session)?;
        Some(found.name.clone())
    }

    /// The generation of the store that the namespace was opened with.
    pub fn generation(&self) -> u32 {
        self.state.generation
    }
}

//! Names of what events name by number. Numbers are never used again, so what is known stays true.

use super::message::Happened;
use crate::http::Answer;
use crate::server::Hosted;
use interlock_api::convert::event::Directory;
use interlock_core::Event;
use interlock_core::event::Stage;
use interlock_core::words::{KindId, Name, QuotaId, SessionId};
use std::collections::{BTreeMap, BTreeSet};

/// Sessions that are remembered. Beyond it all are forgotten.
const SESSIONS_MAX: usize = 20_000;

#[derive(Default)]
pub(super) struct Names {
    kinds: BTreeMap<KindId, Option<Name>>,
    quotas: BTreeMap<QuotaId, Option<Name>>,
    sessions: BTreeMap<SessionId, Option<Name>>,
}

/// Numbers that have to be looked up.
#[derive(Default)]
struct Unknown {
    kinds: BTreeSet<KindId>,
    quotas: BTreeSet<QuotaId>,
    sessions: BTreeSet<SessionId>,
}

impl Names {
    /// Finds out the names in these events.
    pub(super) async fn learn(
        &mut self,
        namespace: &Hosted,
        events: &[Happened<'_>],
    ) -> Answer<()> {
        if self.sessions.len() > SESSIONS_MAX {
            self.sessions.clear();
        }
        let mut unknown = Unknown::default();
        for Happened {
            position, event, ..
        } in events
        {
            self.note(*position, event);
            unknown.collect(event);
        }
        unknown.kinds.retain(|id| !self.kinds.contains_key(id));
        unknown.quotas.retain(|id| !self.quotas.contains_key(id));
        unknown
            .sessions
            .retain(|id| !self.sessions.contains_key(id));
        if unknown.is_empty() {
            return Ok(());
        }
        let found = namespace.cell.read(move |view| {
            let core = view.core;
            let kinds = unknown.kinds.into_iter().map(|id| (id, core.kind_name(id)));
            let quotas = (unknown.quotas.into_iter()).map(|id| (id, core.quota_name(id)));
            let sessions = (unknown.sessions.into_iter()).map(|id| (id, core.worker_name(id)));
            Self {
                kinds: kinds.collect(),
                quotas: quotas.collect(),
                sessions: sessions.collect(),
            }
        });
        let found = found.await?;
        self.kinds.extend(found.kinds);
        self.quotas.extend(found.quotas);
        self.sessions.extend(found.sessions);
        Ok(())
    }

    /// Some events tell names.
    fn note(&mut self, position: u64, event: &Event) {
        match event {
            Event::KindSet { id, kind } => {
                self.kinds.insert(*id, Some(kind.name.clone()));
            }
            Event::QuotaSet { id, quota } => {
                self.quotas.insert(*id, Some(quota.name.clone()));
            }
            Event::Registered { name, .. } => {
                self.sessions
                    .insert(SessionId(position), Some(name.clone()));
            }
            _ => {}
        }
    }
}

impl Unknown {
    fn is_empty(&self) -> bool {
        self.kinds.is_empty() && self.quotas.is_empty() && self.sessions.is_empty()
    }

    fn collect(&mut self, event: &Event) {
        match event {
            Event::Admitted(admitted) => {
                self.kinds.insert(admitted.kind);
                self.stage(&admitted.to);
            }
            Event::Moved { to, .. } => self.stage(to),
            Event::RunEnded(ended) => {
                if let interlock_core::event::Then::Wait { to, .. } = &ended.then {
                    self.stage(to);
                }
            }
            Event::KindRemoved { id: kind } | Event::KindStaffed { kind, .. } => {
                self.kinds.insert(*kind);
            }
            Event::Registered { kinds, .. } => self.kinds.extend(kinds),
            Event::QuotaRemoved { id } => {
                self.quotas.insert(*id);
            }
            Event::QuotaPaused { instance, .. } => {
                self.quotas.insert(instance.quota);
            }
            Event::Started(started) => {
                self.sessions.insert(started.session);
            }
            Event::Departed { session } | Event::Drained { session, .. } => {
                self.sessions.insert(*session);
            }
            _ => {}
        }
    }

    fn stage(&mut self, stage: &Stage) {
        if let Stage::Throttled { instance } = stage {
            self.quotas.insert(instance.quota);
        }
    }
}

impl Directory for Names {
    fn kind(&self, kind: KindId) -> Option<Name> {
        self.kinds.get(&kind).cloned().flatten()
    }

    fn quota(&self, quota: QuotaId) -> Option<Name> {
        self.quotas.get(&quota).cloned().flatten()
    }

    fn worker(&self, session: SessionId) -> Option<Name> {
        self.sessions.get(&session).cloned().flatten()
    }
}

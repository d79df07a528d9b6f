//! Kinds: registered, changed while tasks of them wait, removed.

use super::prepare::{bad, checked_ms, too_many};
use crate::Core;
use crate::event::Event;
use crate::limits;
use crate::refusal::Refusal;
use crate::words::{Kind, Name, Waits};
use std::sync::Arc;

impl Core {
    pub(crate) fn set_kind(&mut self, kind: Kind) -> Result<(), Refusal> {
        self.check_kind(&kind)?;
        let known = self.state.kinds.find(&kind.name);
        if known.is_none() && self.state.kinds.len() >= limits::KINDS_MAX {
            return Err(too_many("kinds", limits::KINDS_MAX));
        }
        let id = known.unwrap_or(self.state.kinds.next_id());
        let old = known.map(|id| self.state.kinds.get(id).kind.clone());
        if old.as_deref() == Some(&kind) {
            return Ok(());
        }
        let kind = Arc::new(kind);
        self.emit(Event::KindSet { id, kind });
        // Also a changed lease counts from now.
        self.watch_kind(id);
        Ok(())
    }

    pub(crate) fn remove_kind(&mut self, name: &Name) -> Result<(), Refusal> {
        let Some(id) = self.state.kinds.find(name) else {
            return Err(Refusal::UnknownKind {
                kind: name.clone(),
                known: self.state.kinds.names(),
            });
        };
        let tasks = self.state.kinds.get(id).tasks.len() as u64;
        if tasks > 0 {
            let kind = name.clone();
            return Err(Refusal::KindInUse { kind, tasks });
        }
        self.emit(Event::KindRemoved { id });
        Ok(())
    }

    fn check_kind(&self, kind: &Kind) -> Result<(), Refusal> {
        if kind.priority > limits::PRIORITY_MAX {
            return Err(bad("priority", "it must be from 0 to 9"));
        }
        if !(limits::LEASE_MS_MIN..=limits::LEASE_MS_MAX).contains(&kind.lease_ms) {
            return Err(bad("lease", "it must be from one second to five minutes"));
        }
        checked_ms("grace", kind.grace_ms)?;
        checked_ms("run_within", kind.run_within_ms.unwrap_or(0))?;
        checked_ms("window", kind.retry.window_ms)?;
        if let Some(coalesce) = &kind.coalesce {
            checked_ms("gather", coalesce.gather_ms)?;
        }
        match &kind.retry.waits {
            Waits::Ladder(rungs) if rungs.len() > limits::RUNGS_MAX => {
                return Err(too_many("rungs", limits::RUNGS_MAX));
            }
            Waits::Ladder(rungs) => {
                for rung in rungs {
                    checked_ms("wait", *rung)?;
                }
            }
            Waits::Exponential { first_ms, most_ms } => {
                checked_ms("wait", *first_ms)?;
                checked_ms("wait", *most_ms)?;
            }
        }
        if kind.quotas.len() > limits::QUOTAS_PER_KIND_MAX {
            return Err(too_many("quotas", limits::QUOTAS_PER_KIND_MAX));
        }
        for used in &kind.quotas {
            if self.state.quotas.find(&used.quota).is_none() {
                return Err(Refusal::UnknownQuota(used.quota.clone()));
            }
            let named = kind.quotas.iter().filter(|other| other.quota == used.quota);
            if named.count() > 1 {
                return Err(bad("quotas", "a quota is named twice"));
            }
        }
        if kind.cancels.len() > limits::KINDS_PER_SESSION_MAX {
            return Err(too_many("kinds in cancels", limits::KINDS_PER_SESSION_MAX));
        }
        Ok(())
    }
}

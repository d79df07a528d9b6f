//! Quotas: defined, changed while tasks wait for them, removed.

use super::prepare::{bad, checked_ms, too_many};
use crate::Core;
use crate::event::Event;
use crate::limits;
use crate::refusal::Refusal;
use crate::words::{Limit, Name, Quota};
use std::sync::Arc;

impl Core {
    pub(crate) fn set_quota(&mut self, quota: Quota) -> Result<(), Refusal> {
        if quota.limits.is_empty() {
            return Err(bad("limits", "a quota without limits limits nothing"));
        }
        if quota.limits.len() > limits::LIMITS_PER_QUOTA_MAX {
            return Err(too_many("limits", limits::LIMITS_PER_QUOTA_MAX));
        }
        for limit in &quota.limits {
            if limit.units() > limits::QUOTA_UNITS_MAX {
                return Err(bad("limits", "a limit has at most 10^12 units"));
            }
            if let Limit::Window { per_ms, .. } = limit
                && checked_ms("window", *per_ms)? == 0
            {
                return Err(bad("window", "it must not be empty"));
            }
        }
        let known = self.state.quotas.find(&quota.name);
        if known.is_none() && self.state.quotas.len() >= limits::QUOTAS_MAX {
            return Err(too_many("quotas", limits::QUOTAS_MAX));
        }
        let old = known.and_then(|id| self.state.quotas.get(id)).cloned();
        if old.as_ref().is_some_and(|old| old.scope != quota.scope) {
            return Err(bad("scope", "it can't be changed; define another quota"));
        }
        if old.as_deref() == Some(&quota) {
            return Ok(());
        }
        let id = known.unwrap_or(self.state.quotas.next_id());
        let quota = Arc::new(quota);
        self.emit(Event::QuotaSet { id, quota });
        Ok(())
    }

    pub(crate) fn remove_quota(&mut self, name: &Name) -> Result<(), Refusal> {
        let found = self.state.quotas.find(name);
        let id = found.ok_or_else(|| Refusal::UnknownQuota(name.clone()))?;
        let user = self.state.kinds.iter().find(|(_, state)| {
            let mut quotas = state.kind.quotas.iter();
            quotas.any(|used| used.quota == *name)
        });
        if let Some((_, state)) = user {
            return Err(Refusal::QuotaInUse {
                quota: name.clone(),
                kind: state.kind.name.clone(),
            });
        }
        self.emit(Event::QuotaRemoved { id });
        Ok(())
    }
}

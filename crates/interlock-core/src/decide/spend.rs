//! `spend` inside a run, and pauses: units of quotas that many runs share go through the server.

use super::gates::Candidate;
use crate::Core;
use crate::bugs::Bug;
use crate::command::{Spend, Used};
use crate::event::{Event, InstanceName};
use crate::limits;
use crate::refusal::Refusal;
use crate::reply::{Reply, Spending};
use crate::state::quota::Instance;
use crate::words::{Name, ResourceName, Scope, Token};

/// How soon to ask again when only the end of another run can free units.
const ASK_AGAIN_MS: u64 = 1_000;

impl Core {
    pub(crate) fn spend(&mut self, spend: Spend) -> Result<Reply, Refusal> {
        let run = self.live_run(spend.session, spend.token)?;
        let task = self.state.task(run.task);
        let key = task.key();
        let candidate = Candidate::of(task);
        let id = self.state.quotas.find(&spend.quota);
        let name = id.and_then(|id| self.instance_for(id, &candidate));
        let Some(name) = name else {
            return Err(Refusal::UnknownQuota(spend.quota));
        };
        if run.budgets.iter().any(|(budget, _)| *budget == name) {
            return Err(Refusal::SpentLocally(spend.quota));
        }
        let Some(quota) = self.state.quotas.get(name.quota).cloned() else {
            return Err(Refusal::UnknownQuota(spend.quota));
        };
        if spend.units == 0 || quota.limits.iter().any(|limit| limit.units() < spend.units) {
            return Err(Refusal::NeverEnough {
                quota: spend.quota,
                units: spend.units,
            });
        }
        let now = self.state.now.elapsed;
        let fresh = Instance::default();
        let found = self.state.quotas.instances.get(&name);
        let instance = found.map_or(&fresh, |found| &**found);
        let passed = instance.queue.first().is_some_and(|first| *first < key);
        if !passed && instance.has(&quota, spend.units, now) {
            self.emit(Event::PermitGranted {
                token: spend.token,
                instance: name,
                units: spend.units,
            });
            return Ok(Reply::Spent(Spending::Granted));
        }
        let next = instance.next_time(&quota, spend.units, now);
        let wait_ms = next.map_or(ASK_AGAIN_MS, |at| at.since(now)).max(1);
        Ok(Reply::Spent(Spending::Wait { wait_ms }))
    }

    /// Gives permits back: their units occupy the windows from now.
    pub(crate) fn drop_permits(&mut self, token: Token, dropped: Vec<Used>) {
        for dropped in dropped {
            let Some(id) = self.state.quotas.find(&dropped.quota) else {
                continue;
            };
            let permits = &self.state.runs[&token].permits;
            let held = permits.iter().find(|(name, _)| name.quota == id);
            let Some((instance, held)) = held.cloned() else {
                continue;
            };
            let units = dropped.units.min(held);
            if units > 0 {
                self.emit(Event::PermitDropped {
                    token,
                    instance,
                    units,
                });
            }
        }
    }

    /// A run that ends without a last report may have used all of its budgets.
    pub(crate) fn use_up(&mut self, token: Token) {
        for (name, used) in self.state.runs[&token].budgets.clone() {
            let quota = name.quota;
            if used > 0 {
                self.emit(Event::BudgetUsed {
                    token,
                    quota,
                    used,
                    added: 0,
                });
            }
        }
    }

    /// Counts what a run used of its own budgets.
    pub(crate) fn report_use(&mut self, token: Token, used: Vec<Used>) {
        for used in used {
            let Some(quota) = self.state.quotas.find(&used.quota) else {
                continue;
            };
            let budgets = &self.state.runs[&token].budgets;
            if used.units > 0 && budgets.iter().any(|(name, _)| name.quota == quota) {
                self.emit(Event::BudgetUsed {
                    token,
                    quota,
                    used: used.units.min(limits::QUOTA_UNITS_MAX),
                    added: 0,
                });
            }
        }
    }

    pub(crate) fn pause_quota(
        &mut self,
        name: &Name,
        resource: Option<ResourceName>,
        for_ms: u64,
    ) -> Result<(), Refusal> {
        let found = self.state.quotas.find(name);
        let quota = found.ok_or_else(|| Refusal::UnknownQuota(name.clone()))?;
        let scope = self
            .state
            .quotas
            .get(quota)
            .map(|quota| quota.scope.clone());
        let fits = match (&scope, &resource) {
            (Some(Scope::Namespace), None) => true,
            (Some(Scope::Per(wanted)), Some(name)) => name.resource_type() == wanted.as_str(),
            _ => false,
        };
        if !fits {
            return Err(super::prepare::bad(
                "resource",
                "it does not fit the quota's scope",
            ));
        }
        if self.bug(Bug::PauseIgnored) {
            return Ok(());
        }
        let now = self.state.now.elapsed;
        let instance = InstanceName { quota, resource };
        let paused = self.state.quotas.instances.get(&instance);
        let paused_until = paused.map_or(now, |found| found.paused_until);
        // Of two pauses the longer one holds; 0 ends it.
        let until = match for_ms.min(limits::PAUSE_MS_MAX) {
            0 => now,
            ms => now.plus(ms).max(paused_until),
        };
        self.emit(Event::QuotaPaused { instance, until });
        Ok(())
    }
}

//! Quotas at hand-out: what a start costs, who is short, and who goes on when units come free.

use super::gates::Candidate;
use crate::Core;
use crate::bugs::Bug;
use crate::event::{Charges, Event, InstanceName, Stage};
use crate::limits;
use crate::reply::{Budget, BudgetNews, Reason};
use crate::state::quota::{self, Instance};
use crate::state::task::Key;
use crate::state::timers::ElapsedTimer;
use crate::state::worker::Run;
use crate::words::{Elapsed, Quota, QuotaId, Scope, TaskId};
use smallvec::SmallVec;

impl Core {
    /// What a start of this candidate takes from which counts. Costs of 0 are in it too: they tell
    /// which counts its run may spend from.
    pub(crate) fn charges(&self, candidate: &Candidate) -> Charges {
        let kind = &self.state.kinds.get(candidate.kind).kind;
        (kind.quotas.iter())
            .filter_map(|used| {
                let id = self.state.quotas.find(&used.quota)?;
                Some((self.instance_for(id, candidate)?, used.cost))
            })
            .collect()
    }

    /// The count of a quota that a candidate falls under.
    pub(crate) fn instance_for(
        &self,
        quota: QuotaId,
        candidate: &Candidate,
    ) -> Option<InstanceName> {
        let resource = match &self.state.quotas.get(quota)?.scope {
            Scope::Namespace => None,
            Scope::Per(resource_type) => {
                let indexes = candidate.claims.iter().filter_map(|(index, _)| *index);
                let claimed = indexes.map(|index| &self.state.resources.get(index).name);
                let mut names = claimed.chain(&candidate.unclaimed);
                let found = names.find(|name| name.resource_type() == resource_type.as_str())?;
                Some(found.clone())
            }
        };
        Some(InstanceName { quota, resource })
    }

    /// The first count that has no units for a start, if any.
    pub(crate) fn short_of(
        &self,
        candidate: &Candidate,
        charges: &Charges,
        key: &Key,
    ) -> Option<InstanceName> {
        let set_aside = (candidate.id.and_then(|id| self.state.tasks.get(id)))
            .is_some_and(|task| !task.extra().set_aside.is_empty());
        let short = |name: &InstanceName, cost: u32| {
            let (Some(quota), Some(instance)) = self.count(name) else {
                return self.never_enough(name, cost);
            };
            let paused = instance.paused_until > self.state.now.elapsed;
            if set_aside {
                // A run that spends by itself may have used up the window meanwhile.
                return paused || !instance.has(quota, 0, self.state.now.elapsed);
            }
            let ahead = instance.queue.first();
            let passed = ahead.is_some_and(|first| first < key && first.task != key.task);
            (passed && !self.bug(Bug::QuotaQueuePassed))
                || !instance.has(quota, u64::from(cost), self.state.now.elapsed)
        };
        (charges.iter())
            .find(|(name, cost)| *cost > 0 && short(name, *cost))
            .map(|(name, _)| name.clone())
    }

    /// A count that was never used is short only if its limits are too low for the cost.
    fn never_enough(&self, name: &InstanceName, cost: u32) -> bool {
        let fresh = Instance::default();
        let quota = self.state.quotas.get(name.quota);
        quota.is_some_and(|quota| !fresh.has(quota, u64::from(cost), self.state.now.elapsed))
    }

    fn count(&self, name: &InstanceName) -> (Option<&Quota>, Option<&Instance>) {
        let quota = self.state.quotas.get(name.quota).map(|quota| &**quota);
        (
            quota,
            self.state.quotas.instances.get(name).map(|found| &**found),
        )
    }

    /// Why a candidate waits for units, if it would.
    pub(crate) fn throttled(&self, candidate: &Candidate, key: &Key) -> Vec<Reason> {
        let charges = self.charges(candidate);
        let Some(name) = self.short_of(candidate, &charges, key) else {
            return Vec::new();
        };
        let (Some(quota), instance) = self.count(&name) else {
            return Vec::new();
        };
        let first = instance.and_then(|instance| instance.queue.first());
        let is_first = first.is_none_or(|first| first >= key);
        let cost = charges.iter().find(|(charged, _)| *charged == name);
        let cost = cost.map_or(0, |(_, cost)| u64::from(*cost));
        let until = instance
            .filter(|_| is_first)
            .and_then(|found| found.next_time(quota, cost, self.state.now.elapsed));
        vec![Reason::Throttled {
            quota: quota.name.clone(),
            resource: name.resource,
            until,
        }]
    }

    /// Looks at the counts where units came free. Returns whether there were any.
    pub(crate) fn settle_instances(&mut self) -> bool {
        let mut any = false;
        while self.moves > 0 {
            let Some(name) = self.state.dirty.instances.pop_first() else {
                break;
            };
            any = true;
            self.settle_instance(&name);
        }
        any
    }

    /// Sets units aside for the first in the queue as long as there are enough. A task that is
    /// short elsewhere waits there instead; it never holds units while it waits for others.
    fn settle_instance(&mut self, name: &InstanceName) {
        loop {
            if self.moves == 0 {
                self.state.dirty.instances.insert(name.clone());
                return;
            }
            let instance = self.state.quotas.instances.get(name);
            let Some(first) = instance
                .and_then(|instance| instance.queue.first())
                .copied()
            else {
                return self.settle_idle(name);
            };
            let candidate = Candidate::of(self.state.task(first.task));
            let charges = self.charges(&candidate);
            match self.short_of(&candidate, &charges, &first) {
                Some(short) if short == *name => return self.set_quota_timer(name, &charges),
                Some(instance) => {
                    let spot = self.state.task(first.task).spot;
                    let (task, to) = (first.task, Stage::Throttled { instance });
                    self.emit(Event::Moved { task, to, spot });
                }
                None => self.set_aside(first.task, charges),
            }
            self.moves -= 1;
        }
    }

    fn set_aside(&mut self, task: TaskId, mut charges: Charges) {
        charges.retain(|(_, cost)| *cost > 0);
        self.emit(Event::SetAside { task, charges });
        self.arrive(task, None, &[]);
    }

    /// Nobody waits: lets the count go once it has nothing to remember.
    fn settle_idle(&mut self, name: &InstanceName) {
        self.state.drop_count_if_unused(name);
        let instance = self.state.quotas.instances.get(name);
        let at = instance.and_then(|instance| instance.forgets_at());
        self.set_timer(name, at);
    }

    fn set_quota_timer(&mut self, name: &InstanceName, charges: &Charges) {
        let cost = charges.iter().find(|(charged, _)| charged == name);
        let cost = cost.map_or(0, |(_, cost)| u64::from(*cost));
        let now = self.state.now.elapsed;
        let at = match self.count(name) {
            (Some(quota), Some(instance)) => instance.next_time(quota, cost, now),
            _ => None,
        };
        self.set_timer(name, at);
    }

    /// One timer per count.
    fn set_timer(&mut self, name: &InstanceName, at: Option<Elapsed>) {
        let Some(instance) = self.state.quotas.instances.get_mut(name) else {
            return;
        };
        if instance.timer == at {
            return;
        }
        let timers = &mut self.state.timers.elapsed;
        let timer = ElapsedTimer::Quota(name.clone());
        if let Some(old) = std::mem::replace(&mut instance.timer, at) {
            timers.remove(&(old, timer.clone()));
        }
        if let Some(at) = at {
            timers.insert((at, timer));
        }
    }

    /// The budgets that a run gets to spend by itself: of quotas per resource, where it alone
    /// holds the resource.
    pub(crate) fn budgets(
        &self,
        candidate: &Candidate,
        charges: &Charges,
        lease_ms: u64,
    ) -> SmallVec<[(InstanceName, u64); 1]> {
        let fresh = Instance::default();
        (charges.iter())
            .filter(|(name, _)| self.is_exclusive(candidate, name))
            .filter_map(|(name, cost)| {
                let (quota, instance) = self.count(name);
                let quota = quota?;
                quota::windows(quota).next()?;
                let instance = instance.unwrap_or(&fresh);
                let now = self.state.now.elapsed;
                let slice = quota::slice(instance, quota, now, lease_ms);
                let left = quota::left(instance, quota, now, lease_ms);
                Some((
                    name.clone(),
                    slice.min(left.saturating_sub(u64::from(*cost))),
                ))
            })
            .collect()
    }

    fn is_exclusive(&self, candidate: &Candidate, name: &InstanceName) -> bool {
        let Some(resource) = &name.resource else {
            return false;
        };
        candidate.claims.iter().any(|(index, op)| {
            let found =
                index.is_some_and(|index| self.state.resources.get(index).name == *resource);
            found && !op.is_shared()
        })
    }

    /// What a worker is told of its budgets.
    pub(crate) fn budgets_of(&self, run: &Run) -> Vec<Budget> {
        let now = self.state.now.elapsed;
        (run.budgets.iter())
            .filter_map(|(name, slice)| {
                let (Some(quota), Some(instance)) = self.count(name) else {
                    return None;
                };
                Some(Budget {
                    quota: quota.name.clone(),
                    limits: quota.limits.clone(),
                    slice: *slice,
                    recent: instance.recent(quota, now),
                    paused_ms: instance.paused_until.since(now),
                })
            })
            .collect()
    }

    /// What is new of the budgets of a run, with slices filled up.
    pub(crate) fn budget_news(&mut self, token: crate::words::Token) -> Vec<BudgetNews> {
        let now = self.state.now.elapsed;
        let budgets = self.state.runs[&token].budgets.clone();
        let lease_ms = self.state.runs[&token].lease_ms;
        let mut news = Vec::new();
        for (name, had) in budgets {
            let (Some(quota), Some(instance)) = self.count(&name) else {
                continue;
            };
            let wanted = quota::slice(instance, quota, now, lease_ms);
            let left = quota::left(instance, quota, now, lease_ms);
            let added = wanted.saturating_sub(had).min(left);
            let (quota_name, paused_ms) = (quota.name.clone(), instance.paused_until.since(now));
            if added > 0 {
                self.emit(Event::BudgetUsed {
                    token,
                    quota: name.quota,
                    used: 0,
                    added,
                });
            }
            news.push(BudgetNews {
                quota: quota_name,
                slice: had + added,
                paused_ms,
            });
        }
        news
    }
}

const _: () = assert!(limits::QUOTA_BUCKETS > 2);

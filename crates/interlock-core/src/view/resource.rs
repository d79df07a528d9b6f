//! Resources and counts of quotas as they are now.

use super::{LimitView, QuotaView, ResourceState, ResourceView};
use crate::Core;
use crate::event::{InstanceName, Stage};
use crate::limits;
use crate::state::quota::Instance;
use crate::state::resource::Resource;
use crate::state::set::Set;
use crate::words::{Name, ResourceName, Scope, TaskId, Wall};

impl Core {
    /// A resource as it is now. A resource needs no declaration, so there is always an answer.
    pub fn resource(&self, resource: &ResourceName) -> ResourceView {
        let quotas = self.quotas_of(resource);
        let Some(index) = self.state.resources.find(resource) else {
            return ResourceView {
                resource: resource.clone(),
                state: ResourceState::Idle,
                held: false,
                holders: Vec::new(),
                line: Vec::new(),
                barriers: Vec::new(),
                outside: Vec::new(),
                waiting: 0,
                quotas,
            };
        };
        let found = self.state.resources.get(index);
        let barrier = found.barrier.as_ref();
        ResourceView {
            resource: resource.clone(),
            state: self.resource_state(found),
            held: found.hold,
            holders: found.holders.iter().map(|key| key.task).collect(),
            line: line_of(found),
            barriers: barrier
                .map(|barrier| barrier.chain.values().map(|(task, _)| *task).collect())
                .unwrap_or_default(),
            outside: (barrier.iter().flat_map(|barrier| barrier.room.iter()))
                .take(limits::LINE_SHOWN_MAX)
                .map(|key| key.task)
                .collect(),
            waiting: found.waiting(),
            quotas,
        }
    }

    /// Tasks on a resource that are not due yet, the next one first: as many as are shown, found
    /// among at most `looks`.
    pub fn scheduled_on(&self, resource: &ResourceName, looks: usize) -> Vec<TaskId> {
        let Some(index) = self.state.resources.find(resource) else {
            return Vec::new();
        };
        let tasks = self.state.resources.get(index).tasks.iter().take(looks);
        let mut scheduled: Vec<(Wall, TaskId)> = tasks
            .filter_map(|(_, task)| match self.state.task(*task).stage {
                Stage::Scheduled { until } => Some((until, *task)),
                _ => None,
            })
            .collect();
        scheduled.sort_unstable();
        scheduled.truncate(limits::LINE_SHOWN_MAX);
        scheduled.into_iter().map(|(_, task)| task).collect()
    }

    pub(super) fn resource_state(&self, resource: &Resource) -> ResourceState {
        let failing = |(_, task): &&(_, TaskId)| {
            matches!(self.state.task(*task).stage, Stage::Retrying { .. })
        };
        if resource.hold {
            ResourceState::Held
        } else if !resource.holders.is_empty() {
            ResourceState::Busy
        } else if (resource.tasks.iter().take(limits::LINE_SHOWN_MAX)).any(|entry| failing(&entry))
        {
            ResourceState::Failing
        } else if resource.tasks.is_empty() {
            ResourceState::Idle
        } else {
            ResourceState::Queued
        }
    }

    fn quotas_of(&self, resource: &ResourceName) -> Vec<QuotaView> {
        let per_type = self.state.quotas.iter().filter(|(_, quota)| {
            matches!(&quota.scope, Scope::Per(t) if t.as_str() == resource.resource_type())
        });
        per_type
            .filter_map(|(_, quota)| self.quota(&quota.name, Some(resource)))
            .collect()
    }

    /// A count of a quota as it is now.
    pub fn quota(&self, quota: &Name, resource: Option<&ResourceName>) -> Option<QuotaView> {
        let id = self.state.quotas.find(quota)?;
        let definition = self.state.quotas.get(id)?;
        let name = InstanceName {
            quota: id,
            resource: resource.cloned(),
        };
        let now = self.state.now.elapsed;
        let fresh = Instance::default();
        let found = self.state.quotas.instances.get(&name);
        let instance = found.map_or(&fresh, |found| &**found);
        let limits = (definition.limits.iter())
            .map(|limit| LimitView {
                limit: *limit,
                used: instance.used(limit, now),
                resets: instance.resets(limit, now),
                frees: instance.frees(limit, now),
            })
            .collect();
        Some(QuotaView {
            quota: quota.clone(),
            resource: resource.cloned(),
            limits,
            lent: instance.out,
            waiting: instance.queue.len() as u64,
            next: instance.timer.filter(|_| !instance.queue.is_empty()),
            paused_until: (instance.paused_until > now).then_some(instance.paused_until),
        })
    }
}

/// The line in order, as far as it is shown.
fn line_of(resource: &Resource) -> Vec<TaskId> {
    let first = |set: &Set<_>| {
        let shown = set.iter().take(limits::LINE_SHOWN_MAX);
        shown.copied().collect::<Vec<crate::state::task::Key>>()
    };
    let mut line = first(&resource.writers);
    line.extend(first(resource.readers()));
    line.sort();
    line.truncate(limits::LINE_SHOWN_MAX);
    line.into_iter().map(|key| key.task).collect()
}

//! What somebody who looks at the whole namespace wants to see first: the busiest lines, and the
//! counts of quotas that matter now. Neither looks at more than it was told to.

use super::{LineView, QuotaView};
use crate::Core;
use crate::event::InstanceName;
use crate::limits;
use crate::state::resource::Resource;
use crate::words::{Name, Scope, TaskId};
use std::collections::BTreeSet;

impl Core {
    /// The resources that most tasks wait for, the busiest first; those with about as many as the
    /// last of them may be left out.
    pub fn busiest(&self, limit: usize) -> Vec<LineView> {
        let crowded = self.state.resources.crowded();
        let looked_at = crowded.take(limits::BUSIEST_LOOKS.max(limit));
        let mut waited_for: Vec<(u64, &Resource)> = looked_at
            .map(|(_, resource)| (resource.waiting(), resource))
            .filter(|(waiting, _)| *waiting > 0)
            .collect();
        waited_for.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| one.name.cmp(&other.name)));
        waited_for.truncate(limit);
        let lines = waited_for.into_iter();
        lines
            .map(|(_, resource)| self.line_view(resource))
            .collect()
    }

    fn line_view(&self, resource: &Resource) -> LineView {
        LineView {
            resource: resource.name.clone(),
            state: self.resource_state(resource),
            running: resource.holders.len() as u64,
            waiting: resource.waiting(),
            holder: resource.holders.first().map(|key| key.task),
            first: self.next_on(resource),
        }
    }

    /// Who is next on a resource.
    fn next_on(&self, resource: &Resource) -> Option<TaskId> {
        let in_line = (resource.writers.first().into_iter())
            .chain(resource.readers().first())
            .min();
        let outside = || resource.barrier.as_ref()?.room.first();
        let waits = |task: &TaskId| !self.state.task(*task).is_running();
        let anyone = || {
            let tasks = resource.tasks.iter().take(limits::LINE_SHOWN_MAX);
            tasks.map(|(_, task)| *task).find(waits)
        };
        in_line
            .map(|key| key.task)
            .or_else(|| outside().map(|key| key.task))
            .or_else(anyone)
    }

    /// The counts of quotas that matter now, at most so many of each sort: those of the whole
    /// namespace, those that somebody waits for, and those of resources that a run holds.
    pub fn counts_in_use(&self, limit: usize) -> Vec<QuotaView> {
        let quotas = &self.state.quotas;
        let whole = quotas
            .iter()
            .filter(|(_, quota)| quota.scope == Scope::Namespace);
        let whole = whole.map(|(id, _)| InstanceName {
            quota: id,
            resource: None,
        });
        let mut names: Vec<InstanceName> = whole.take(limit).collect();
        names.extend(quotas.queues.iter().take(limit).cloned());
        names.extend(self.counts_of_runs(limit));
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
        let shown = names.iter().filter_map(|name| {
            let quota = quotas.get(name.quota)?;
            self.quota(&quota.name, name.resource.as_ref())
        });
        shown.collect()
    }

    /// Counts of what the newest runs hold.
    fn counts_of_runs(&self, limit: usize) -> Vec<InstanceName> {
        let per_type: Vec<(&Name, _)> = (self.state.quotas.iter())
            .filter_map(|(id, quota)| match &quota.scope {
                Scope::Per(resource_type) => Some((resource_type, id)),
                Scope::Namespace => None,
            })
            .collect();
        if per_type.is_empty() {
            return Vec::new();
        }
        let runs = self.state.runs.values().rev().take(limits::BUSIEST_LOOKS);
        let held = runs.flat_map(|run| &self.state.task(run.task).claims);
        let held = held.map(|claim| &self.state.resources.get(claim.resource).name);
        let counts = held.flat_map(|name| {
            let of_type = (per_type.iter())
                .filter(move |(resource_type, _)| resource_type.as_str() == name.resource_type());
            of_type.map(move |(_, id)| InstanceName {
                quota: *id,
                resource: Some(name.clone()),
            })
        });
        let counted = counts.filter(|name| self.state.quotas.instances.get(name).is_some());
        counted.take(limit).collect()
    }
}

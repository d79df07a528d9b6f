//! Lists, a page at a time: newest first, by whatever index is the narrowest. No list looks at more
//! than it was asked to, so a page may be short; the cursor says where to go on.

use super::{KindView, ResourceIndex, TaskState, TaskView};
use crate::Core;
use crate::state::task::{ResourceIx, Task};
use crate::words::{GroupId, Name, Quota, ResourceName, Schedule, TaskId};
use std::sync::Arc;

/// Which live tasks are wanted. Everything that is set must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// Running ones, or those that wait.
    pub running: Option<bool>,
    /// Of this kind.
    pub kind: Option<Name>,
    /// With a claim on this resource.
    pub resource: Option<ResourceName>,
    /// Run by this worker.
    pub worker: Option<Name>,
    /// With this tag.
    pub tag: Option<Name>,
    /// Submitted by this schedule.
    pub schedule: Option<Name>,
    /// Of this group.
    pub group: Option<GroupId>,
    /// Children of this task.
    pub parent: Option<TaskId>,
}

/// A page of a list of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskPage {
    /// The tasks, newest first.
    pub tasks: Vec<TaskView>,
    /// Go on before this one; `None` if there are no more.
    pub next: Option<TaskId>,
}

impl Core {
    /// Live tasks that pass the filter, newest first, beginning before `before`: at most `limit` of
    /// them, found among at most `looks`.
    pub fn list_tasks(
        &self,
        filter: &TaskFilter,
        before: Option<TaskId>,
        limit: usize,
        looks: usize,
    ) -> TaskPage {
        let before = before.unwrap_or(TaskId(u64::MAX));
        let mut page = TaskPage::default();
        let mut last = None;
        for (seen, id) in self
            .candidates(filter, before, looks + 1)
            .into_iter()
            .enumerate()
        {
            if page.tasks.len() == limit || seen == looks {
                page.next = last;
                return page;
            }
            last = Some(id);
            let found = self
                .state
                .tasks
                .get(id)
                .filter(|task| self.passes(filter, task));
            if let Some(task) = found.filter(|task| task.is_running() || self.swept(id).is_none()) {
                page.tasks.push(self.task_view(task));
            }
        }
        page
    }

    /// Ids before one, newest first, from the narrowest index that covers the filter.
    fn candidates(&self, filter: &TaskFilter, before: TaskId, most: usize) -> Vec<TaskId> {
        let state = &self.state;
        let newest = |mut ids: Vec<TaskId>| {
            ids.retain(|id| *id < before);
            ids.sort_unstable_by(|a, b| b.cmp(a));
            ids.truncate(most);
            ids
        };
        if let Some(worker) = &filter.worker {
            let session = (state.session_names.get(worker)).map(|id| &state.sessions[id]);
            let runs = session.iter().flat_map(|session| &session.runs);
            return newest(runs.map(|token| state.runs[token].task).collect());
        }
        if let Some(group) = filter.group {
            let group = state.groups.get(&group);
            return newest(
                group.map_or_else(Vec::new, |group| group.live.iter().copied().collect()),
            );
        }
        if let Some(schedule) = &filter.schedule {
            let live = state.schedules.get(schedule).and_then(|found| found.live);
            return newest(live.into_iter().collect());
        }
        if let Some(resource) = &filter.resource {
            return newest(self.newest_on(resource, before, most));
        }
        if filter.running == Some(true) {
            return newest(state.runs.values().map(|run| run.task).collect());
        }
        if let Some(kind) = &filter.kind {
            let kind = state.kinds.find(kind).map(|id| state.kinds.get(id));
            let tasks = kind
                .iter()
                .flat_map(|kind| kind.tasks.range(..before).rev());
            return tasks.copied().take(most).collect();
        }
        state.tasks.before(before).take(most).collect()
    }

    /// The newest tasks on a resource, of each kind.
    fn newest_on(&self, resource: &ResourceName, before: TaskId, most: usize) -> Vec<TaskId> {
        let Some(index) = self.state.resources.find(resource) else {
            return Vec::new();
        };
        let tasks = &self.state.resources.get(index).tasks;
        let kinds = self.state.kinds.iter();
        kinds
            .flat_map(|(kind, _)| {
                let until = tasks.before((kind, before)).rev();
                until.take_while(move |(of, _)| *of == kind).take(most)
            })
            .map(|(_, id)| *id)
            .collect()
    }

    fn passes(&self, filter: &TaskFilter, task: &Task) -> bool {
        let extra = task.extra();
        let kind = &self.state.kinds.get(task.kind).kind.name;
        let on = |resource: &ResourceName| {
            let mut claims = task.claims.iter();
            claims.any(|claim| self.state.resources.get(claim.resource).name == *resource)
        };
        filter
            .running
            .is_none_or(|running| running == task.is_running())
            && filter.kind.as_ref().is_none_or(|wanted| wanted == kind)
            && filter.resource.as_ref().is_none_or(on)
            && filter
                .worker
                .as_ref()
                .is_none_or(|worker| self.runs_on(task, worker))
            && filter
                .tag
                .as_ref()
                .is_none_or(|tag| extra.tags.contains(tag))
            && filter
                .schedule
                .as_ref()
                .is_none_or(|name| extra.schedule.as_ref() == Some(name))
            && filter
                .group
                .is_none_or(|group| extra.groups.contains(&group))
            && filter
                .parent
                .is_none_or(|parent| extra.parent == Some(parent))
    }

    fn runs_on(&self, task: &Task, worker: &Name) -> bool {
        matches!(self.task_state(task), TaskState::Running { worker: found, .. } if found == *worker)
    }

    /// Resources in use whose name begins so, in no order that means anything, from an index on.
    /// At most `limit` of them among at most `looks`, and where to go on.
    pub fn list_resources(
        &self,
        prefix: &str,
        from: ResourceIndex,
        limit: usize,
        looks: usize,
    ) -> (Vec<ResourceName>, Option<ResourceIndex>) {
        let mut found = Vec::new();
        let resources = &self.state.resources;
        for (seen, (ResourceIx(index), resource)) in resources.from(ResourceIx(from.0)).enumerate()
        {
            if found.len() == limit || seen == looks {
                return (found, Some(ResourceIndex(index)));
            }
            if resource.name.as_str().starts_with(prefix) {
                found.push(resource.name.clone());
            }
        }
        (found, None)
    }

    /// All kinds, by name.
    pub fn kinds(&self) -> Vec<KindView> {
        let names = self.state.kinds.names();
        names.iter().filter_map(|name| self.kind(name)).collect()
    }

    /// A kind as it is now.
    pub fn kind(&self, name: &Name) -> Option<KindView> {
        let id = self.state.kinds.find(name)?;
        let state = self.state.kinds.get(id);
        let oldest = state.tasks.iter().map(|id| self.state.task(*id));
        let oldest = oldest
            .take(LOOKS_FOR_OLDEST)
            .find(|task| !task.is_running());
        Some(KindView {
            kind: state.kind.clone(),
            held: state.hold,
            staffed: state.staffed,
            running: state.running,
            waiting: state.tasks.len() as u64 - state.running,
            oldest: oldest.map(|task| task.submitted),
        })
    }

    /// All quotas, by number.
    pub fn quotas(&self) -> Vec<Arc<Quota>> {
        self.state
            .quotas
            .iter()
            .map(|(_, quota)| quota.clone())
            .collect()
    }

    /// What a schedule is.
    pub fn schedule(&self, name: &Name) -> Option<Arc<Schedule>> {
        let found = self.state.schedules.get(name)?;
        Some(found.schedule.clone())
    }

    /// Ids of groups that have live tasks, newest first.
    pub fn list_groups(&self, before: Option<GroupId>, limit: usize) -> Vec<GroupId> {
        let before = before.unwrap_or(GroupId(u64::MAX));
        let groups = self.state.groups.range(..before).rev();
        groups.map(|(id, _)| *id).take(limit).collect()
    }

    /// The namespace's settings, and whether all of it is held.
    pub fn namespace(&self) -> (crate::words::Namespace, bool) {
        (self.state.namespace, self.state.hold)
    }
}

/// How many of the oldest tasks of a kind may run before the oldest that waits is not known.
const LOOKS_FOR_OLDEST: usize = 100;

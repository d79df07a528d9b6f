//! Workers, schedules, groups, and how many of what there are.

use super::{Counts, GroupView, ScheduleView, WorkerView};
use crate::Core;
use crate::event::Stage;
use crate::state::ScheduleState;
use crate::state::worker::Session;
use crate::words::{GroupId, Name, Schedule, TaskId};
use std::ops::Bound;
use std::sync::Arc;

impl Core {
    /// All workers, by name.
    pub fn workers(&self) -> Vec<WorkerView> {
        self.list_workers(None, usize::MAX)
    }

    /// Workers by name, from after one on.
    pub fn list_workers(&self, after: Option<&Name>, limit: usize) -> Vec<WorkerView> {
        let names = self.state.session_names.range(from_after(after));
        names
            .take(limit)
            .map(|(_, id)| self.worker_view(&self.state.sessions[id]))
            .collect()
    }

    /// The worker of this name.
    pub fn worker(&self, name: &Name) -> Option<WorkerView> {
        let id = self.state.session_names.get(name)?;
        Some(self.worker_view(&self.state.sessions[id]))
    }

    fn worker_view(&self, session: &Session) -> WorkerView {
        WorkerView {
            name: session.name.clone(),
            session: session.id,
            kinds: (session.kinds.iter())
                .filter_map(|kind| self.state.kinds.try_get(*kind))
                .map(|kind| kind.kind.name.clone())
                .collect(),
            running: (session.runs.iter())
                .map(|token| self.state.runs[token].task)
                .collect(),
            lost: session.lost,
            draining: session.draining,
            at_once: (self.soft.parked.get(&session.id)).map(|take| take.at_once as u64),
            heard: self.soft.heard.get(&session.id).copied(),
        }
    }

    /// All schedules, by name.
    pub fn schedules(&self) -> Vec<ScheduleView> {
        let all = self.list_schedules(None, usize::MAX);
        all.into_iter().map(|(view, _)| view).collect()
    }

    /// Schedules by name, from after one on: as they are now, and what they are.
    pub fn list_schedules(
        &self,
        after: Option<&Name>,
        limit: usize,
    ) -> Vec<(ScheduleView, Arc<Schedule>)> {
        let found = self.state.schedules.range(from_after(after)).take(limit);
        found
            .map(|(_, schedule)| (self.schedule_view(schedule), schedule.schedule.clone()))
            .collect()
    }

    /// The schedule of this name as it is now.
    pub fn schedule_now(&self, name: &Name) -> Option<(ScheduleView, Arc<Schedule>)> {
        let found = self.state.schedules.get(name)?;
        Some((self.schedule_view(found), found.schedule.clone()))
    }

    fn schedule_view(&self, schedule: &ScheduleState) -> ScheduleView {
        ScheduleView {
            name: schedule.schedule.name.clone(),
            paused: schedule.paused,
            last: schedule.last,
            last_fired: schedule.last_fired.clone(),
            next: schedule.next,
            live: self.live_of(schedule.live),
            fired: schedule.fired,
        }
    }

    fn live_of(&self, task: Option<TaskId>) -> Option<TaskId> {
        self.state.find_task(task?).map(|task| task.id)
    }

    /// A group that still has live tasks.
    pub fn group(&self, group: GroupId) -> Option<GroupView> {
        let found = self.state.groups.get(&group)?;
        Some(GroupView {
            group,
            tasks: found.tasks.clone(),
        })
    }

    /// How many tasks are where, each place by its word.
    pub fn stages(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Stage::WORDS.into_iter().zip(self.state.stages)
    }

    /// How many of what there are.
    pub fn counts(&self) -> Counts {
        Counts {
            waiting: self.state.waiting(),
            running: self.state.running,
            resources: self.state.resources.len() as u64,
            sessions: self.state.sessions.len() as u64,
            parked_takes: self.soft.parked.len() as u64,
        }
    }
}

/// Everything after a name, or everything.
fn from_after(after: Option<&Name>) -> (Bound<&Name>, Bound<&Name>) {
    let from = after.map_or(Bound::Unbounded, Bound::Excluded);
    (from, Bound::Unbounded)
}

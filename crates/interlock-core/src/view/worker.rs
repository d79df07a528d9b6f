//! Workers, schedules, groups, and how many of what there are.

use super::{Counts, GroupView, ScheduleView, WorkerView};
use crate::Core;
use crate::event::Stage;
use crate::words::{GroupId, TaskId};

impl Core {
    /// All workers, by name.
    pub fn workers(&self) -> Vec<WorkerView> {
        (self.state.session_names.values())
            .map(|id| &self.state.sessions[id])
            .map(|session| WorkerView {
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
                parked: self.soft.parked.contains_key(&session.id),
            })
            .collect()
    }

    /// All schedules, by name.
    pub fn schedules(&self) -> Vec<ScheduleView> {
        (self.state.schedules.iter())
            .map(|(name, schedule)| ScheduleView {
                name: name.clone(),
                paused: schedule.paused,
                last: schedule.last,
                last_fired: schedule.last_fired.clone(),
                next: schedule.next,
                live: self.live_of(schedule.live),
            })
            .collect()
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

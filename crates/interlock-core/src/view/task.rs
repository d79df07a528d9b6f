//! A task as it is now.

use super::{Found, Standing, TaskState, TaskView};
use crate::Core;
use crate::event::Stage;
use crate::state::task::Task;
use crate::words::{Claim, Elapsed, Outcome, ResourceName, TaskId, Token};

impl Core {
    /// What is known of a task.
    pub fn task(&self, task: TaskId) -> Found {
        let Some(found) = self.state.find_task(task) else {
            return match self.state.tasks.outcome(task) {
                Some(outcome) => Found::Ended(outcome),
                None => Found::Unknown,
            };
        };
        if self.swept(found.id).is_some() && !found.is_running() {
            return Found::Ended(Outcome::Cancelled);
        }
        Found::Live(Box::new(self.task_view(found)))
    }

    /// What is known of a task, in one word: cheaper than [`Core::task`].
    pub fn standing(&self, task: TaskId) -> Standing {
        match self.state.find_task(task) {
            Some(found) if found.is_running() => Standing::Running,
            Some(found) if self.swept(found.id).is_some() => Standing::Ended(Outcome::Cancelled),
            Some(_) => Standing::Waiting,
            None => match self.state.tasks.outcome(task) {
                Some(outcome) => Standing::Ended(outcome),
                None => Standing::Unknown,
            },
        }
    }

    /// Whether a live task claims a resource; `None` if it is not live.
    pub fn claims(&self, task: TaskId, resource: &ResourceName) -> Option<bool> {
        let found = self.state.find_task(task)?;
        let mut claims = found.claims.iter();
        Some(claims.any(|claim| self.state.resources.get(claim.resource).name == *resource))
    }

    /// The tasks that a live one still waits for.
    pub fn after(&self, task: TaskId) -> &[TaskId] {
        let found = self.state.find_task(task);
        found.map_or(&[], |found| &found.extra().after)
    }

    pub(super) fn task_view(&self, task: &Task) -> TaskView {
        let extra = task.extra();
        TaskView {
            task: task.id,
            kind: self.state.kinds.get(task.kind).kind.name.clone(),
            claims: (task.claims.iter())
                .map(|claim| Claim::new(self.resource_name(claim.resource), claim.op))
                .collect(),
            priority: task.priority,
            state: self.task_state(task),
            reasons: self.reasons_of(task.id),
            stands_for: u64::from(task.stands_for),
            tries: task.tries,
            losses: task.losses,
            submitted: task.submitted,
            key: extra.key.clone(),
            payload: task.payload.clone(),
            runs: extra.runs.clone(),
            tags: extra.tags.clone(),
            group: extra.groups.first().copied(),
            parent: extra.parent,
            schedule: extra.schedule.clone(),
            retry_of: extra.retry_of,
        }
    }

    pub(super) fn task_state(&self, task: &Task) -> TaskState {
        let Stage::Running { token } = task.stage else {
            return TaskState::Waiting;
        };
        let run = &self.state.runs[&token];
        let brief = self.brief(task.id);
        let lease_ends = self.soft.lease_ends(token);
        TaskState::Running {
            token,
            worker: (self.state.sessions.get(&run.session))
                .map_or_else(|| brief.kind.clone(), |session| session.name.clone()),
            running_ms: brief.running_ms.unwrap_or(0),
            lease_ends: lease_ends.unwrap_or(Elapsed(0)),
            progress: brief.progress,
            stopping: run.stop.is_some(),
        }
    }

    /// How long a running task had waited when its run began: since it last became possible. Only for
    /// a first run, since a lost one goes back to its old place.
    pub fn waited_ms(&self, task: TaskId) -> Option<u64> {
        let found = self.state.find_task(task)?;
        let Stage::Running { token } = found.stage else {
            return None;
        };
        let run = &self.state.runs[&token];
        let is_first = found.extra().runs.is_empty();
        is_first.then(|| run.started.elapsed.since(found.spot.since))
    }

    /// The task of a live run.
    pub fn task_of(&self, token: Token) -> Option<TaskId> {
        self.state.runs.get(&token).map(|run| run.task)
    }

    /// Ids of all live tasks, in order. For tests.
    pub fn live_tasks(&self) -> Vec<TaskId> {
        let kinds = self.state.kinds.iter();
        let mut all: Vec<TaskId> = kinds
            .flat_map(|(_, kind)| kind.tasks.iter().copied())
            .collect();
        all.sort();
        all
    }
}

//! Resources: the core names the tasks, and the caller tells what they are.

use super::quota;
use super::reason::{progress, reasons};
use super::task::state;
use crate::reason::Brief;
use crate::resource::{InLine, Resource, ResourceRow, ResourceState};
use crate::span::Span;
use crate::time::{Clock, Time};
use interlock_core::view::{self, ResourceView, TaskState, TaskView};
use interlock_core::words::{ResourceName, TaskId};

/// A resource; `task` shows a live task. What is scheduled and what ended last is the caller's to
/// add.
pub fn resource(
    view: &ResourceView,
    task: impl Fn(TaskId) -> Option<TaskView>,
    clock: &Clock,
) -> Resource {
    let briefs = |ids: &[TaskId]| {
        let tasks = ids.iter().filter_map(|id| task(*id));
        tasks.map(|task| brief(&task, clock)).collect()
    };
    let entries = |ids: &[TaskId]| {
        let tasks = ids.iter().filter_map(|id| task(*id));
        tasks
            .map(|task| in_line(&task, &view.resource, clock))
            .collect()
    };
    Resource {
        resource: view.resource.to_string(),
        state: view.state.into(),
        held: view.held,
        waiting: view.waiting,
        holders: briefs(&view.holders),
        line: entries(&view.line),
        barriers: briefs(&view.barriers),
        outside: entries(&view.outside),
        scheduled: Vec::new(),
        last: Vec::new(),
        quotas: (view.quotas.iter())
            .map(|count| quota::count(count, clock))
            .collect(),
    }
}

/// A resource in a list.
pub fn row(view: &ResourceView) -> ResourceRow {
    ResourceRow {
        resource: view.resource.to_string(),
        state: view.state.into(),
        running: view.holders.len() as u64,
        waiting: view.waiting,
    }
}

/// A task in the line of a resource.
pub fn in_line(task: &TaskView, resource: &ResourceName, clock: &Clock) -> InLine {
    let claim = task.claims.iter().find(|claim| claim.resource == *resource);
    InLine {
        task: task.task.0,
        kind: task.kind.to_string(),
        op: claim.and_then(|claim| claim.op).map(Into::into),
        priority: task.priority,
        state: state(&task.state),
        submitted: Time::from(task.submitted),
        reasons: reasons(&task.reasons, clock),
    }
}

/// A task in a few words.
pub fn brief(task: &TaskView, clock: &Clock) -> Brief {
    let (worker, running_ms, far) = match &task.state {
        TaskState::Waiting => (None, None, None),
        TaskState::Running {
            worker,
            running_ms,
            progress,
            ..
        } => (Some(worker), Some(*running_ms), progress.as_ref()),
    };
    Brief {
        task: task.task.0,
        kind: task.kind.to_string(),
        worker: worker.map(ToString::to_string),
        running: running_ms.map(Span::from_ms),
        progress: far.map(|far| progress(far, running_ms.unwrap_or(0), clock)),
    }
}

impl From<view::ResourceState> for ResourceState {
    fn from(state: view::ResourceState) -> Self {
        match state {
            view::ResourceState::Idle => ResourceState::Idle,
            view::ResourceState::Busy => ResourceState::Busy,
            view::ResourceState::Queued => ResourceState::Queued,
            view::ResourceState::Failing => ResourceState::Failing,
            view::ResourceState::Held => ResourceState::Held,
        }
    }
}

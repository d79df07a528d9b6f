//! A namespace in one look: lines and kinds.

use super::resource::{brief, in_line};
use crate::overview::{KindCount, Line};
use crate::time::{Clock, Time};
use interlock_core::view::{KindView, LineView, TaskView};
use interlock_core::words::TaskId;

/// A resource that somebody waits for; `task` shows a live task.
pub fn line(view: &LineView, task: impl Fn(TaskId) -> Option<TaskView>, clock: &Clock) -> Line {
    let holder = view.holder.and_then(&task);
    let first = view.first.and_then(&task);
    Line {
        resource: view.resource.to_string(),
        state: view.state.into(),
        running: view.running,
        waiting: view.waiting,
        holder: holder.map(|task| brief(&task, clock)),
        first: first.map(|task| in_line(&task, &view.resource, clock)),
    }
}

/// How many tasks of a kind there are.
pub fn kind(view: &KindView) -> KindCount {
    KindCount {
        kind: view.kind.name.to_string(),
        running: view.running,
        waiting: view.waiting,
        staffed: view.staffed,
        held: view.held,
        oldest: view.oldest.map(Time::from),
    }
}

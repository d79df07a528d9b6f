//! Groups: their state is derived from that of their tasks.

use crate::group::{Group, GroupCounts, GroupTask};
use crate::task::State;
use interlock_core::view::GroupView;
use interlock_core::words::TaskId;

/// A group; `live` tells the state of a task that has not ended, `after` what a task came after.
pub fn group(
    view: &GroupView,
    live: impl Fn(TaskId) -> State,
    after: impl Fn(TaskId) -> Vec<u64>,
) -> Group {
    let tasks = view.tasks.iter();
    let tasks = tasks.map(|(task, ended)| GroupTask {
        task: task.0,
        state: match ended {
            Some(outcome) => State::from(super::task::outcome(*outcome)),
            None => live(*task),
        },
        after: after(*task),
    });
    of_tasks(view.group.0, tasks.collect())
}

/// A group of these tasks, live or from the history.
pub fn of_tasks(group: u64, tasks: Vec<GroupTask>) -> Group {
    let mut counts = GroupCounts::default();
    for task in &tasks {
        let count = match task.state {
            State::Waiting => &mut counts.waiting,
            State::Running => &mut counts.running,
            State::Succeeded => &mut counts.succeeded,
            State::Failed => &mut counts.failed,
            State::Cancelled => &mut counts.cancelled,
        };
        *count += 1;
    }
    let ended = counts.succeeded + counts.failed + counts.cancelled;
    let percent = ended * 100 / (tasks.len() as u64).max(1);
    Group {
        group,
        state: state(&counts, ended),
        counts,
        percent: u8::try_from(percent).unwrap_or(100),
        tasks,
    }
}

fn state(counts: &GroupCounts, ended: u64) -> State {
    if counts.running > 0 || (counts.waiting > 0 && ended > 0) {
        State::Running
    } else if counts.waiting > 0 {
        State::Waiting
    } else if counts.failed > 0 {
        State::Failed
    } else if counts.cancelled > 0 {
        State::Cancelled
    } else {
        State::Succeeded
    }
}

//! Workers.

use super::name::texts;
use crate::time::Clock;
use crate::worker::{Worker, WorkerState};
use interlock_core::view::WorkerView;

/// A worker.
pub fn worker(view: &WorkerView, clock: &Clock) -> Worker {
    Worker {
        name: view.name.to_string(),
        state: state(view),
        session: view.session.0,
        kinds: texts(&view.kinds),
        running: view.running.iter().map(|task| task.0).collect(),
        at_once: view.at_once,
        heard: view.heard.map(|heard| clock.time(heard)),
    }
}

/// What an operator wants to know first.
fn state(view: &WorkerView) -> WorkerState {
    if view.lost {
        WorkerState::Lost
    } else if view.draining {
        WorkerState::Draining
    } else if !view.running.is_empty() {
        WorkerState::Busy
    } else if view.at_once.is_some() {
        WorkerState::Idle
    } else {
        WorkerState::Quiet
    }
}

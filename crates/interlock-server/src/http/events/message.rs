//! What goes into a stream: events as messages.

use crate::cell::View;
use crate::http::clock_of;
use axum::response::sse;
use interlock_api::convert;
use interlock_api::event::{Event, What};
use interlock_core::Record;
use interlock_core::view::{Found, TaskState};
use interlock_core::words::TaskId;
use std::sync::Arc;

/// One event, and when and where it is in the log.
#[derive(Clone, Copy)]
pub(super) struct Happened<'a> {
    pub(super) at: interlock_core::words::Now,
    pub(super) position: u64,
    pub(super) generation: u32,
    pub(super) event: &'a interlock_core::Event,
}

/// The events of these records from a position on.
pub(super) fn happened<'a>(
    records: &'a [Arc<Record>],
    from: u64,
    generation: &mut u32,
) -> Vec<Happened<'a>> {
    let mut all = Vec::new();
    for record in records {
        for (position, event) in (record.position..).zip(&record.events) {
            if let interlock_core::Event::Opened { generation: opened } = event {
                *generation = *opened;
            }
            if position >= from {
                all.push(Happened {
                    at: record.at,
                    position,
                    generation: *generation,
                    event,
                });
            }
        }
    }
    all
}

/// How far a run is.
pub(super) fn progress(view: &View<'_>, task: TaskId) -> Option<Event> {
    let Found::Live(found) = view.core.task(task) else {
        return None;
    };
    let TaskState::Running {
        running_ms,
        progress: Some(progress),
        ..
    } = &found.state
    else {
        return None;
    };
    let clock = clock_of(view.now);
    Some(Event {
        position: None,
        at: clock.now(),
        what: What::Progress {
            task: found.task.0,
            progress: convert::reason::progress(progress, *running_ms, &clock),
        },
    })
}

/// A message: an event, and by what a reader goes on after it.
pub(super) fn message(event: &Event, id: Option<u64>) -> sse::Event {
    let data = serde_json::to_string(event).expect("wire types are plain data");
    let message = sse::Event::default().data(data);
    match id {
        Some(id) => message.id(id.to_string()),
        None => message,
    }
}

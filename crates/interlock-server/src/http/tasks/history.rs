//! Tasks that have ended, from memory or from the history.

use crate::cell::read_row;
use crate::http::{Answer, Failed};
use crate::server::{Hosted, Server};
use interlock_api::convert;
use interlock_api::task::Task;
use interlock_api::time::Time;
use interlock_api::{Code, Problem};
use interlock_core::row::EndedTask;
use interlock_core::words::{Name, TaskId};
use interlock_store::HistoryRow;
use std::sync::Arc;

/// The ended task that an id leads to, if it is still known.
pub(in crate::http) async fn find_ended(
    server: &Server,
    namespace: &Hosted,
    task: TaskId,
) -> Answer<Option<Arc<EndedTask>>> {
    let pending = namespace
        .cell
        .read(move |view| view.pending.find(task).cloned())
        .await?;
    if pending.is_some() {
        return Ok(pending);
    }
    let id = namespace.id;
    let found = server
        .readers
        .read(move |reader| reader.find(id, task.0))
        .await;
    let row = found.ok_or(crate::cell::CellError::Stopping)??;
    row.map(|row| read(&row).map(Arc::new)).transpose()
}

/// What the history kept.
pub(in crate::http) fn read(row: &HistoryRow) -> Answer<EndedTask> {
    read_row(row).map_err(|error| {
        tracing::error!(error, "the history can't be read");
        Failed(Problem::new(
            Code::Internal,
            "the history of this task can't be read",
        ))
    })
}

/// An ended task as the wire has it.
pub(in crate::http) fn shown_ended(ended: &EndedTask) -> Task {
    let text = |name: &Name| name.to_string();
    let last_run = ended.runs.last();
    Task {
        kind: Some(text(&ended.kind)),
        resources: convert::claim::shown(&ended.claims),
        priority: Some(ended.priority),
        stands_for: Some(ended.stands_for),
        tries: ended.tries,
        losses: ended.losses,
        submitted: Some(Time::from(ended.submitted)),
        started: last_run.map(|run| Time::from(run.started)),
        ended: Some(Time::from(ended.ended)),
        end: Some(convert::task::end(&ended.why)),
        worker: last_run.and_then(|run| run.worker.as_ref()).map(text),
        payload: convert::payload::shown(&ended.payload),
        result: convert::payload::shown(&ended.result),
        tags: ended.tags.iter().map(text).collect(),
        group: ended.groups.first().map(|group| group.0),
        parent: ended.parent.map(|task| task.0),
        schedule: ended.schedule.as_ref().map(text),
        retry_of: ended.retry_of.map(|task| task.0),
        ..convert::task::ended(ended.task, ended.outcome)
    }
}

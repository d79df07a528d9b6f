//! One task: what it is, and why it is not running.

use super::history::{find_ended, shown_ended};
use crate::cell::{Cell, Until as CellUntil, View};
use crate::http::answer::{Json, Problems};
use crate::http::body::{Id, Query};
use crate::http::{Access, Answer, Read, clock_of};
use interlock_api::explain::Explanation;
use interlock_api::problem::Problem;
use interlock_api::task::{Task, Told, Until, WaitQuery};
use interlock_api::{Code, convert};
use interlock_core::Refusal;
use interlock_core::view::Found;
use interlock_core::words::{Outcome, TaskId};
use std::time::Duration;

/// What a cell knows of a task.
enum Seen {
    Live(Box<Task>),
    Ended(Outcome),
    Unknown,
}

/// Shows a task; waits for it if asked to.
#[utoipa::path(get, path = "/v1/tasks/{id}", tag = "tasks",
    security(("token" = ["read"])),
    params(("id" = u64, Path, description = "The task"), WaitQuery),
    responses(
        (status = 200, description = "The task", body = Task),
        Problems,
    ))]
pub(super) async fn show(
    access: Access<Read>,
    Id(id): Id,
    Query(query): Query<WaitQuery>,
) -> Answer<Json<Task>> {
    let task = TaskId(id);
    let (wait_ms, until) = convert::query::wait(&query)?;
    if wait_ms > 0 {
        tokio::select! {
            over = wait(&access.namespace.cell, task, until, wait_ms) => over?,
            // Nothing will happen any more: it is shown as it is.
            () = access.server.stopping() => {}
        }
    }
    let seen = access
        .namespace
        .cell
        .read(move |view| (look(view, task), told(view, task)));
    let (seen, told) = seen.await?;
    if let Seen::Live(task) = seen {
        return Ok(Json(Task { told, ..*task }));
    }
    let ended = find_ended(&access.server, &access.namespace, task).await?;
    match (ended, seen) {
        (Some(ended), _) => Ok(Json(Task {
            last_failure: convert::task::last_failure(&ended.runs),
            runs: convert::task::runs(&ended.runs),
            told,
            ..shown_ended(&ended)
        })),
        (None, Seen::Ended(outcome)) => Ok(Json(convert::task::ended(task, outcome))),
        (None, _) => Err(Refusal::UnknownTask(task).into()),
    }
}

/// Whoever waits long enough looks again in any case, so nothing depends on being told.
async fn wait(cell: &Cell, task: TaskId, until: Until, wait_ms: u64) -> Answer<()> {
    let until = match until {
        Until::Ended => CellUntil::Ended,
        Until::Started => CellUntil::Started,
    };
    let deadline = Duration::from_millis(wait_ms);
    match tokio::time::timeout(deadline, cell.watch(task, until)).await {
        Ok(over) => Ok(over?),
        Err(_elapsed) => Ok(()),
    }
}

/// What the submitter was told, as of then.
fn told(view: &View<'_>, task: TaskId) -> Option<Told> {
    let told = view.verdicts.of(task)?;
    let clock = clock_of(told.at);
    Some(convert::verdict::told(told.verdict, &told.reasons, &clock))
}

fn look(view: &View<'_>, task: TaskId) -> Seen {
    match view.core.task(task) {
        Found::Live(found) => {
            let clock = clock_of(view.now);
            let shown = convert::task::live(&found, Some(&found.payload), &clock);
            Seen::Live(Box::new(Task {
                last_failure: convert::task::last_failure(&found.runs),
                runs: convert::task::runs(&found.runs),
                ..shown
            }))
        }
        Found::Ended(outcome) => Seen::Ended(outcome),
        Found::Unknown => Seen::Unknown,
    }
}

/// Says why a task is not running: the whole chain of causes.
#[utoipa::path(get, path = "/v1/tasks/{id}/explain", tag = "tasks",
    security(("token" = ["read"])),
    params(("id" = u64, Path, description = "The task")),
    responses(
        (status = 200, description = "The causes", body = Explanation),
        Problems,
    ))]
pub(super) async fn explain(access: Access<Read>, Id(id): Id) -> Answer<Json<Explanation>> {
    let task = TaskId(id);
    let explained = access.namespace.cell.read(move |view| {
        let explanation = view.core.explain(task)?;
        let Found::Live(found) = view.core.task(task) else {
            return None;
        };
        Some(convert::explain::explanation(
            &explanation,
            &found,
            &clock_of(view.now),
        ))
    });
    if let Some(explanation) = explained.await? {
        return Ok(Json(explanation));
    }
    match find_ended(&access.server, &access.namespace, task).await? {
        Some(ended) => {
            let end = convert::task::end(&ended.why);
            Err(Problem::new(Code::Ended, format!("it has ended: {}", end.sentence)).into())
        }
        None => Err(Refusal::UnknownTask(task).into()),
    }
}

//! Verbs on tasks: cancel, retry, bump, hold, release, purge.

use super::history::find_ended;
use crate::cell::CellError;
use crate::http::answer::{Json, Problems, WithStatus};
use crate::http::body::{Body1, Id};
use crate::http::{Access, Answer, Operate, clock_of};
use crate::limits;
use interlock_api::problem::Problem;
use interlock_api::task::{Bump, Cancel, Cancelling, Done, Nothing, Purge, Purged};
use interlock_api::verdict::Report;
use interlock_api::{Code, convert};
use interlock_core::command::{HoldTarget, Submit};
use interlock_core::row::EndedTask;
use interlock_core::view::Found;
use interlock_core::words::{Outcome, Submission, TaskId};
use interlock_core::{Command, Refusal, Reply};
use interlock_store::{HistoryFilter, Purge as PurgeHistory};

/// Calls a task off.
///
/// A waiting one is cancelled at once; of a running one the worker is told, and it ends at its lease
/// end at the latest.
#[utoipa::path(post, path = "/v1/tasks/{id}/cancel", tag = "tasks",
    security(("token" = ["operate"])),
    params(("id" = u64, Path, description = "The task")),
    request_body = Cancel,
    responses(
        (status = 200, description = "It is cancelled, or its worker is being told", body = Cancelling),
        Problems,
    ))]
pub(super) async fn cancel(
    access: Access<Operate>,
    Id(id): Id,
    Body1(cancel): Body1<Cancel>,
) -> Answer<Json<Cancelling>> {
    let command = Command::Cancel {
        task: TaskId(id),
        all: cancel.all,
        by: access.by(),
    };
    match access.namespace.cell.decide(command).await?.reply {
        Reply::Cancelling { running } => Ok(Json(Cancelling { task: id, running })),
        Reply::Refused(refusal) => Err(refusal.into()),
        other => unreachable!("a cancel is not answered by {other:?}"),
    }
}

/// Submits an ended task again, through admission, linked to the old one.
#[utoipa::path(post, path = "/v1/tasks/{id}/retry", tag = "tasks",
    security(("token" = ["operate"])),
    params(("id" = u64, Path, description = "The task")),
    request_body = Nothing,
    responses(
        (status = 202, description = "It became a new task", body = Report),
        (status = 200, description = "It joined a task that waits", body = Report),
        Problems,
    ))]
pub(super) async fn retry(
    access: Access<Operate>,
    Id(id): Id,
    Body1(Nothing {}): Body1<Nothing>,
) -> Answer<WithStatus<Report>> {
    let task = TaskId(id);
    let live = access
        .namespace
        .cell
        .read(move |view| matches!(view.core.task(task), Found::Live(_)));
    if live.await? {
        let detail = "it has not ended; only ended tasks are submitted again";
        return Err(Problem::new(Code::NotEnded, detail).into());
    }
    let ended = find_ended(&access.server, &access.namespace, task).await?;
    let ended = ended.ok_or(Refusal::UnknownTask(task))?;
    let submit = Submit {
        items: vec![again(&ended)],
        group: false,
        dry_run: false,
    };
    let answered = access
        .namespace
        .cell
        .decide(Command::Submit(submit))
        .await?;
    match &answered.reply {
        Reply::Submitted { answers, .. } => {
            let answer = answers.first().expect("one answer per item");
            let report = convert::verdict::answer(answer, &clock_of(answered.now))?;
            Ok(WithStatus(report.status(), report))
        }
        Reply::Refused(refusal) => Err(refusal.clone().into()),
        other => unreachable!("a submission is not answered by {other:?}"),
    }
}

/// The submission that does an ended task again.
pub(in crate::http) fn again(ended: &EndedTask) -> Submission {
    Submission {
        payload: ended.payload.clone(),
        priority: Some(ended.priority),
        key: ended.key.clone(),
        tags: ended.tags.clone(),
        retry_of: Some(ended.task),
        trace: ended.trace.clone(),
        ..Submission::new(ended.kind.clone(), ended.claims.clone())
    }
}

/// Raises the priority of a waiting task.
#[utoipa::path(post, path = "/v1/tasks/{id}/bump", tag = "tasks",
    security(("token" = ["operate"])),
    params(("id" = u64, Path, description = "The task")),
    request_body = Bump,
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
pub(super) async fn bump(
    access: Access<Operate>,
    Id(id): Id,
    Body1(bump): Body1<Bump>,
) -> Answer<Json<Done>> {
    let by = access.by();
    let (task, priority) = (TaskId(id), bump.priority);
    access.done(Command::Bump { task, priority, by }).await
}

/// Keeps a task from starting until it is released.
#[utoipa::path(post, path = "/v1/tasks/{id}/hold", tag = "tasks",
    security(("token" = ["operate"])),
    params(("id" = u64, Path, description = "The task")),
    request_body = Nothing,
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
pub(super) async fn hold(
    access: Access<Operate>,
    Id(id): Id,
    Body1(Nothing {}): Body1<Nothing>,
) -> Answer<Json<Done>> {
    let (what, by) = (HoldTarget::Task(TaskId(id)), access.by());
    access.done(Command::Hold { what, by }).await
}

/// Ends the hold of a task.
#[utoipa::path(post, path = "/v1/tasks/{id}/release", tag = "tasks",
    security(("token" = ["operate"])),
    params(("id" = u64, Path, description = "The task")),
    request_body = Nothing,
    responses(
        (status = 200, description = "Done", body = Done),
        Problems,
    ))]
pub(super) async fn release(
    access: Access<Operate>,
    Id(id): Id,
    Body1(Nothing {}): Body1<Nothing>,
) -> Answer<Json<Done>> {
    let (what, by) = (HoldTarget::Task(TaskId(id)), access.by());
    access.done(Command::Release { what, by }).await
}

/// Deletes ended tasks from the history.
#[utoipa::path(post, path = "/v1/tasks/purge", tag = "tasks",
    security(("token" = ["operate"])),
    request_body = Purge,
    responses(
        (status = 200, description = "How many are gone", body = Purged),
        Problems,
    ))]
pub(super) async fn purge(
    access: Access<Operate>,
    Body1(wire): Body1<Purge>,
) -> Answer<Json<Purged>> {
    let wanted = convert::query::purge(&wire)?;
    let filter = HistoryFilter {
        outcomes: (wanted.outcomes.iter())
            .map(|outcome: &Outcome| crate::cell::outcome_word(*outcome).to_owned())
            .collect(),
        kind: wanted.kind.as_ref().map(ToString::to_string),
        resource: wanted.resource.as_ref().map(ToString::to_string),
        ended_until_ms: wanted.ended_before.map(|before| before.0),
        ..HistoryFilter::default()
    };
    access.namespace.cell.settle().await?;
    let id = access.namespace.id;
    let (mut tasks, mut before) = (0, None);
    loop {
        let filter = filter.clone();
        let slice = access.server.committer().call_async(move |store| {
            let what = PurgeHistory::Matching {
                filter: &filter,
                before,
            };
            store.purge(id, &what, limits::PURGE_SLICE)
        });
        let purged = slice.await.map_err(|_| CellError::Stopping)??;
        tasks += purged.rows;
        before = purged.next;
        if !purged.more {
            return Ok(Json(Purged { tasks }));
        }
    }
}

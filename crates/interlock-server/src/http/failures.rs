//! Failures, grouped by kind and error, and their retry in bulk.

use super::answer::{Json, Problems};
use super::body::{Body1, Query};
use super::tasks::{again, read};
use super::{Access, Answer, App, Operate, Read, clock_of};
use crate::cell::{Cell, CellError, View, outcome_word};
use crate::limits;
use interlock_api::convert;
use interlock_api::failure::{Failure, FailureQuery, Retried, RetriedTask, RetryFailures};
use interlock_api::page::{self, Cursor, Page};
use interlock_api::time::Time;
use interlock_core::command::Submit;
use interlock_core::reply::Answer as CoreAnswer;
use interlock_core::row::EndedTask;
use interlock_core::words::{Name, Outcome, Submission};
use interlock_core::{Command, Reply};
use interlock_store::{FailureGroup, HistoryFilter, HistoryPage, HistoryRow};
use std::collections::HashSet;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(retry))
}

/// Lists what failed for good, grouped by kind and error, the latest first.
#[utoipa::path(get, path = "/v1/failures", tag = "failures",
    security(("token" = ["read"])),
    params(FailureQuery),
    responses(
        (status = 200, description = "The groups; there is only one page", body = Page<Failure>),
        Problems,
    ))]
async fn list(
    access: Access<Read>,
    Query(query): Query<FailureQuery>,
) -> Answer<Json<Page<Failure>>> {
    let limit = page::limit(query.limit)? as usize;
    settle(&access.namespace.cell).await?;
    let id = access.namespace.id;
    let found = (access.server.readers)
        .read(move |reader| reader.failures(id, limit))
        .await;
    let found = found.ok_or(CellError::Stopping)??;
    let items = access.namespace.cell.read(move |view| {
        let failures = found.into_iter().map(failure);
        failures.map(|failure| with_trend(view, failure)).collect()
    });
    Ok(Json(Page::new(items.await?, None)))
}

/// Failures are grouped by the history, so those that are not in it yet have to go there first; what
/// else has ended can wait for the next checkpoint.
async fn settle(cell: &Cell) -> Answer<()> {
    let unkept = cell.read(|view| view.pending.any(Outcome::Failed));
    if unkept.await? {
        cell.settle().await?;
    }
    Ok(())
}

fn failure(group: FailureGroup) -> Failure {
    Failure {
        kind: group.kind,
        error: group.error,
        count: group.count,
        resources: group.resources,
        first: Time::from_ms(group.first_ms),
        last: Time::from_ms(group.last_ms),
        trend: None,
    }
}

fn with_trend(view: &View<'_>, failure: Failure) -> Failure {
    let trends = &view.activity.trends;
    let trend = trends.of(&failure.kind, &failure.error, view.now.wall.0);
    Failure { trend, ..failure }
}

/// Submits failed tasks again, each through admission and linked to the old one.
///
/// Up to 1,000 of them, the newest first; the answer says where to go on. What was submitted again
/// this way within a day, or has a newer attempt among them, is left out: repeating the call repeats no
/// work.
#[utoipa::path(post, path = "/v1/failures/retry", tag = "failures",
    security(("token" = ["operate"])),
    request_body = RetryFailures,
    responses(
        (status = 200, description = "What became of each", body = Retried),
        Problems,
    ))]
async fn retry(
    access: Access<Operate>,
    Body1(wire): Body1<RetryFailures>,
) -> Answer<Json<Retried>> {
    let filter = HistoryFilter {
        outcomes: vec![outcome_word(Outcome::Failed).to_owned()],
        kind: Some(convert::name(&wire.kind, "kind")?.to_string()),
        error: wire.error,
        ..HistoryFilter::default()
    };
    let before = page::after_id(wire.cursor.as_deref())?;
    settle(&access.namespace.cell).await?;
    let id = access.namespace.id;
    let found = (access.server.readers)
        .read(move |reader| reader.list(id, &filter, before, limits::RETRIES_MAX))
        .await;
    let HistoryPage { rows, next } = found.ok_or(CellError::Stopping)??;
    let mut retried = Vec::with_capacity(rows.len());
    for slice in latest_attempts(&rows)?.chunks(limits::RETRIES_SLICE) {
        retried.extend(submit_again(&access, slice).await?);
    }
    let next = next.map(|next| Cursor::Id(next).to_string());
    Ok(Json(Retried { retried, next }))
}

/// Of tasks that were retried before only the last attempt; they come newest first.
fn latest_attempts(rows: &[HistoryRow]) -> Answer<Vec<EndedTask>> {
    let mut older = HashSet::new();
    let mut latest = Vec::with_capacity(rows.len());
    for row in rows {
        let ended = read(row)?;
        older.extend(ended.retry_of);
        if !older.contains(&ended.task) {
            latest.push(ended);
        }
    }
    Ok(latest)
}

/// A failed task is submitted again once, however often that is asked for: its number is the key.
fn again_once(ended: &EndedTask) -> Submission {
    let key = format!("retry of failed task {}", ended.task.0);
    Submission {
        idempotency_key: Name::new(&key).ok(),
        ..again(ended)
    }
}

async fn submit_again(access: &Access<Operate>, ended: &[EndedTask]) -> Answer<Vec<RetriedTask>> {
    let command = Command::Submit(Submit {
        items: ended.iter().map(again_once).collect(),
        group: false,
        dry_run: false,
    });
    let answered = access.namespace.cell.decide(command).await?;
    match &answered.reply {
        Reply::Submitted { answers, .. } => {
            let clock = clock_of(answered.now);
            let each = ended
                .iter()
                .zip(answers)
                .filter(|(_, answer)| !is_repeated(answer));
            let outcomes = each.map(|(old, answer)| RetriedTask {
                task: old.task.0,
                outcome: convert::verdict::answer(answer, &clock).into(),
            });
            Ok(outcomes.collect())
        }
        Reply::Refused(refusal) => Err(refusal.clone().into()),
        other => unreachable!("a submission is not answered by {other:?}"),
    }
}

fn is_repeated(answer: &CoreAnswer) -> bool {
    match answer {
        CoreAnswer::Admitted(report) | CoreAnswer::Coalesced(report) => report.repeated,
        CoreAnswer::Rejected { .. } | CoreAnswer::Refused(_) => false,
    }
}

//! `submit`: one or many.

use crate::cell::Answered;
use crate::http::answer::{Json, Problems, WithStatus};
use crate::http::body::{Body1, Query};
use crate::http::{Access, Answer, Submit, clock_of};
use interlock_api::convert;
use interlock_api::submission::{Submission, Submissions, SubmitOptions};
use interlock_api::verdict::{BatchReport, Report};
use interlock_core::command::Submit as SubmitCommand;
use interlock_core::reply::Answer as CoreAnswer;
use interlock_core::words::Now;
use interlock_core::{Command, Reply, words};

/// Submits a task.
///
/// Answers at once whether anything stands in its way: `accepted`, `postponed` with the reasons, or
/// a problem `rejected` with the reasons.
#[utoipa::path(post, path = "/v1/tasks", tag = "tasks",
    security(("token" = ["submit"])),
    params(SubmitOptions),
    request_body = Submission,
    responses(
        (status = 202, description = "It became a task", body = Report),
        (status = 200, description = "It joined a task that waits, repeats an earlier request, or was only tried", body = Report),
        Problems,
    ))]
pub(super) async fn submit(
    access: Access<Submit>,
    Query(options): Query<SubmitOptions>,
    Body1(wire): Body1<Submission>,
) -> Answer<WithStatus<Report>> {
    let (answers, now) = submit_all(&access, one(wire, &access)?, options.dry_run).await?;
    let answer = answers.first().expect("one answer per item");
    let report = convert::verdict::answer(answer, &clock_of(now))?;
    Ok(WithStatus(report.status(), report))
}

/// Submits many tasks, each with an outcome of its own.
///
/// A bad item never harms its neighbours.
#[utoipa::path(post, path = "/v1/tasks/batch", tag = "tasks",
    security(("token" = ["submit"])),
    params(SubmitOptions),
    request_body = Submissions,
    responses(
        (status = 200, description = "What became of each", body = BatchReport),
        Problems,
    ))]
pub(super) async fn batch(
    access: Access<Submit>,
    Query(options): Query<SubmitOptions>,
    Body1(wire): Body1<Submissions>,
) -> Answer<Json<BatchReport>> {
    let mut batch = convert::submission::batch(wire)?;
    let mut items = std::mem::take(&mut batch.submissions);
    for item in &mut items {
        item.trace.clone_from(&access.trace);
    }
    let (answers, now) = submit_all(&access, items, options.dry_run).await?;
    Ok(Json(batch.report(&answers, &clock_of(now))))
}

/// The submission alone, with the caller's trace.
fn one(wire: Submission, access: &Access<Submit>) -> Answer<Vec<words::Submission>> {
    let mut submission = convert::submission::submission(wire)?;
    submission.trace.clone_from(&access.trace);
    Ok(vec![submission])
}

/// Submits them before it is first polled: what is sent away takes no room while the answer is
/// awaited.
fn submit_all(
    access: &Access<Submit>,
    items: Vec<words::Submission>,
    dry_run: bool,
) -> impl Future<Output = Answer<(Vec<CoreAnswer>, Now)>> + Send + use<> {
    let answered = access.namespace.cell.decide(Command::Submit(SubmitCommand {
        items,
        group: false,
        dry_run,
    }));
    async move {
        let Answered { reply, now } = answered.await?;
        match reply {
            Reply::Submitted { answers, .. } => Ok((answers, now)),
            Reply::Refused(refusal) => Err(refusal.into()),
            other => unreachable!("a submission is not answered by {other:?}"),
        }
    }
}

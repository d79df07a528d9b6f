//! What a request costs without a decision: the same door, parsing and size of answer; and what it
//! costs if it is only kept. Mounted for the benchmark only.

mod keeper;

use super::answer::WithStatus;
use super::body::{Body1, Query};
use super::{Access, Answer, App, Submit};
use axum::Router;
use axum::routing::post;
use interlock_api::convert;
use interlock_api::submission::{Submission, SubmitOptions};
use interlock_api::verdict::{LineLength, Report, Verdict};
use keeper::Keeper;
use std::path::PathBuf;
use std::sync::Arc;

/// `POST /v1/echo`, which takes a submission and answers as if it had been accepted; and
/// `POST /v1/echo/kept`, which writes it to this directory before it does.
pub(super) fn routes(dir: PathBuf) -> Router<App> {
    let keeper = Arc::new(Keeper::new(dir));
    let kept = move |access, query, body| keep_and_echo(keeper.clone(), access, query, body);
    Router::new()
        .route("/v1/echo", post(echo))
        .route("/v1/echo/kept", post(kept))
}

async fn echo(
    access: Access<Submit>,
    Query(_): Query<SubmitOptions>,
    Body1(wire): Body1<Submission>,
) -> Answer<WithStatus<Report>> {
    let mut submission = convert::submission::submission(wire)?;
    submission.trace.clone_from(&access.trace);
    let lines = submission.claims.iter().map(|claim| LineLength {
        resource: claim.resource.to_string(),
        waiting: 1,
    });
    let report = Report {
        verdict: Verdict::Accepted,
        task: Some(1_000_000),
        reasons: Vec::new(),
        lines: lines.collect(),
        stands_for: 1,
        coalesced: false,
        repeated: false,
    };
    Ok(WithStatus(202, report))
}

async fn keep_and_echo(
    keeper: Arc<Keeper>,
    access: Access<Submit>,
    query: Query<SubmitOptions>,
    Body1(wire): Body1<Submission>,
) -> Answer<WithStatus<Report>> {
    let bytes = serde_json::to_vec(&wire).expect("wire types are plain data");
    // What is refused is not kept.
    let answer = echo(access, query, Body1(wire)).await?;
    keeper.keep(bytes).await?;
    Ok(answer)
}

//! What a request costs without a decision: the same door, parsing and size of answer. Mounted for
//! the benchmark only.

use super::answer::WithStatus;
use super::body::{Body1, Query};
use super::{Access, Answer, App, Submit};
use axum::Router;
use axum::routing::post;
use interlock_api::convert;
use interlock_api::submission::{Submission, SubmitOptions};
use interlock_api::verdict::{LineLength, Report, Verdict};

/// `POST /v1/echo`, which takes a submission and answers as if it had been accepted.
pub(super) fn routes() -> Router<App> {
    Router::new().route("/v1/echo", post(echo))
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

//! Answers: JSON, or a problem.

use crate::cell::CellError;
use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use interlock_api::problem::PROBLEM_JSON;
use interlock_api::{Code, Problem, convert};
use interlock_core::Refusal;
use interlock_store::StoreError;
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::IntoResponses;
use utoipa::openapi::{self, RefOr};

/// What a handler returns.
pub type Answer<T> = Result<T, Failed>;

/// A request that was not granted.
#[derive(Debug)]
pub struct Failed(pub Problem);

impl From<Problem> for Failed {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl From<Refusal> for Failed {
    fn from(refusal: Refusal) -> Self {
        Self(convert::refusal::refusal(&refusal))
    }
}

impl From<CellError> for Failed {
    fn from(error: CellError) -> Self {
        let code = match error {
            CellError::Overloaded => Code::Overloaded,
            CellError::Loading | CellError::Stopping | CellError::Moved => Code::Unavailable,
            CellError::Full => Code::StorageFull,
            CellError::Unknown => Code::OutcomeUnknown,
        };
        Self(Problem::new(code, error.to_string()))
    }
}

impl From<crate::committer::Closed> for Failed {
    fn from(_: crate::committer::Closed) -> Self {
        CellError::Stopping.into()
    }
}

/// A query failed: the cause goes to the log, not to the caller.
impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        if let StoreError::Full { .. } = error {
            return CellError::Full.into();
        }
        tracing::error!(%error, "the store failed");
        let detail = "the store failed; the server's log says how";
        Self(Problem::new(Code::Internal, detail))
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response<Body> {
        let wait = self.0.more.wait.map(|wait| wait.ms().div_ceil(1_000));
        let mut response = json(self.0.status(), PROBLEM_JSON, &self.0);
        let headers = response.headers_mut();
        if let Some(seconds) = wait.or_else(|| self.0.code.is_retryable().then_some(1)) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.0.code == Code::Unauthorized {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// What every route can be answered with instead of what was asked for.
pub(super) struct Problems;

impl IntoResponses for Problems {
    fn responses() -> BTreeMap<String, RefOr<openapi::Response>> {
        let problem = |description: &str| {
            let schema = openapi::Ref::from_schema_name("Problem");
            let content = openapi::ContentBuilder::new().schema(Some(schema)).build();
            let response = openapi::ResponseBuilder::new()
                .description(description)
                .content(PROBLEM_JSON, content);
            RefOr::T(response.build())
        };
        BTreeMap::from([
            (
                "4XX".to_owned(),
                problem("It was refused: the code says why"),
            ),
            (
                "5XX".to_owned(),
                problem("It could not be decided or looked up"),
            ),
        ])
    }
}

/// JSON with status 200.
pub(super) struct Json<T>(pub(super) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response<Body> {
        json(200, "application/json", &self.0)
    }
}

/// JSON with a status of its own.
pub(super) struct WithStatus<T>(pub(super) u16, pub(super) T);

impl<T: Serialize> IntoResponse for WithStatus<T> {
    fn into_response(self) -> Response<Body> {
        json(self.0, "application/json", &self.1)
    }
}

fn json(status: u16, media: &'static str, value: &impl Serialize) -> Response<Body> {
    let body = serde_json::to_vec(value).expect("wire types are plain data");
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let media = HeaderValue::from_static(media);
    response.headers_mut().insert(header::CONTENT_TYPE, media);
    response
}

/// There is no such route.
pub(super) async fn no_route() -> Failed {
    Failed(Problem::new(
        Code::NotFound,
        "there is nothing at this path",
    ))
}

/// The route takes another method.
pub(super) async fn no_method() -> Failed {
    let detail = "this path does not take this method";
    Failed(Problem::new(Code::MethodNotAllowed, detail))
}

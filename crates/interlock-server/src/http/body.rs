//! Bodies and query strings, read with precise errors.

use super::{App, Failed};
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{Request, header};
use interlock_api::{Code, Problem, parse};
use serde::de::DeserializeOwned;

/// A body of JSON. An empty one is `{}`.
pub(super) struct Body1<T>(pub(super) T);

/// The largest body: a batch of a thousand with some payload each, or one with the largest payload.
pub(super) const BODY_BYTES_MAX: usize = 16 << 20;

impl<T: DeserializeOwned> FromRequest<App> for Body1<T> {
    type Rejection = Failed;

    // Of the request only the body is kept while it comes.
    fn from_request(
        request: Request<Body>,
        app: &App,
    ) -> impl Future<Output = Result<Self, Failed>> + Send {
        let json = is_json(&request);
        let body = whole_body(app, request.into_body());
        async move { Ok(Self(read(json, &body.await?)?)) }
    }
}

fn read<T: DeserializeOwned>(json: bool, body: &[u8]) -> Result<T, Problem> {
    if body.is_empty() {
        return parse::body(b"{}");
    }
    if !json {
        let detail = "send the body with content-type: application/json";
        return Err(Problem::new(Code::UnsupportedMediaType, detail));
    }
    parse::body(body)
}

/// A body to its end, within limits.
pub(crate) fn whole_body(
    app: &App,
    body: Body,
) -> impl Future<Output = Result<Bytes, Failed>> + Send + use<> {
    let body = axum::body::to_bytes(body, BODY_BYTES_MAX);
    let body = tokio::time::timeout(app.body_within, body);
    async move {
        let body = body.await;
        let body = body.map_err(|_| Problem::new(Code::Timeout, "the body did not come in time"));
        body?.map_err(|error| too_large(&error))
    }
}

fn is_json(request: &Request<Body>) -> bool {
    let media = request.headers().get(header::CONTENT_TYPE);
    let media = media.and_then(|value| value.to_str().ok()).unwrap_or("");
    let media = media.split(';').next().unwrap_or("").trim();
    media.eq_ignore_ascii_case("application/json")
}

fn too_large(error: &axum::Error) -> Failed {
    let mut source: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = source {
        if error.is::<http_body_util::LengthLimitError>() {
            let detail = format!("the body is larger than {BODY_BYTES_MAX} bytes");
            return Problem::new(Code::PayloadTooLarge, detail).into();
        }
        source = error.source();
    }
    Problem::new(Code::BadRequest, "the body could not be read to its end").into()
}

/// A query string.
pub(super) struct Query<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failed> {
        Ok(Self(parse::query(parts.uri.query().unwrap_or(""))?))
    }
}

/// The id in a path.
pub(super) struct Id(pub(super) u64);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failed> {
        let Path(text) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|_| Problem::new(Code::BadRequest, "the path can't be read"))?;
        let id = text
            .parse()
            .ok()
            .filter(|id| *id <= interlock_api::limits::INTEGER_MAX);
        let id =
            id.ok_or_else(|| Problem::new(Code::BadValue, "it must be a whole number").at("id"))?;
        Ok(Self(id))
    }
}

/// The name in a path.
pub(super) struct Named(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failed> {
        let Path(text) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|_| Problem::new(Code::BadRequest, "the path can't be read"))?;
        Ok(Self(text))
    }
}

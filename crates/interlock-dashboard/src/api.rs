//! Calls of `/v1` in the process, with the token of whoever looks and typed answers.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Method, Request, StatusCode, header};
use http_body_util::BodyExt;
use interlock_api::{Code, Problem};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::convert::Infallible;
use tower::ServiceExt;

/// The way to `/v1`, for one person.
#[derive(Clone)]
pub(crate) struct Api {
    pub(crate) router: Router,
    pub(crate) token: Option<String>,
    /// By which name this server was called.
    pub(crate) host: Option<HeaderValue>,
    /// The namespace that is looked at.
    pub(crate) namespace: Option<String>,
}

impl Api {
    /// Asks for something.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Problem> {
        read(self.call(Method::GET, path, None).await?).await
    }

    /// Asks for something, with these filters.
    pub(crate) async fn list<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &impl Serialize,
    ) -> Result<T, Problem> {
        let unfit = |_| Problem::new(Code::BadRequest, "the filters can't be written as a query");
        let query = serde_urlencoded::to_string(query).map_err(unfit)?;
        match query.as_str() {
            "" => self.get(path).await,
            query => self.get(&format!("{path}?{query}")).await,
        }
    }

    /// Has something done.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, Problem> {
        let unfit = |_| Problem::new(Code::BadRequest, "the request can't be written as JSON");
        let body = serde_json::to_vec(body).map_err(unfit)?;
        read(self.call(Method::POST, path, Some(body)).await?).await
    }

    /// The body of an answer that goes on and on.
    pub(crate) async fn stream(&self, path: &str) -> Result<Body, Problem> {
        let (status, body) = self.call(Method::GET, path, None).await?;
        match status.is_success() {
            true => Ok(body),
            false => Err(problem(status, &whole(body).await?)),
        }
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<Vec<u8>>,
    ) -> Result<(StatusCode, Body), Problem> {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(token) = &self.token {
            let value = HeaderValue::try_from(format!("Bearer {token}"));
            let unfit = |_| Problem::new(Code::Unauthorized, "this can't be a token");
            request = request.header(header::AUTHORIZATION, value.map_err(unfit)?);
        }
        if let Some(namespace) = &self.namespace {
            let value = HeaderValue::try_from(namespace);
            let unfit = |_| Problem::new(Code::UnknownNamespace, "there is no such namespace");
            request = request.header("interlock-namespace", value.map_err(unfit)?);
        }
        if let Some(host) = &self.host {
            request = request.header(header::HOST, host);
        }
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let unfit = |_| Problem::new(Code::BadRequest, "the address can't be read");
        let body = Body::from(body.unwrap_or_default());
        let request = request.body(body).map_err(unfit)?;
        let answered: Result<_, Infallible> = self.router.clone().oneshot(request).await;
        let (head, body) = match answered {
            Ok(response) => response.into_parts(),
            Err(never) => match never {},
        };
        Ok((head.status, body))
    }
}

async fn read<T: DeserializeOwned>((status, body): (StatusCode, Body)) -> Result<T, Problem> {
    let bytes = whole(body).await?;
    if !status.is_success() {
        return Err(problem(status, &bytes));
    }
    let unfit = |error| format!("the answer of the interface can't be read: {error}");
    serde_json::from_slice(&bytes).map_err(|error| Problem::new(Code::Internal, unfit(error)))
}

async fn whole(body: Body) -> Result<Bytes, Problem> {
    let broken = |_| Problem::new(Code::Unavailable, "the answer broke off; try again");
    Ok(body.collect().await.map_err(broken)?.to_bytes())
}

fn problem(status: StatusCode, bytes: &[u8]) -> Problem {
    let unfit = || Problem::new(Code::Internal, format!("the answer was {status}"));
    serde_json::from_slice(bytes).unwrap_or_else(|_| unfit())
}

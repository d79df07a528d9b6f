//! `GET /metrics`, and the count of every request.

use super::access::Whole;
use super::{App, Read};
use crate::metrics::{RequestLabels, RouteLabels};
use crate::server::Server;
use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use pin_project_lite::pin_project;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;
use tower::{Layer, Service};

/// The text format of OpenMetrics, which Prometheus reads.
const TEXT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) fn routes() -> Router<App> {
    Router::new().route("/metrics", get(metrics))
}

async fn metrics(whole: Whole<Read>) -> impl IntoResponse {
    let text = whole.server.metrics.text(&whole.server).await;
    ([(header::CONTENT_TYPE, TEXT)], text)
}

/// Counts every request that is answered by what stands inside.
#[derive(Clone)]
pub(super) struct Count(pub(super) Arc<Server>);

impl<S> Layer<S> for Count {
    type Service = Counted<S>;

    fn layer(&self, inner: S) -> Counted<S> {
        let server = self.0.clone();
        Counted { inner, server }
    }
}

/// A service of which every request is counted.
#[derive(Clone)]
pub(super) struct Counted<S> {
    inner: S,
    server: Arc<Server>,
}

impl<S: Service<Request, Response = Response>> Service<Request> for Counted<S> {
    type Response = Response;
    type Error = S::Error;
    type Future = Counting<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Counting<S::Future> {
        let asked = Asked::of(&request, self.server.clone());
        let answer = self.inner.call(request);
        Counting { answer, asked }
    }
}

pin_project! {
    /// A request that is counted once it is answered. Not a boxed one: there are as many of them as
    /// requests under way.
    pub(super) struct Counting<F> {
        #[pin]
        answer: F,
        asked: Asked,
    }
}

impl<E, F: Future<Output = Result<Response, E>>> Future for Counting<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let answer = ready!(this.answer.poll(context));
        if let Ok(response) = &answer {
            this.asked.count(response.status());
        }
        Poll::Ready(answer)
    }
}

/// What is counted of a request: its route, never its path, which strangers choose.
struct Asked {
    server: Arc<Server>,
    route: Option<MatchedPath>,
    method: &'static str,
    at: Instant,
}

impl Asked {
    fn of(request: &Request, server: Arc<Server>) -> Self {
        Self {
            server,
            route: request.extensions().get::<MatchedPath>().cloned(),
            method: match *request.method() {
                Method::GET => "GET",
                Method::POST => "POST",
                Method::PUT => "PUT",
                Method::DELETE => "DELETE",
                Method::HEAD => "HEAD",
                Method::OPTIONS => "OPTIONS",
                Method::PATCH => "PATCH",
                _ => "other",
            },
            at: Instant::now(),
        }
    }

    fn count(&self, status: StatusCode) {
        let route = self.route.as_ref().map_or("none", MatchedPath::as_str);
        let route = RouteLabels {
            route: route.to_owned(),
        };
        let metrics = &self.server.metrics;
        let took = metrics.request_seconds.get_or_create(&route);
        took.observe(self.at.elapsed().as_secs_f64());
        let answered = RequestLabels {
            route: route.route,
            method: self.method,
            status: status.as_u16(),
        };
        metrics.requests.get_or_create(&answered).inc();
    }
}

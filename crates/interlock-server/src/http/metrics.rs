//! `GET /metrics`, and the count of every request.

use super::access::Whole;
use super::{App, Read};
use crate::metrics::{RequestLabels, RouteLabels};
use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::time::Instant;

/// The text format of OpenMetrics, which Prometheus reads.
const TEXT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) fn routes() -> Router<App> {
    Router::new().route("/metrics", get(metrics))
}

async fn metrics(whole: Whole<Read>) -> impl IntoResponse {
    let text = whole.server.metrics.text(&whole.server).await;
    ([(header::CONTENT_TYPE, TEXT)], text)
}

/// Counts a request by its route, never by its path, which strangers choose.
pub(super) async fn count(State(app): State<App>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or_else(|| "none".to_owned(), |route| route.as_str().to_owned());
    let method = match request.method().as_str() {
        known @ ("GET" | "POST" | "PUT" | "DELETE" | "HEAD" | "OPTIONS" | "PATCH") => known,
        _ => "other",
    }
    .to_owned();
    let begun = Instant::now();
    let response = next.run(request).await;
    let metrics = &app.server.metrics;
    let seconds = begun.elapsed().as_secs_f64();
    let status = response.status().as_u16();
    let took = RouteLabels {
        route: route.clone(),
    };
    metrics
        .request_seconds
        .get_or_create(&took)
        .observe(seconds);
    let answered = RequestLabels {
        route,
        method,
        status,
    };
    metrics.requests.get_or_create(&answered).inc();
    response
}

//! Tells a page that it is stale. The events themselves stay here: a browser needs only to know that
//! there were some, and not more often than it can follow.

use crate::Shared;
use crate::ask::Ask;
use crate::layout;
use axum::Router;
use axum::body::Body;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::stream;
use http_body_util::BodyExt;
use std::convert::Infallible;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// A page is told no more often than this.
const TELL_EVERY: Duration = Duration::from_secs(1);
/// How often a silent connection shows that it is there.
const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(15);

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/live", get(live))
}

async fn live(ask: Ask) -> Response {
    let path = match ask.viewer.query.as_str() {
        "" => "/v1/events".to_owned(),
        query => format!("/v1/events?{query}"),
    };
    let events = match ask.api.stream(&path).await {
        Ok(events) => events,
        Err(problem) => return layout::problem(&ask.viewer, &problem),
    };
    let teller = Teller {
        events,
        not_before: Instant::now(),
    };
    let told = stream::unfold(teller, |mut teller| async {
        teller.next().await?;
        let event = Event::default().data("stale");
        Some((Ok::<_, Infallible>(event), teller))
    });
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE_EVERY);
    Sse::new(told).keep_alive(keep_alive).into_response()
}

/// Reads events and says when a page should look again.
struct Teller {
    events: Body,
    not_before: Instant,
}

impl Teller {
    /// Waits until something has happened, and for as long as it is too soon to say so; what happens
    /// in the meantime is part of the same word. None once there are no more events.
    async fn next(&mut self) -> Option<()> {
        while !self.heard().await? {}
        while let Ok(more) = timeout_at(self.not_before, self.heard()).await {
            more?;
        }
        self.not_before = Instant::now() + TELL_EVERY;
        Some(())
    }

    /// Whether the next piece of the stream has an event in it, and not only a sign of life.
    async fn heard(&mut self) -> Option<bool> {
        let frame = self.events.frame().await?.ok()?;
        let data = frame.into_data().ok()?;
        Some(data.windows(5).any(|bytes| bytes == b"data:"))
    }
}

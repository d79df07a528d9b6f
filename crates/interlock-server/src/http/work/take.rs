//! `take`: a long poll. The tasks count as delivered when their bytes go to the connection; until
//! then a worker that is gone gives them back by not being there.

use crate::cell::{CellError, Delivery};
use crate::http::answer::Problems;
use crate::http::body::Body1;
use crate::http::{Access, Answer, Work};
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Response, header};
use axum::response::IntoResponse;
use http_body::{Frame, SizeHint};
use interlock_api::convert;
use interlock_api::id::RunToken;
use interlock_api::run::{Take, Taken};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Takes tasks, and may report how the last ones ended.
///
/// Waits for the first one if asked to. Takes of a session are numbered: repeating the last number
/// gets the same answer, so a lost reply loses nothing.
#[utoipa::path(post, path = "/v1/work/take", tag = "work",
    security(("token" = ["work"])),
    request_body = Take,
    responses(
        (status = 200, description = "The tasks; none if the time is up", body = Taken),
        Problems,
    ))]
pub(super) async fn take(access: Access<Work>, Body1(wire): Body1<Take>) -> Answer<Handing> {
    let tokens: Vec<RunToken> = wire.finishes.iter().map(|finish| finish.token).collect();
    let take = convert::run::take(wire)?;
    let delivery = tokio::select! {
        delivery = access.namespace.cell.take(take) => delivery??,
        () = access.server.stopping() => return Err(CellError::Stopping.into()),
    };
    let taken = convert::run::taken(&delivery.look().cloned().unwrap_or_default(), &tokens);
    let bytes = serde_json::to_vec(&taken).expect("wire types are plain data");
    Ok(Handing {
        bytes: Some(bytes.into()),
        delivery: Some(delivery),
    })
}

/// Tasks on their way to a connection.
pub(super) struct Handing {
    bytes: Option<Bytes>,
    delivery: Option<Delivery>,
}

impl IntoResponse for Handing {
    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::new(self));
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response
    }
}

impl http_body::Body for Handing {
    type Data = Bytes;
    type Error = Infallible;

    /// Asked for by the connection when it is about to write.
    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(delivery) = self.delivery.take() {
            delivery.accept();
        }
        Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}

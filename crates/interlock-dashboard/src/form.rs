//! What a form sends.

use crate::Shared;
use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use axum::response::Response;
use std::time::Duration;

/// The largest form: a payload of the largest size, escaped.
const FORM_BYTES_MAX: usize = 4 << 20;
/// How soon it must have come.
const FORM_WITHIN: Duration = Duration::from_secs(30);

/// Names and values, as often as they were sent.
#[derive(Debug, Default)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Reads a query string or a form's body.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        Self(form_urlencoded::parse(bytes).into_owned().collect())
    }

    /// A value without the space around it; empty if there is none.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// A value as it was sent.
    pub(crate) fn raw(&self, name: &str) -> &str {
        let mut found = self.0.iter().filter(|(found, _)| found == name);
        found.next().map_or("", |(_, value)| value)
    }

    /// A value, if it was sent and is not empty.
    pub(crate) fn some(&self, name: &str) -> Option<String> {
        match self.get(name) {
            "" => None,
            value => Some(value.to_owned()),
        }
    }

    /// All values of a name.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let found = self.0.iter().filter(move |(found, _)| found == name);
        found.map(|(_, value)| value.as_str())
    }
}

impl FromRequest<Shared> for Form {
    type Rejection = Response;

    async fn from_request(request: Request, _: &Shared) -> Result<Self, Response> {
        let refused = |text| {
            crate::layout::plain(axum::http::StatusCode::BAD_REQUEST, "Not understood", text)
        };
        let body = to_bytes(request.into_body(), FORM_BYTES_MAX);
        let body = tokio::time::timeout(FORM_WITHIN, body).await;
        let body = body.map_err(|_| refused("The form did not come in time."))?;
        let body = body.map_err(|_| refused("The form is too large, or broke off."))?;
        Ok(Self::parse(&body))
    }
}

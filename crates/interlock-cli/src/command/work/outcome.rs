//! What a command came to, as a result or an error of its run.

use super::tail::Tail;
use interlock_api::Span;
use interlock_api::json::Json;
use interlock_client::worker::Error;
use serde::Serialize;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// Again: a trouble that will pass (EX_TEMPFAIL).
pub(super) const AGAIN: i32 = 75;
/// Not again: what was asked makes no sense (EX_DATAERR).
pub(super) const NOT_AGAIN: i32 = 65;

/// What a command said, besides how it exited.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) tail: Tail,
    pub(super) result: Option<Json>,
    pub(super) error: Option<String>,
    pub(super) retry_in: Option<Span>,
}

/// The result of a command that says none itself.
#[derive(Serialize)]
struct Log {
    log: String,
}

impl Said {
    /// The result of the run, or its failure.
    pub(super) fn outcome(self, status: ExitStatus) -> Result<Option<Json>, Error> {
        let log = self.tail.text();
        if status.success() {
            return Ok(match (self.result, log.is_empty()) {
                (Some(result), _) => Some(result),
                (None, true) => None,
                (None, false) => Json::of(&Log { log }).ok(),
            });
        }
        let message = self.error.unwrap_or_else(|| how(status));
        let wait = self.retry_in.map(|span| Duration::from_millis(span.ms()));
        let error = match (status.code(), wait) {
            (Some(NOT_AGAIN), _) => Error::give_up(message),
            (_, Some(wait)) => Error::retry_in(wait, message),
            (_, None) => Error::new(message),
        };
        Err(error.with_detail(log))
    }
}

fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(AGAIN), _) => "it asks to be tried again (exit code 75)".to_owned(),
        (Some(NOT_AGAIN), _) => "it asks not to be tried again (exit code 65)".to_owned(),
        (Some(code @ 129..=192), _) => format!("a signal ended it ({})", code - 128),
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("a signal ended it ({signal})"),
        (None, None) => "it ended".to_owned(),
    }
}

//! Why a call has no answer.

use interlock_api::{Code, Problem};
use std::time::Duration;

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server said no, and why.
    #[error("{0}")]
    Problem(Problem),
    /// Nobody listens there: nothing was sent.
    #[error("cannot reach the server at {server}")]
    Unreachable {
        /// Where it should be.
        server: String,
        /// What the system said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The connection broke: the request may have been carried out.
    #[error("the connection to {server} broke before the answer")]
    Broken {
        /// Where the server is.
        server: String,
        /// How.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No answer came in time: the request may have been carried out.
    #[error("no answer from {server} within {} s", after.as_secs())]
    Timeout {
        /// Where the server is.
        server: String,
        /// For how long it was waited.
        after: Duration,
    },
    /// Something answered that does not speak this protocol.
    #[error("{server} answered with status {status}, but not as an Interlock server: {what}")]
    Foreign {
        /// Where it is.
        server: String,
        /// The HTTP status.
        status: u16,
        /// What is wrong with it.
        what: String,
    },
}

impl Error {
    /// The problem, if the server answered with one.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Error::Problem(problem) => Some(problem),
            _ => None,
        }
    }

    /// The code of the problem, if the server answered with one.
    pub fn code(&self) -> Option<Code> {
        self.problem().map(|problem| problem.code)
    }

    /// Whether the same call may be granted later without a change.
    pub fn is_retryable(&self) -> bool {
        match self {
            Error::Problem(problem) => problem.code.is_retryable(),
            Error::Unreachable { .. } | Error::Broken { .. } | Error::Timeout { .. } => true,
            Error::Foreign { status, .. } => matches!(status, 502..=504),
        }
    }

    /// Whether it is certain that nothing was changed, so that asking again can't do a thing twice.
    pub fn had_no_side_effects(&self) -> bool {
        match self {
            Error::Problem(problem) => problem.code.had_no_side_effects(),
            Error::Unreachable { .. } => true,
            _ => false,
        }
    }
}

//! How a handler says that it failed, and how a worker does.

use interlock_api::id::RunToken;
use interlock_api::run::{Again, Finish, How, RunError};
use interlock_api::{Problem, Span};
use std::fmt;
use std::time::Duration;

/// Why a run did not do what was asked. Any error becomes one by `?`, and is tried again as the kind
/// says.
///
/// ```
/// use interlock_client::worker::Error;
/// use std::time::Duration;
///
/// fn look(status: u16) -> Result<(), Error> {
///     match status {
///         200 => Ok(()),
///         404 => Err(Error::give_up("the repository is gone")),
///         429 => Err(Error::retry_in(Duration::from_secs(90), "too many requests")),
///         _ => Err(Error::new("the mirror is in trouble").with_detail(format!("status {status}"))),
///     }
/// }
/// # assert!(look(200).is_ok());
/// # assert_eq!(look(404).unwrap_err().to_string(), "the repository is gone");
/// ```
// Not a `std::error::Error` itself, so that every such error can become one.
#[derive(Debug)]
pub struct Error {
    message: String,
    detail: String,
    then: Then,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    AsKindSays,
    In(Duration),
    Never,
    Release,
}

impl Error {
    /// A failure in one line, by which failures are grouped. It is tried again as the kind says.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            detail: String::new(),
            then: Then::AsKindSays,
        }
    }

    /// A failure, to be tried again after this long.
    pub fn retry_in(wait: Duration, message: impl Into<String>) -> Self {
        Self {
            then: Then::In(wait),
            ..Self::new(message)
        }
    }

    /// A failure for good: not to be tried again.
    pub fn give_up(message: impl Into<String>) -> Self {
        Self {
            then: Then::Never,
            ..Self::new(message)
        }
    }

    /// Not a failure: the task is given back undone, to its old place.
    pub fn release() -> Self {
        Self {
            then: Then::Release,
            ..Self::new("given back")
        }
    }

    /// The same with whatever helps to find the cause.
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// The run was told to stop while it waited for something.
    pub(super) fn stopped() -> Self {
        Self::new("the run was told to stop")
    }

    pub(super) fn into_finish(self, token: RunToken) -> Finish {
        let again = match self.then {
            Then::AsKindSays | Then::Release => None,
            Then::In(wait) => Some(Again::In(Span::from_ms(
                u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            ))),
            Then::Never => Some(Again::Never),
        };
        let released = self.then == Then::Release;
        Finish {
            token,
            how: if released { How::Release } else { How::Fail },
            result: None,
            error: (!released).then_some(RunError {
                message: self.message,
                detail: self.detail,
            }),
            again,
            used: Vec::new(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for Error {
    fn from(error: E) -> Self {
        let mut causes = Vec::new();
        let mut cause = error.source();
        while let Some(found) = cause {
            causes.push(format!("caused by: {found}"));
            cause = found.source();
        }
        Self::new(error.to_string()).with_detail(causes.join("\n"))
    }
}

/// Why a worker ended that was not asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// Another process works under its name, or took it over.
    #[error("another process works as {name:?}")]
    NameInUse {
        /// The worker's name.
        name: String,
    },
    /// The server does not let it work.
    #[error("the server refuses the worker: {0}")]
    Refused(Problem),
    /// What answers is not a server of this protocol.
    #[error(transparent)]
    Call(#[from] crate::Error),
    /// It can't listen for signals.
    #[error("cannot listen for signals: {0}")]
    Signals(std::io::Error),
    /// The system does not give it what it needs to run.
    #[error("the worker cannot run: {0}")]
    Thread(std::io::Error),
    /// It handles nothing.
    #[error("the worker has no handler")]
    NoHandler,
    /// A handler was still at work when the worker had to stop at once, so its resource was not
    /// given back: the lease sees to that.
    #[error("a handler did not stop")]
    StillAtWork,
}

//! Exit codes, and how an error is printed: what happened, what caused it, and what may help.

use crate::{plain, style};
use interlock_api::{Code, Problem};
use interlock_client::Error;
use std::process::ExitCode;

/// Something else went wrong.
pub const ERROR: u8 = 1;
/// The command line, or a file that it names, makes no sense.
pub const USAGE: u8 = 2;
/// The task was let in, and something stands in its way.
pub const POSTPONED: u8 = 3;
/// The task can never run, or would have to wait.
pub const REJECTED: u8 = 4;
/// The task that was waited for has failed.
pub const FAILED: u8 = 5;
/// The task that was waited for was called off.
pub const CANCELLED: u8 = 6;

/// What a command ends with.
pub type Outcome = Result<ExitCode, Failure>;

/// A command that did not do what it was asked.
#[derive(Debug)]
pub struct Failure {
    error: anyhow::Error,
    hint: Option<String>,
    code: u8,
}

impl Failure {
    /// The command line, or a file that it names, makes no sense.
    pub fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self::from(error).code(USAGE)
    }

    /// The same with advice.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with another exit code.
    pub fn code(mut self, code: u8) -> Self {
        self.code = code;
        self
    }

    /// Prints it, and says how to exit.
    pub fn print(&self) -> ExitCode {
        let mut said = self.error.to_string();
        eprintln!("{} {}", style::error("error:"), plain::lines(&said));
        for cause in self.error.chain().skip(1) {
            let cause = cause.to_string();
            // Many errors repeat their source in their own text.
            if !said.contains(&cause) {
                let cause = plain::lines(&cause);
                eprintln!("{} {cause}", style::error("caused by:"));
            }
            said = cause;
        }
        let hint = self.hint.clone().or_else(|| hint_of(&self.error));
        if let Some(hint) = hint {
            eprintln!("{} {}", style::hint("hint:"), plain::lines(&hint));
        }
        ExitCode::from(self.code)
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self {
            error: error.into(),
            hint: None,
            code: ERROR,
        }
    }
}

/// What may help against an error of the client.
fn hint_of(error: &anyhow::Error) -> Option<String> {
    match error.downcast_ref::<Error>()? {
        Error::Unreachable { server, .. } if server.starts_with("https:") => Some(
            "if an authority of your own vouches for the server, name its certificate with --ca or \
             INTERLOCK_CA"
                .to_owned(),
        ),
        Error::Unreachable { .. } => Some(
            "start a server with `interlock serve`, or say where it is with --server or \
             INTERLOCK_SERVER"
                .to_owned(),
        ),
        Error::Broken { .. } | Error::Timeout { .. } => Some(
            "it may have been carried out all the same: look before you repeat it, or submit with \
             --idempotency-key"
                .to_owned(),
        ),
        Error::Foreign { .. } => Some("is that the address of an Interlock server?".to_owned()),
        Error::Problem(problem) => hint_of_problem(problem),
        _ => None,
    }
}

fn hint_of_problem(problem: &Problem) -> Option<String> {
    let known = problem.more.known.join(", ");
    let advice = match problem.code {
        Code::Unauthorized => "give a token with --token, --token-file or INTERLOCK_TOKEN",
        Code::Forbidden => "`interlock tokens list` shows what each token allows",
        Code::UnknownKind if known.is_empty() => {
            "no kind is registered yet; register one with `interlock kinds set NAME`"
        }
        Code::UnknownKind => "register a new one with `interlock kinds set NAME`",
        Code::UnknownNamespace => "create one with `interlock namespaces set NAME`",
        Code::UnknownTask => "`interlock tasks list` shows the tasks there are",
        Code::UnknownQuota => "`interlock quotas list` shows the quotas there are",
        Code::UnknownSchedule => "`interlock schedules list` shows the schedules there are",
        Code::UnknownWorker => "`interlock workers list` shows the workers there are",
        Code::StandsForSeveral => "cancel all of them with --all",
        Code::Running => "`interlock tasks cancel ID` stops a running task",
        Code::Ended => "`interlock tasks show ID` shows how it ended",
        Code::NotFound => "is the server of the same version as this command?",
        _ => "",
    };
    match (known.is_empty(), advice.is_empty()) {
        (true, true) => None,
        (true, false) => Some(advice.to_owned()),
        (false, true) => Some(format!("known are: {known}")),
        (false, false) => Some(format!("known are: {known}; {advice}")),
    }
}

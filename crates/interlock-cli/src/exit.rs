//! Exit codes, and how an error is printed: what happened, what caused it, and what may help.

use std::process::ExitCode;

/// Something else went wrong.
pub const ERROR: u8 = 1;

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
        eprintln!("error: {}", self.error);
        let mut said = self.error.to_string();
        for cause in self.error.chain().skip(1) {
            let cause = cause.to_string();
            // Many errors repeat their source in their own text.
            if !said.contains(&cause) {
                eprintln!("caused by: {cause}");
            }
            said = cause;
        }
        if let Some(hint) = &self.hint {
            eprintln!("hint: {hint}");
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

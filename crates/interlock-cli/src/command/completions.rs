//! `interlock completions`: for the shell.

use crate::cli::Cli;
use crate::exit::Outcome;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock completions bash > /etc/bash_completion.d/interlock
  interlock completions zsh > ~/.zfunc/_interlock
  interlock completions fish > ~/.config/fish/completions/interlock.fish";

/// Prints completions for a shell.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints them.
    pub fn run(self) -> Outcome {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "interlock", &mut text);
        crate::print::own(String::from_utf8_lossy(&text).trim_end());
        Ok(ExitCode::SUCCESS)
    }
}

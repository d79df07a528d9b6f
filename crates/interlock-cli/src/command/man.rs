//! `interlock man`: manual pages.

use crate::cli::Cli;
use crate::exit::Outcome;
use anyhow::Context;
use clap::{Args, CommandFactory};
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock man | man -l -
  interlock man --dir /usr/local/share/man/man1
      Writes one page for each command.";

/// Prints the manual page, or writes one for each command.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Man {
    /// Write the pages of all commands to this directory; made if it is not there
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    /// Prints or writes.
    pub fn run(self) -> Outcome {
        let command = Cli::command();
        let Some(dir) = self.dir else {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page)?;
            crate::print::own(String::from_utf8_lossy(&page).trim_end());
            return Ok(ExitCode::SUCCESS);
        };
        std::fs::create_dir_all(&dir)
            .with_context(|| format!("cannot make the directory {}", dir.display()))?;
        clap_mangen::generate_to(command, &dir)
            .with_context(|| format!("cannot write the pages to {}", dir.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}

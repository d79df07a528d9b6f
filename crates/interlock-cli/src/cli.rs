//! The command line as a whole.

use crate::command::serve;
use crate::exit::Outcome;
use clap::{Parser, Subcommand};

/// Coordinates background work on shared resources: no two conflicting tasks ever run at once.
#[derive(Parser)]
#[command(name = "interlock", version, propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Serve(serve::Serve),
}

impl Cli {
    /// Does what was asked for.
    pub fn run(self) -> Outcome {
        match self.command {
            Command::Serve(serve) => serve.run(),
        }
    }
}

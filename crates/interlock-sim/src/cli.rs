//! The command line: one file per command.

mod bugs;
mod repeat;
mod run;
mod spread;

use crate::feature::Features;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock-sim run --seeds 300
      Runs the worlds of seeds 0 to 299 and ends with `seeds: 300, violations: 0`.
  interlock-sim run --seeds 10000 --from 50000 --jobs 2
      Ten thousand other worlds, on two threads.
  interlock-sim repeat --seed 17 --trace
      One world again, every step printed.
  interlock-sim repeat --seed 17 --without schedules,holds
      The same world without some of its features, as a shrunk failure says.
  interlock-sim bugs
      Turns on each seeded bug in turn and ends with `bugs caught: X of Y`.

Exit code 0 if nothing was wrong, 1 if something was, 2 for a bad command line.";

/// Deterministic simulator: whole worlds in virtual time that try to break Interlock's promises.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Runs many worlds and reports what was violated.
    Run(run::Run),
    /// Runs one world again.
    Repeat(repeat::Repeat),
    /// Turns on seeded bugs one at a time; each must be caught.
    Bugs(bugs::Bugs),
}

impl Cli {
    /// Does what was asked for.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self.verb {
            Verb::Run(run) => run.run(),
            Verb::Repeat(repeat) => repeat.run(),
            Verb::Bugs(bugs) => bugs.run(),
        }
    }
}

fn features(text: &str) -> Result<Features, String> {
    Features::parse(text)
}

fn code(good: bool) -> ExitCode {
    if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

//! `repeat`: one world again, exactly.

use super::{code, features};
use crate::feature::Features;
use crate::options::{COMMANDS_DEFAULT, Options};
use crate::seeded::Seeded;
use crate::situation::Situation;
use crate::world::World;
use clap::Args;
use std::process::ExitCode;

/// Runs one world again.
#[derive(Args)]
pub struct Repeat {
    /// The seed.
    #[arg(long)]
    seed: u64,
    /// Commands before the liveness phase.
    #[arg(long, default_value_t = COMMANDS_DEFAULT)]
    commands: u64,
    /// Features to leave out.
    #[arg(long, value_parser = features, default_value = "")]
    without: Features,
    /// A seeded bug to turn on, by name.
    #[arg(long, value_parser = Seeded::parse)]
    bug: Option<Seeded>,
    /// Print every step.
    #[arg(long)]
    trace: bool,
}

impl Repeat {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let options = Options {
            seed: self.seed,
            commands: self.commands,
            without: self.without,
            bug: self.bug,
            trace: self.trace,
        };
        let outcome = World::run(&options);
        for situation in Situation::ALL
            .iter()
            .filter(|s| outcome.situations.has(**s))
        {
            println!("reached: {}", situation.text());
        }
        println!(
            "commands: {}, trace: {:016x}",
            outcome.commands, outcome.hash
        );
        if let Some(violation) = &outcome.violation {
            println!("VIOLATION of {}: {}", violation.checker, violation.message);
        }
        println!(
            "seeds: 1, violations: {}",
            u8::from(outcome.violation.is_some())
        );
        Ok(code(outcome.violation.is_none()))
    }
}

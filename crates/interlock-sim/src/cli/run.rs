//! `run`: many worlds.

use super::spread::{bar, jobs_default, spread};
use super::{code, features};
use crate::feature::Features;
use crate::options::{COMMANDS_DEFAULT, Options};
use crate::shrink::shrink;
use crate::situation::Tally;
use crate::world::{Outcome, World};
use clap::Args;
use std::process::ExitCode;

/// From so many seeds on, a situation that is hardly ever reached is worth a warning.
const SEEDS_ENOUGH: u64 = 300;
/// A situation shall be reached in so many percent of seeds.
const PERCENT_ENOUGH: f64 = 1.0;
/// Failures that are shrunk and shown in full.
const SHOWN: usize = 3;

/// Runs many worlds and reports what was violated.
#[derive(Args)]
pub struct Run {
    /// How many seeds.
    #[arg(long, default_value_t = 300)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Threads; as many as there are cores if not given.
    #[arg(long)]
    jobs: Option<usize>,
    /// Commands of each world before its liveness phase.
    #[arg(long, default_value_t = COMMANDS_DEFAULT)]
    commands: u64,
    /// Features to leave out, such as `schedules,holds`.
    #[arg(long, value_parser = features, default_value = "")]
    without: Features,
    /// Fail also if a situation was reached in less than 1 % of seeds.
    #[arg(long)]
    require_situations: bool,
    /// Do not shrink failures.
    #[arg(long)]
    no_shrink: bool,
}

impl Run {
    fn options(&self, seed: u64) -> Options {
        Options {
            commands: self.commands,
            without: self.without,
            ..Options::new(seed)
        }
    }

    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let bar = bar(self.seeds);
        let jobs = self.jobs.unwrap_or_else(jobs_default);
        let seeds = self.from..self.from.saturating_add(self.seeds);
        let mut outcomes = spread(seeds, jobs, &bar, |seed, _| {
            (seed, World::run(&self.options(seed)))
        });
        bar.finish_and_clear();
        outcomes.sort_by_key(|(seed, _)| *seed);
        let mut tally = Tally::default();
        for (_, outcome) in &outcomes {
            tally.add(outcome.situations);
        }
        let rare = show_situations(&tally);
        let violations = self.show_violations(&outcomes);
        println!("seeds: {}, violations: {violations}", self.seeds);
        Ok(code(
            violations == 0 && (rare == 0 || !self.require_situations),
        ))
    }

    fn show_violations(&self, outcomes: &[(u64, Outcome)]) -> usize {
        let bad = outcomes
            .iter()
            .filter(|(_, outcome)| outcome.violation.is_some());
        let bad: Vec<_> = bad.collect();
        for (index, (seed, outcome)) in bad.iter().enumerate() {
            let options = self.options(*seed);
            if let Some(violation) = &outcome.violation {
                println!(
                    "VIOLATION of {} at seed {seed}: {}",
                    violation.checker, violation.message
                );
                println!("  repeat: {}", options.repeat_line());
            }
            if index < SHOWN && !self.no_shrink {
                let small = shrink(&options);
                println!(
                    "  shrunk to {} commands: {}",
                    small.commands,
                    small.options.repeat_line()
                );
                println!("  there: {}", small.message);
            }
        }
        bad.len()
    }
}

fn show_situations(tally: &Tally) -> usize {
    println!("situations, in percent of {} seeds:", tally.seeds);
    let mut rare = Vec::new();
    for (situation, percent) in tally.percentages() {
        println!("  {percent:6.1} % {}", situation.text());
        if percent < PERCENT_ENOUGH && tally.seeds >= SEEDS_ENOUGH {
            rare.push(situation.text());
        }
    }
    for text in &rare {
        println!("warning: reached in less than {PERCENT_ENOUGH} % of seeds: {text}");
    }
    rare.len()
}

//! `bugs`: a simulator is only as good as the bugs it catches. Each seeded bug is turned on alone, and
//! worlds are run until a checker notices.

use super::code;
use super::spread::{bar, jobs_default, spread};
use crate::check::selfcheck;
use crate::options::Options;
use crate::oracle::Violation;
use crate::panics::PANIC;
use crate::seeded::Seeded;
use crate::world::World;
use clap::Args;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

/// Turns on seeded bugs one at a time; each must be caught.
#[derive(Args)]
pub struct Bugs {
    /// Seeds per bug at most.
    #[arg(long, default_value_t = 400)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Threads; as many as there are cores if not given.
    #[arg(long)]
    jobs: Option<usize>,
    /// Only bugs whose names contain this.
    #[arg(long, default_value = "")]
    only: String,
}

/// An assertion in the mutated code proves nothing about the checkers.
fn is_from_outside(violation: &Violation) -> bool {
    !matches!(violation.checker, PANIC | selfcheck::NAME)
}

impl Bugs {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let bugs: Vec<Seeded> = Seeded::all()
            .filter(|bug| bug.name().contains(&self.only))
            .collect();
        let mut caught = 0;
        for bug in &bugs {
            match self.hunt(*bug) {
                Some((seed, checker, message)) => {
                    caught += 1;
                    println!(
                        "{}: caught by {checker} at seed {seed}: {message}",
                        bug.name()
                    );
                }
                None => println!("{}: NOT CAUGHT in {} seeds", bug.name(), self.seeds),
            }
        }
        println!("bugs caught: {caught} of {}", bugs.len());
        Ok(code(caught == bugs.len()))
    }

    /// The lowest seed at which a checker noticed, with what it said.
    fn hunt(&self, bug: Seeded) -> Option<(u64, &'static str, String)> {
        let bar = bar(self.seeds);
        bar.set_message(bug.name());
        let jobs = self.jobs.unwrap_or_else(jobs_default);
        let seeds = self.from..self.from.saturating_add(self.seeds);
        let found = spread(seeds, jobs, &bar, |seed, enough| {
            let options = Options {
                bug: Some(bug),
                ..Options::new(seed)
            };
            let violation = World::run(&options).violation.filter(is_from_outside)?;
            // What fails without the bug, too, says nothing about it.
            if World::run(&Options::new(seed)).violation.is_some() {
                return None;
            }
            enough.store(true, Ordering::Relaxed);
            Some((seed, violation.checker, violation.message))
        });
        bar.finish_and_clear();
        found.into_iter().flatten().min_by_key(|(seed, _, _)| *seed)
    }
}

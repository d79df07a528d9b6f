//! Deterministic simulator: whole worlds in virtual time that try to break Interlock's promises.
//!
//! A seed determines a world: its scenery, its workload, its faults. An observer with one checker per
//! promise watches from outside. Nothing in a world reads a clock, spawns a thread or iterates in hash
//! order; seeds are spread over threads, worlds are not.
#![allow(
    unreachable_pub,
    reason = "a binary: `pub` means for the other modules, nothing is reachable from outside"
)]

mod actor;
mod check;
mod cli;
mod faults;
mod feature;
mod options;
mod oracle;
mod panics;
mod rng;
mod scenery;
mod seeded;
mod shrink;
mod situation;
mod trace;
mod worker;
mod workload;
mod world;

#[cfg(test)]
mod tests;

use clap::Parser;
use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    let cli = cli::Cli::parse();
    panics::listen();
    cli.run()
}

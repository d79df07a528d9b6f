//! Benchmarks of Interlock. Ratios are measured in one run, interleaved, since machines are noisy;
//! absolute figures are for information.
//!
//! Leaves to others: what is right (the tests) and what holds under faults (the simulator).

mod affinity;
mod chaos;
mod cluster;
mod core;
mod host;
mod kill;
mod load;
mod measure;
mod nodes;
mod progress;
mod report;
mod server;
mod suite;
mod tasks;
mod wire;
mod work;
mod workers;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Benchmarks of Interlock.
#[derive(Parser)]
#[command(name = "interlock-bench")]
struct Cli {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The rules alone: one thread, no store.
    Core(core::Options),
    /// The whole server over HTTP, on durable settings.
    Server(suite::Options),
    /// Workers by the SDK against the whole server, on durable settings.
    Workers(suite::Options),
    /// The real binary under kill -9, with a ledger of what it acknowledged.
    Kill(kill::Options),
    /// Nodes on PostgreSQL beside the embedded store, with its default durability.
    Cluster(suite::Options),
    /// Three nodes on PostgreSQL that are killed, paused and cut off, with a ledger of what they
    /// acknowledged.
    Chaos(chaos::Options),
}

fn main() -> anyhow::Result<ExitCode> {
    match Cli::parse().what {
        What::Chaos(options) => chaos::run(&options),
        What::Cluster(options) => cluster::run(&options),
        What::Core(options) => core::run(&options),
        What::Kill(options) => kill::run(&options),
        What::Server(options) => server::run(&options),
        What::Workers(options) => workers::run(&options),
    }
}

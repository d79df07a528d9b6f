//! The server as a process of its own on durable settings, and a load over loopback. Ratios in one
//! run, in turns; the load generator shares the machine.

mod host;
mod load;
mod singles;
mod wire;

pub(crate) use host::{HostOptions, host};
pub(crate) use wire::{Connection, get, post};

use crate::progress::Progress;
use crate::report::{Figure, Report};
use std::process::ExitCode;

/// What to measure, and how to show it.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Cut-down sizes: shows that the benchmark works, in seconds.
    #[arg(long)]
    quick: bool,
    /// JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Fail if a figure misses its target.
    #[arg(long)]
    strict: bool,
    /// Only figures whose name contains this.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// Measures something and gives one or more figures.
type Bench = (&'static str, fn(quick: bool) -> anyhow::Result<Vec<Figure>>);

const BENCHES: &[Bench] = &[("singles", singles::figures)];

/// Measures everything asked for and prints it.
pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let wanted = |name: &str| (options.only.as_deref()).is_none_or(|only| name.contains(only));
    let benches: Vec<&Bench> = BENCHES.iter().filter(|bench| wanted(bench.0)).collect();
    let progress = Progress::new(benches.len());
    let mut report = Report {
        quick: options.quick,
        figures: Vec::new(),
    };
    for (name, figures) in benches {
        progress.begin(name);
        report.figures.extend(figures(options.quick)?);
        progress.end();
    }
    if options.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        println!("{report}");
    }
    let failed = report.figures.is_empty() || (options.strict && report.missed() > 0);
    Ok(ExitCode::from(u8::from(failed)))
}

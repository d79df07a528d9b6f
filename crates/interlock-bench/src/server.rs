//! The server as a process of its own on durable settings, and a load over loopback. Ratios in one
//! run, in turns; the load generator shares the machine.

mod latency;
mod load;
mod parked;
mod restart;
mod singles;
mod tasks;
mod whole_life;

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
    /// Only benchmarks whose name contains this: singles, whole lives, latency, parked takes, restart.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// Measures something and gives one or more figures.
async fn measure(bench: &str, quick: bool) -> anyhow::Result<Vec<Figure>> {
    match bench {
        "singles" => singles::figures(quick).await,
        "whole lives" => whole_life::figures(quick).await,
        "latency" => latency::figures(quick).await,
        "parked takes" => parked::figures(quick).await,
        "restart" => restart::figures(quick).await,
        other => unreachable!("{other} is not a benchmark"),
    }
}

const BENCHES: &[&str] = &[
    "singles",
    "whole lives",
    "latency",
    "parked takes",
    "restart",
];

/// Measures everything asked for and prints it.
pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let wanted = |name: &str| (options.only.as_deref()).is_none_or(|only| name.contains(only));
    let benches: Vec<&str> = BENCHES
        .iter()
        .copied()
        .filter(|name| wanted(name))
        .collect();
    // One thread: the load generator leaves the other core to the server.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let progress = Progress::new(benches.len());
    let mut report = Report {
        quick: options.quick,
        figures: Vec::new(),
    };
    for name in benches {
        progress.begin(name);
        report
            .figures
            .extend(runtime.block_on(measure(name, options.quick))?);
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

//! The rules alone: one thread, no store, no server. One figure per file.

mod busy_resource;
mod crowd;
mod cycles;
mod floor;
mod hand_over;
mod hold;
mod load;
mod memory;
mod scale;
mod world;

use crate::progress::Progress;
use crate::report::{Figure, Report};
use scale::Scale;
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
type Bench = (&'static str, fn(&Scale) -> Vec<Figure>);

const BENCHES: &[Bench] = &[
    ("floor", floor::figures),
    ("cycles", cycles::figures),
    ("crowd", crowd::figures),
    ("busy-resource", busy_resource::figures),
    ("hand-over", hand_over::figures),
    ("memory", memory::figures),
    ("hold", hold::figures),
];

/// Measures everything asked for and prints it.
pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let report = measure(options);
    if options.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        println!("{report}");
    }
    let failed = report.figures.is_empty() || (options.strict && report.missed() > 0);
    Ok(ExitCode::from(u8::from(failed)))
}

fn measure(options: &Options) -> Report {
    let wanted = |name: &str| {
        options
            .only
            .as_deref()
            .is_none_or(|only| name.contains(only))
    };
    let benches: Vec<&Bench> = BENCHES.iter().filter(|bench| wanted(bench.0)).collect();
    let scale = Scale::new(options.quick);
    let progress = Progress::new(benches.len());
    let mut report = Report {
        quick: options.quick,
        figures: Vec::new(),
    };
    for (name, figures) in benches {
        progress.begin(name);
        report.figures.extend(figures(&scale));
        progress.end();
    }
    report
}

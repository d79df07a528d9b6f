//! Benchmarks that are run one after the other over one server each, and how they are asked for.

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
    /// Only benchmarks whose name contains this.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// Measures everything asked for and prints it. `measure` gives the figures of one benchmark, in
/// cut-down sizes if told so.
pub(crate) fn run(
    benches: &[&'static str],
    options: &Options,
    measure: impl AsyncFn(&'static str, bool) -> anyhow::Result<Vec<Figure>>,
) -> anyhow::Result<ExitCode> {
    let wanted = |name: &str| (options.only.as_deref()).is_none_or(|only| name.contains(only));
    let wanted: Vec<&str> = (benches.iter().copied())
        .filter(|name| wanted(name))
        .collect();
    anyhow::ensure!(
        !wanted.is_empty(),
        "there is no such benchmark; there are: {}",
        benches.join(", ")
    );
    // One thread: the load generator leaves the other core to the server.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let progress = Progress::new(wanted.len());
    let mut report = Report {
        quick: options.quick,
        figures: Vec::new(),
    };
    for name in wanted {
        progress.begin(name);
        let figures = runtime.block_on(measure(name, options.quick))?;
        report.figures.extend(figures);
        progress.end();
    }
    if options.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        println!("{report}");
    }
    let failed = options.strict && report.missed() > 0;
    Ok(ExitCode::from(u8::from(failed)))
}

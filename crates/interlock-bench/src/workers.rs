//! Workers by the SDK, with handlers that do nothing, against the server as a process of its own on
//! durable settings. Ratios in one run, in turns, each on a server of its own; the workers share the
//! machine with it.

mod backlog;
mod hot_resource;
mod latency;
mod sdk;

use crate::report::Figure;
use crate::suite::{self, Options};
use std::process::ExitCode;

/// Measures something and gives one or more figures.
async fn measure(bench: &'static str, quick: bool) -> anyhow::Result<Vec<Figure>> {
    match bench {
        "backlog" => backlog::figures(quick).await,
        "hot resource" => hot_resource::figures(quick).await,
        "latency" => latency::figures(quick).await,
        other => unreachable!("{other} is not a benchmark"),
    }
}

const BENCHES: &[&str] = &["backlog", "hot resource", "latency"];

/// Measures everything asked for and prints it.
pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    suite::run(BENCHES, options, measure)
}

//! The server as a process of its own on durable settings, and a load over loopback. Ratios in one
//! run, in turns; the load generator shares the machine.

mod latency;
mod parked;
mod restart;
mod singles;
pub(crate) mod whole_life;

use crate::report::Figure;
use crate::suite::{self, Options};
use std::process::ExitCode;

/// Measures something and gives one or more figures.
async fn measure(bench: &'static str, quick: bool) -> anyhow::Result<Vec<Figure>> {
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
    suite::run(BENCHES, options, measure)
}

//! Nodes on a PostgreSQL server with its default durability, beside the embedded store. Ratios in one
//! run, in turns; database, nodes and load generator share the machine.

mod connections;
mod failover;
mod forwarding;
mod rates;
mod two_nodes;

use crate::report::Figure;
use crate::suite::{self, Options};
use std::process::ExitCode;

/// Measures something and gives one or more figures.
async fn measure(bench: &'static str, quick: bool) -> anyhow::Result<Vec<Figure>> {
    match bench {
        "rates" => rates::figures(quick).await,
        "two nodes" => two_nodes::figures(quick).await,
        "forwarding" => forwarding::figures(quick).await,
        "fail-over" => failover::figures(quick).await,
        "connections" => connections::figures(quick).await,
        other => unreachable!("{other} is not a benchmark"),
    }
}

const BENCHES: &[&str] = &[
    "rates",
    "two nodes",
    "forwarding",
    "fail-over",
    "connections",
];

/// Measures everything asked for and prints it.
pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    suite::run(BENCHES, options, measure)
}

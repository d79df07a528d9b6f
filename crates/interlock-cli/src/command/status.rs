//! `interlock status`: the server at a glance.

use crate::exit::Outcome;
use crate::global::Context;
use crate::print;
use clap::Args;
use interlock_api::sentence;
use interlock_api::status::{NamespaceStatus, Status as Answer};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock status
  interlock --server http://10.0.0.7:7420 status --json";

/// Shows the server and its namespaces at a glance.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Status {}

impl Status {
    /// Shows it.
    pub async fn run(self, context: &Context) -> Outcome {
        let status = context.client.status().await?;
        context.show(&status, |status| shown(status, context));
        Ok(ExitCode::SUCCESS)
    }
}

fn shown(status: &Answer, context: &Context) {
    print::line(format_args!(
        "Interlock {} at {}, up for {}, store {}",
        status.version,
        context.client.server(),
        sentence::length(status.up.ms()),
        status.store
    ));
    print::line("");
    let heads = [
        "NAMESPACE",
        "STATE",
        "WAITING",
        "RUNNING",
        "RESOURCES",
        "SESSIONS",
        "IDLE",
    ];
    print::table(heads, status.namespaces.iter().map(row));
}

fn row(namespace: &NamespaceStatus) -> [String; 7] {
    let counts = &namespace.counts;
    let state = if namespace.ready { "ready" } else { "loading" };
    [
        namespace.name.clone(),
        state.to_owned(),
        counts.waiting.to_string(),
        counts.running.to_string(),
        counts.resources.to_string(),
        counts.sessions.to_string(),
        counts.idle_workers.to_string(),
    ]
}

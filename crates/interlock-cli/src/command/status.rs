//! `interlock status`: the server at a glance.

use crate::exit::Outcome;
use crate::global::Context;
use crate::{print, word};
use clap::Args;
use interlock_api::node::Node;
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
    if !status.nodes.is_empty() {
        print::line("");
        let heads = ["NODE", "STATE", "ADDRESS", "NAMESPACE", "EPOCH", "UNFOLDED"];
        print::table(
            heads,
            status.nodes.iter().flat_map(|node| served(node, status)),
        );
    }
}

/// What a node serves, a row each; or one that says that it serves nothing.
fn served(node: &Node, status: &Answer) -> Vec<[String; 6]> {
    let row = |namespace: &str, epoch: String, unfolded: String| {
        [
            node.name.clone(),
            word::text(&node.state),
            node.address.clone(),
            namespace.to_owned(),
            epoch,
            unfolded,
        ]
    };
    let mut rows: Vec<[String; 6]> = (node.namespaces.iter())
        .map(|served| {
            let known = status.namespaces.iter().find(|one| one.name == served.name);
            let unfolded = known.map_or_else(String::new, |known| known.unfolded.to_string());
            row(&served.name, served.epoch.to_string(), unfolded)
        })
        .collect();
    if rows.is_empty() {
        rows.push(row("-", String::new(), String::new()));
    }
    rows
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

//! `interlock nodes`.

use crate::exit::Outcome;
use crate::global::Context;
use crate::{print, word};
use clap::{Args, Subcommand};
use interlock_api::node::Node;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock nodes list
  interlock nodes drain n1
      Before its machine is shut down: its namespaces go to the other nodes.
  interlock nodes undrain n1";

/// Nodes: the servers on one PostgreSQL database, and what each of them serves.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Nodes {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(List),
    Drain(Drain),
    Undrain(Undrain),
}

impl Nodes {
    /// Does it.
    pub async fn run(self, context: &Context) -> Outcome {
        match self.verb {
            Verb::List(verb) => verb.run(context).await,
            Verb::Drain(verb) => verb.run(context).await,
            Verb::Undrain(verb) => verb.run(context).await,
        }
    }
}

const LIST: &str = "\
Examples:
  interlock nodes list";

/// Lists nodes, those that are alive first.
#[derive(Args)]
#[command(after_help = LIST)]
struct List {}

impl List {
    async fn run(self, context: &Context) -> Outcome {
        let all = context.client.nodes().list().await?;
        context.show(&all, |all| {
            if all.nodes.is_empty() {
                return print::line("The server is by itself: several nodes need PostgreSQL.");
            }
            let heads = [
                "NODE",
                "STATE",
                "ADDRESS",
                "VERSION",
                "STARTED",
                "NAMESPACES",
            ];
            print::table(heads, all.nodes.iter().map(|node| row(node, context)));
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn row(node: &Node, context: &Context) -> [String; 6] {
    let served = node.namespaces.iter();
    let served: Vec<String> = served
        .map(|served| format!("{} (epoch {})", served.name, served.epoch))
        .collect();
    [
        match node.here {
            true => format!("{} (this one)", node.name),
            false => node.name.clone(),
        },
        word::text(&node.state),
        node.address.clone(),
        node.version.clone(),
        context.ago(node.started),
        served.join(", "),
    ]
}

const DRAIN: &str = "\
Examples:
  interlock nodes drain n1";

/// Has a node give its namespaces to others and take no new ones.
#[derive(Args)]
#[command(after_help = DRAIN)]
struct Drain {
    /// The node
    name: String,
}

impl Drain {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.nodes().drain(&self.name).await?;
        context.show(&done, |_| {
            print::line(format_args!(
                "Node {} gives its namespaces to the others.",
                self.name
            ));
        });
        Ok(ExitCode::SUCCESS)
    }
}

const UNDRAIN: &str = "\
Examples:
  interlock nodes undrain n1";

/// Lets a node serve namespaces again.
#[derive(Args)]
#[command(after_help = UNDRAIN)]
struct Undrain {
    /// The node
    name: String,
}

impl Undrain {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.nodes().undrain(&self.name).await?;
        context.show(&done, |_| {
            print::line(format_args!("Node {} serves namespaces again.", self.name));
        });
        Ok(ExitCode::SUCCESS)
    }
}

//! `interlock workers`.

use super::page::PageArgs;
use crate::exit::Outcome;
use crate::global::Context;
use crate::{print, word};
use clap::{Args, Subcommand};
use interlock_api::worker::Worker;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock workers list
  interlock workers drain w1";

/// Workers: who is there, and what they run.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Workers {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(List),
    Show(Show),
    Drain(Drain),
}

impl Workers {
    /// Does it.
    pub async fn run(self, context: &Context) -> Outcome {
        match self.verb {
            Verb::List(verb) => verb.run(context).await,
            Verb::Show(verb) => verb.run(context).await,
            Verb::Drain(verb) => verb.run(context).await,
        }
    }
}

const LIST: &str = "\
Examples:
  interlock workers list";

/// Lists workers.
#[derive(Args)]
#[command(after_help = LIST)]
struct List {
    #[command(flatten)]
    page: PageArgs,
}

impl List {
    async fn run(self, context: &Context) -> Outcome {
        let page = context.client.workers().list(&self.page.query()).await?;
        context.show(&page, |page| {
            if page.items.is_empty() && page.next.is_none() {
                return print::line("There are no workers.");
            }
            print::table(
                ["WORKER", "STATE", "SESSION", "KINDS", "RUNNING"],
                page.items.iter().map(row),
            );
            print::more(page.next.as_deref());
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn row(worker: &Worker) -> [String; 5] {
    let running: Vec<String> = worker.running.iter().map(ToString::to_string).collect();
    [
        worker.name.clone(),
        word::text(&worker.state),
        worker.session.to_string(),
        worker.kinds.join(", "),
        running.join(", "),
    ]
}

const SHOW: &str = "\
Examples:
  interlock workers show w1";

/// Shows a worker.
#[derive(Args)]
#[command(after_help = SHOW)]
struct Show {
    /// The worker
    name: String,
}

impl Show {
    async fn run(self, context: &Context) -> Outcome {
        let worker = context.client.workers().show(&self.name).await?;
        context.show(&worker, |worker| {
            let [name, state, session, kinds, running] = row(worker);
            print::line(format_args!("Worker {name} is {state}"));
            print::fields(&[
                ("session", Some(session)),
                ("kinds", Some(kinds)),
                ("runs tasks", (!running.is_empty()).then_some(running)),
            ]);
        });
        Ok(ExitCode::SUCCESS)
    }
}

const DRAIN: &str = "\
Examples:
  interlock workers drain w1";

/// Gives a worker no new work: it leaves when it is done.
#[derive(Args)]
#[command(after_help = DRAIN)]
struct Drain {
    /// The worker
    name: String,
}

impl Drain {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.workers().drain(&self.name).await?;
        context.show(&done, |_| {
            print::line(format_args!(
                "Worker {} gets no new work and leaves when it is done.",
                self.name
            ));
        });
        Ok(ExitCode::SUCCESS)
    }
}

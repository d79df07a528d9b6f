//! `interlock failures`.

use crate::exit::{self, Outcome};
use crate::global::Context;
use crate::{plain, print};
use clap::{Args, Subcommand};
use interlock_api::failure::{Failure, FailureQuery, Retried, RetryFailures};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock failures list
  interlock failures retry sync --error 'connection refused'";

/// Failures, grouped by kind and error, and their retry in bulk.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Failures {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(List),
    Retry(Retry),
}

impl Failures {
    /// Does it.
    pub async fn run(self, context: &Context) -> Outcome {
        match self.verb {
            Verb::List(verb) => verb.run(context).await,
            Verb::Retry(verb) => verb.run(context).await,
        }
    }
}

const LIST: &str = "\
Examples:
  interlock failures list
  interlock failures list --json
      With the whole of long errors.";

/// Lists what failed for good, grouped by kind and error.
#[derive(Args)]
#[command(after_help = LIST)]
struct List {
    /// At most so many
    #[arg(long, default_value_t = 100)]
    limit: u32,
}

impl List {
    async fn run(self, context: &Context) -> Outcome {
        let query = FailureQuery {
            limit: Some(self.limit),
        };
        let page = context.client.failures().list(&query).await?;
        context.show(&page, |page| {
            if page.items.is_empty() {
                return print::line("Nothing has failed.");
            }
            let rows = page.items.iter().map(|failure| row(failure, context));
            print::table(
                ["KIND", "ERROR", "TASKS", "RESOURCES", "FIRST", "LAST"],
                rows,
            );
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn row(failure: &Failure, context: &Context) -> [String; 6] {
    [
        failure.kind.clone(),
        plain::short(&failure.error),
        failure.count.to_string(),
        failure.resources.to_string(),
        context.ago(failure.first),
        context.ago(failure.last),
    ]
}

const RETRY: &str = "\
Examples:
  interlock failures retry sync
  interlock failures retry sync --error 'connection refused'

Exit codes: 0 all of them were let in, 1 some were not.";

/// Submits all failed tasks of a kind again, or those with one error.
#[derive(Args)]
#[command(after_help = RETRY)]
struct Retry {
    /// The kind
    kind: String,
    /// Only those with this error
    #[arg(long, value_name = "TEXT")]
    error: Option<String>,
}

impl Retry {
    async fn run(self, context: &Context) -> Outcome {
        let mut which = RetryFailures {
            kind: self.kind,
            error: self.error,
            cursor: None,
        };
        let mut all = Retried {
            retried: Vec::new(),
            next: None,
        };
        // Each answer has at most a thousand.
        loop {
            let retried = context.client.failures().retry(&which).await?;
            all.retried.extend(retried.retried);
            which.cursor = retried.next;
            if which.cursor.is_none() {
                break;
            }
        }
        context.show(&all, tell);
        let refused = all
            .retried
            .iter()
            .any(|task| task.outcome.problem.is_some());
        Ok(ExitCode::from(if refused { exit::ERROR } else { 0 }))
    }
}

fn tell(all: &Retried) {
    let (mut good, mut bad) = (0, 0);
    for task in &all.retried {
        match &task.outcome.problem {
            Some(problem) => {
                bad += 1;
                print::line(format_args!("task {} was not let in: {problem}", task.task));
            }
            None => good += 1,
        }
    }
    let good = print::count(good, "task");
    match bad {
        0 => print::line(format_args!("{good} submitted again.")),
        _ => print::line(format_args!("{good} submitted again, {bad} not let in.")),
    }
}

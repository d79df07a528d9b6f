//! `interlock tasks purge`.

use crate::exit::Outcome;
use crate::global::Context;
use crate::{print, word};
use clap::Args;
use interlock_api::task::{self, Outcome as Ended};
use interlock_api::{Span, Time};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock tasks purge --outcome succeeded --ended-before 2026-11-01T00:00:00Z
  interlock tasks purge --kind sync --outcome cancelled,succeeded --older-than 7d";

/// Deletes ended tasks from the history: all that fit every filter.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[group(required = true, multiple = true)]
pub struct Purge {
    /// Only these outcomes
    #[arg(long = "outcome", value_name = "OUTCOME", value_delimiter = ',',
        value_parser = word::one_of::<Ended>(&["succeeded", "failed", "cancelled"]))]
    outcomes: Vec<Ended>,
    /// Only this kind
    #[arg(long)]
    kind: Option<String>,
    /// Only tasks that claimed this resource
    #[arg(long)]
    resource: Option<String>,
    /// Only tasks that ended before this time
    #[arg(long, value_name = "TIME", conflicts_with = "older_than")]
    ended_before: Option<Time>,
    /// Only tasks that ended so long ago, such as 7d
    #[arg(long, value_name = "DURATION")]
    older_than: Option<Span>,
}

impl Purge {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let older = |span: Span| Time::from_ms(context.now.ms().saturating_sub(span.ms()));
        let purge = task::Purge {
            outcomes: self.outcomes,
            kind: self.kind,
            resource: self.resource,
            ended_before: self.ended_before.or(self.older_than.map(older)),
        };
        let purged = context.client.tasks().purge(&purge).await?;
        context.show(&purged, |purged| {
            let tasks = print::count(purged.tasks, "task");
            print::line(format_args!("Deleted {tasks} from the history."));
        });
        Ok(ExitCode::SUCCESS)
    }
}

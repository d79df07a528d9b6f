//! `interlock tasks`: look at tasks, and steer them.

mod explain;
mod list;
mod purge;
mod show;
mod steer;

use super::wait;
use crate::exit::Outcome;
use crate::global::Context;
use clap::{Args, Subcommand};

pub use explain::tree;
pub use list::resources;

const EXAMPLES: &str = "\
Examples:
  interlock tasks list --resource repository:f16
  interlock tasks show 17
  interlock tasks explain 17
  interlock tasks cancel 17";

/// Looks at tasks, and steers them.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Tasks {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(list::List),
    Show(show::Show),
    Explain(explain::Explain),
    Cancel(steer::Cancel),
    Retry(steer::Retry),
    Bump(steer::Bump),
    Hold(steer::Hold),
    Release(steer::Release),
    Purge(purge::Purge),
    Wait(Wait),
}

const WAIT_EXAMPLES: &str = "\
Examples:
  interlock tasks wait 17

Exit codes: 0 it succeeded, 5 it failed, 6 it was cancelled.";

/// Waits until a task has ended, and shows how far it is.
#[derive(Args)]
#[command(after_help = WAIT_EXAMPLES)]
struct Wait {
    /// The task
    id: u64,
}

impl Tasks {
    /// Does it.
    pub async fn run(self, context: &Context) -> Outcome {
        match self.verb {
            Verb::List(list) => list.run(context).await,
            Verb::Show(show) => show.run(context).await,
            Verb::Explain(explain) => explain.run(context).await,
            Verb::Cancel(cancel) => cancel.run(context).await,
            Verb::Retry(retry) => retry.run(context).await,
            Verb::Bump(bump) => bump.run(context).await,
            Verb::Hold(hold) => hold.run(context).await,
            Verb::Release(release) => release.run(context).await,
            Verb::Purge(purge) => purge.run(context).await,
            Verb::Wait(wait) => wait::wait(context, wait.id).await,
        }
    }
}

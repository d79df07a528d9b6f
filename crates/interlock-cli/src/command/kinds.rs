//! `interlock kinds`.

use super::page::PageArgs;
use super::policy::PolicyArgs;
use crate::exit::Outcome;
use crate::global::Context;
use crate::{print, word};
use clap::{Args, Subcommand};
use interlock_api::kind::Kind;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock kinds set sync --coalesce --waits 3m,20m,3h,24h --retry-for 3d
  interlock kinds list
  interlock kinds hold sync";

/// Kinds of task: their policies, and what there is of them.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Kinds {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(List),
    Show(Show),
    Set(Box<Set>),
    Remove(Remove),
    Hold(Hold),
    Release(Release),
}

impl Kinds {
    /// Does it.
    pub async fn run(self, context: &Context) -> Outcome {
        match self.verb {
            Verb::List(verb) => verb.run(context).await,
            Verb::Show(verb) => verb.run(context).await,
            Verb::Set(verb) => verb.run(context).await,
            Verb::Remove(verb) => verb.run(context).await,
            Verb::Hold(verb) => verb.run(context).await,
            Verb::Release(verb) => verb.run(context).await,
        }
    }
}

const LIST: &str = "\
Examples:
  interlock kinds list";

/// Lists kinds.
#[derive(Args)]
#[command(after_help = LIST)]
struct List {
    #[command(flatten)]
    page: PageArgs,
}

impl List {
    async fn run(self, context: &Context) -> Outcome {
        let page = context.client.kinds().list(&self.page.query()).await?;
        context.show(&page, |page| {
            if page.items.is_empty() && page.next.is_none() {
                return print::line(
                    "There are no kinds; register one with `interlock kinds set NAME`.",
                );
            }
            print::table(
                ["KIND", "PRIORITY", "OP", "WAITING", "RUNNING", "STATE"],
                page.items.iter().map(row),
            );
            print::more(page.next.as_deref());
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn row(kind: &Kind) -> [String; 6] {
    let policy = &kind.policy;
    [
        kind.name.clone(),
        policy
            .priority
            .map(|priority| priority.to_string())
            .unwrap_or_default(),
        policy.op.as_ref().map(word::text).unwrap_or_default(),
        kind.waiting.to_string(),
        kind.running.to_string(),
        state(kind).to_owned(),
    ]
}

fn state(kind: &Kind) -> &'static str {
    match (kind.held, kind.staffed) {
        (true, _) => "held",
        (false, true) => "open",
        (false, false) => "no worker",
    }
}

const SHOW: &str = "\
Examples:
  interlock kinds show sync";

/// Shows a kind with its whole policy.
#[derive(Args)]
#[command(after_help = SHOW)]
struct Show {
    /// The kind
    name: String,
}

impl Show {
    async fn run(self, context: &Context) -> Outcome {
        let kind = context.client.kinds().show(&self.name).await?;
        context.show(&kind, shown);
        Ok(ExitCode::SUCCESS)
    }
}

fn shown(kind: &Kind) {
    print::line(format_args!(
        "{}: {}, {} waiting, {} running",
        kind.name,
        state(kind),
        kind.waiting,
        kind.running
    ));
    print::policy(&kind.policy);
}

const SET: &str = "\
Examples:
  interlock kinds set sync
  interlock kinds set sync --priority 6 --coalesce --gather 3s
  interlock kinds set import --waits 3m,20m,3h,24h --retry-for 3d --quota shop-calls=2
  interlock kinds set publish --op read --run-within 1h --on-loss cancel
  interlock kinds set sync --policy @sync.json
      The whole policy as the API has it; other flags win over what is in it.

What is not given goes back to its default.";

/// Registers a kind, or changes its policy as a whole.
#[derive(Args)]
#[command(after_help = SET)]
struct Set {
    /// The kind
    name: String,
    #[command(flatten)]
    policy: PolicyArgs,
}

impl Set {
    async fn run(self, context: &Context) -> Outcome {
        let policy = self.policy.policy()?;
        let kind = context.client.kinds().set(&self.name, &policy).await?;
        context.show(&kind, |kind| {
            print::line(format_args!("Kind {} is set.", kind.name));
        });
        Ok(ExitCode::SUCCESS)
    }
}

const REMOVE: &str = "\
Examples:
  interlock kinds remove sync";

/// Removes a kind that has no tasks.
#[derive(Args)]
#[command(after_help = REMOVE)]
struct Remove {
    /// The kind
    name: String,
}

impl Remove {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.kinds().remove(&self.name).await?;
        context.show(&done, |_| {
            print::line(format_args!("Kind {} is removed.", self.name));
        });
        Ok(ExitCode::SUCCESS)
    }
}

const HOLD: &str = "\
Examples:
  interlock kinds hold sync
  interlock kinds release sync";

/// Keeps tasks of a kind from starting.
#[derive(Args)]
#[command(after_help = HOLD)]
struct Hold {
    /// The kind
    name: String,
}

impl Hold {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.kinds().hold(&self.name).await?;
        context.show(&done, |_| {
            print::line(format_args!(
                "Kind {} is held: none of its tasks starts.",
                self.name
            ));
        });
        Ok(ExitCode::SUCCESS)
    }
}

const RELEASE: &str = "\
Examples:
  interlock kinds release sync";

/// Lets tasks of a held kind start again.
#[derive(Args)]
#[command(after_help = RELEASE)]
struct Release {
    /// The kind
    name: String,
}

impl Release {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.kinds().release(&self.name).await?;
        context.show(&done, |_| {
            print::line(format_args!("Kind {} is released.", self.name));
        });
        Ok(ExitCode::SUCCESS)
    }
}

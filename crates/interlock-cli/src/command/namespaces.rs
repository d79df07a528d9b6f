//! `interlock namespaces`.

use super::page::PageArgs;
use crate::exit::Outcome;
use crate::global::Context;
use crate::{print, when};
use clap::{Args, Subcommand};
use interlock_api::Span;
use interlock_api::namespace::{Namespace, NamespacePolicy};
use interlock_api::node::MoveNamespace;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock namespaces set shops
  interlock --namespace shops kinds set sync
  interlock --namespace shops submit sync shop:42
  interlock namespaces list";

/// Namespaces: worlds of their own.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Namespaces {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(List),
    Show(Show),
    Set(Set),
    Remove(Remove),
    Hold(Hold),
    Release(Release),
    Move(Move),
}

impl Namespaces {
    /// Does it.
    pub async fn run(self, context: &Context) -> Outcome {
        match self.verb {
            Verb::List(verb) => verb.run(context).await,
            Verb::Show(verb) => verb.run(context).await,
            Verb::Set(verb) => verb.run(context).await,
            Verb::Remove(verb) => verb.run(context).await,
            Verb::Hold(verb) => verb.run(context).await,
            Verb::Release(verb) => verb.run(context).await,
            Verb::Move(verb) => verb.run(context).await,
        }
    }
}

const LIST: &str = "\
Examples:
  interlock namespaces list";

/// Lists namespaces.
#[derive(Args)]
#[command(after_help = LIST)]
struct List {
    #[command(flatten)]
    page: PageArgs,
}

impl List {
    async fn run(self, context: &Context) -> Outcome {
        let page = context.client.namespaces().list(&self.page.query()).await?;
        context.show(&page, |page| {
            if page.items.is_empty() && page.next.is_none() {
                return print::line("There are no namespaces.");
            }
            print::table(
                [
                    "NAMESPACE",
                    "STATE",
                    "WAITING",
                    "RUNNING",
                    "RESOURCES",
                    "SESSIONS",
                    "CREATED",
                ],
                page.items.iter().map(|found| row(found, context)),
            );
            print::more(page.next.as_deref());
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn row(namespace: &Namespace, context: &Context) -> [String; 7] {
    let counts = &namespace.counts;
    [
        namespace.name.clone(),
        state(namespace).to_owned(),
        counts.waiting.to_string(),
        counts.running.to_string(),
        counts.resources.to_string(),
        counts.sessions.to_string(),
        context.ago(namespace.created),
    ]
}

fn state(namespace: &Namespace) -> &'static str {
    if namespace.held { "held" } else { "open" }
}

const SHOW: &str = "\
Examples:
  interlock namespaces show default";

/// Shows a namespace with its settings.
#[derive(Args)]
#[command(after_help = SHOW)]
struct Show {
    /// The namespace
    name: String,
}

impl Show {
    async fn run(self, context: &Context) -> Outcome {
        let namespace = context.client.namespaces().show(&self.name).await?;
        context.show(&namespace, |namespace| {
            let counts = &namespace.counts;
            print::line(format_args!(
                "{}: {}, {} waiting, {} running",
                namespace.name,
                state(namespace),
                counts.waiting,
                counts.running
            ));
            print::fields(&[("created", Some(when::full(namespace.created, context.now)))]);
            print::policy(&namespace.policy);
        });
        Ok(ExitCode::SUCCESS)
    }
}

const SET: &str = "\
Examples:
  interlock namespaces set shops
  interlock namespaces set shops --step 10m --waiting-max 100000

What is not given goes back to its default.";

/// Creates a namespace, or changes its settings as a whole.
#[derive(Args)]
#[command(after_help = SET)]
struct Set {
    /// The namespace
    name: String,
    /// The head start that one level of priority gives
    #[arg(long, value_name = "DURATION")]
    step: Option<Span>,
    /// At most so many waiting tasks
    #[arg(long, value_name = "N")]
    waiting_max: Option<u64>,
    /// At most so many waiting tasks on one resource
    #[arg(long, value_name = "N")]
    waiting_per_resource_max: Option<u64>,
}

impl Set {
    async fn run(self, context: &Context) -> Outcome {
        let policy = NamespacePolicy {
            name: None,
            step: self.step,
            waiting_max: self.waiting_max,
            waiting_per_resource_max: self.waiting_per_resource_max,
        };
        let namespace = context.client.namespaces().set(&self.name, &policy).await?;
        context.show(&namespace, |namespace| {
            print::line(format_args!("Namespace {} is set.", namespace.name));
        });
        Ok(ExitCode::SUCCESS)
    }
}

const REMOVE: &str = "\
Examples:
  interlock namespaces remove shops";

/// Removes a namespace that has no tasks, with its history.
#[derive(Args)]
#[command(after_help = REMOVE)]
struct Remove {
    /// The namespace
    name: String,
}

impl Remove {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.namespaces().remove(&self.name).await?;
        context.show(&done, |_| {
            print::line(format_args!("Namespace {} is removed.", self.name));
        });
        Ok(ExitCode::SUCCESS)
    }
}

const HOLD: &str = "\
Examples:
  interlock namespaces hold shops
  interlock namespaces release shops";

/// Keeps every task of a namespace from starting.
#[derive(Args)]
#[command(after_help = HOLD)]
struct Hold {
    /// The namespace
    name: String,
}

impl Hold {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.namespaces().hold(&self.name).await?;
        context.show(&done, |_| {
            print::line(format_args!(
                "Namespace {} is held: no task starts.",
                self.name
            ));
        });
        Ok(ExitCode::SUCCESS)
    }
}

const RELEASE: &str = "\
Examples:
  interlock namespaces release shops";

/// Lets the tasks of a held namespace start again.
#[derive(Args)]
#[command(after_help = RELEASE)]
struct Release {
    /// The namespace
    name: String,
}

impl Release {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.namespaces().release(&self.name).await?;
        context.show(&done, |_| {
            print::line(format_args!("Namespace {} is released.", self.name));
        });
        Ok(ExitCode::SUCCESS)
    }
}

const MOVE: &str = "\
Examples:
  interlock namespaces move shops --to n2
      It stays there as long as that node does.
  interlock namespaces move shops
      Anywhere: the nodes spread what they serve by themselves.";

/// Has a namespace served by a certain node, if there are several.
#[derive(Args)]
#[command(after_help = MOVE)]
struct Move {
    /// The namespace
    name: String,
    /// The node; any if it is not given
    #[arg(long, value_name = "NODE")]
    to: Option<String>,
}

impl Move {
    async fn run(self, context: &Context) -> Outcome {
        let to = MoveNamespace { to: self.to };
        let done = (context.client.namespaces())
            .move_to(&self.name, &to)
            .await?;
        context.show(&done, |_| match &to.to {
            Some(node) => print::line(format_args!("Namespace {} moves to {node}.", self.name)),
            None => print::line(format_args!("Namespace {} may be anywhere.", self.name)),
        });
        Ok(ExitCode::SUCCESS)
    }
}

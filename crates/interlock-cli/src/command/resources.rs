//! `interlock resources`.

use super::quotas;
use crate::exit::Outcome;
use crate::global::Context;
use crate::{print, word};
use clap::{Args, Subcommand};
use interlock_api::reason::Brief;
use interlock_api::resource::{
    InLine, LastEnded, LastTask, Resource, ResourceQuery, ResourceRow, ResourceState,
};
use interlock_api::sentence;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock resources list --prefix repository:
  interlock resources show shop:42
  interlock resources hold shop:42";

/// Resources: who holds them, who stands in line, what is left of their quotas.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Resources {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(List),
    Show(Show),
    Hold(Hold),
    Release(Release),
}

impl Resources {
    /// Does it.
    pub async fn run(self, context: &Context) -> Outcome {
        match self.verb {
            Verb::List(verb) => verb.run(context).await,
            Verb::Show(verb) => verb.run(context).await,
            Verb::Hold(verb) => verb.run(context).await,
            Verb::Release(verb) => verb.run(context).await,
        }
    }
}

const LIST: &str = "\
Examples:
  interlock resources list
  interlock resources list --prefix repository: --state busy";

/// Lists resources that something claims, holds or meters.
#[derive(Args)]
#[command(after_help = LIST)]
struct List {
    /// Only names that begin with this, such as `repository:`
    #[arg(long, value_name = "TEXT")]
    prefix: Option<String>,
    /// Only this state
    #[arg(long,
        value_parser = word::one_of::<ResourceState>(&["idle", "busy", "queued", "failing", "held"]))]
    state: Option<ResourceState>,
    /// Go on where the last page ended
    #[arg(long)]
    cursor: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 100)]
    limit: u32,
}

impl List {
    async fn run(self, context: &Context) -> Outcome {
        let query = ResourceQuery {
            prefix: self.prefix,
            state: self.state,
            cursor: self.cursor,
            limit: Some(self.limit),
        };
        let page = context.client.resources().list(&query).await?;
        context.show(&page, |page| {
            if page.items.is_empty() && page.next.is_none() {
                return print::line("There are no such resources.");
            }
            let heads = ["RESOURCE", "STATE", "RUNNING", "WAITING"];
            print::table(heads, page.items.iter().map(row));
            print::more(page.next.as_deref());
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn row(resource: &ResourceRow) -> [String; 4] {
    [
        resource.resource.clone(),
        word::text(&resource.state),
        resource.running.to_string(),
        resource.waiting.to_string(),
    ]
}

const SHOW: &str = "\
Examples:
  interlock resources show shop:42";

/// Shows a resource: its holders, its line, its quotas, its last results.
#[derive(Args)]
#[command(after_help = SHOW)]
struct Show {
    /// The resource, `type:id`
    resource: String,
}

impl Show {
    async fn run(self, context: &Context) -> Outcome {
        let resource = context.client.resources().show(&self.resource).await?;
        context.show(&resource, |resource| shown(resource, context));
        Ok(ExitCode::SUCCESS)
    }
}

fn shown(resource: &Resource, context: &Context) {
    let held = match (resource.held, resource.state) {
        (true, ResourceState::Held) | (false, _) => "",
        (true, _) => ", and held by an operator",
    };
    print::line(format_args!(
        "{} is {}{held}; {} waiting",
        resource.resource,
        word::text(&resource.state),
        resource.waiting
    ));
    briefs("Running", &resource.holders);
    tasks("In line", &resource.line, context);
    briefs("Pending creates and deletes", &resource.barriers);
    tasks("Behind those", &resource.outside, context);
    tasks("Not due yet", &resource.scheduled, context);
    if !resource.quotas.is_empty() {
        print::heading("Quotas");
        quotas::counts(&resource.quotas, context);
    }
    if !resource.last.is_empty() {
        print::heading("Last results");
        let rows = resource.last.iter().map(|last| last_row(last, context));
        print::table(["KIND", "SUCCEEDED", "FAILED", "ERROR"], rows);
    }
}

fn briefs(heading: &str, briefs: &[Brief]) {
    if briefs.is_empty() {
        return;
    }
    print::heading(heading);
    print::table(
        ["ID", "KIND", "WORKER", "FOR", "PROGRESS"],
        briefs.iter().map(brief),
    );
}

fn brief(brief: &Brief) -> [String; 5] {
    let percent = brief
        .progress
        .as_ref()
        .and_then(|progress| progress.percent);
    let running = brief.running.map(|running| sentence::length(running.ms()));
    [
        brief.task.to_string(),
        brief.kind.clone(),
        brief.worker.clone().unwrap_or_default(),
        running.unwrap_or_default(),
        percent
            .map(|percent| format!("{percent} %"))
            .unwrap_or_default(),
    ]
}

fn tasks(heading: &str, tasks: &[InLine], context: &Context) {
    if tasks.is_empty() {
        return;
    }
    print::heading(heading);
    let rows = tasks.iter().map(|task| {
        [
            task.task.to_string(),
            task.kind.clone(),
            task.op.as_ref().map(word::text).unwrap_or_default(),
            task.priority.to_string(),
            context.ago(task.submitted),
            (task.reasons.first()).map_or(String::new(), |reason| reason.sentence.clone()),
        ]
    });
    print::table(
        ["ID", "KIND", "OP", "PRIORITY", "SUBMITTED", "WAITS FOR"],
        rows,
    );
}

fn last_row(last: &LastEnded, context: &Context) -> [String; 4] {
    let shown = |task: &LastTask| format!("{} (task {})", context.ago(task.ended), task.task);
    let error = last.failed.as_ref().and_then(|failed| failed.error.clone());
    [
        last.kind.clone(),
        last.succeeded.as_ref().map(shown).unwrap_or_default(),
        last.failed.as_ref().map(shown).unwrap_or_default(),
        error.unwrap_or_default(),
    ]
}

const HOLD: &str = "\
Examples:
  interlock resources hold shop:42
  interlock resources release shop:42";

/// Keeps every task that claims a resource from starting.
#[derive(Args)]
#[command(after_help = HOLD)]
struct Hold {
    /// The resource, `type:id`
    resource: String,
}

impl Hold {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.resources().hold(&self.resource).await?;
        context.show(&done, |_| {
            print::line(format_args!(
                "{} is held: no task on it starts.",
                self.resource
            ));
        });
        Ok(ExitCode::SUCCESS)
    }
}

/// Lets tasks on a held resource start again.
#[derive(Args)]
#[command(after_help = HOLD)]
struct Release {
    /// The resource, `type:id`
    resource: String,
}

impl Release {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.resources().release(&self.resource).await?;
        context.show(&done, |_| {
            print::line(format_args!("{} is released.", self.resource));
        });
        Ok(ExitCode::SUCCESS)
    }
}

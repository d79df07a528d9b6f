//! `interlock tasks list`.

use crate::exit::Outcome;
use crate::global::Context;
use crate::{print, word};
use clap::Args;
use interlock_api::Time;
use interlock_api::claim::Claim;
use interlock_api::task::{State, Task, TaskQuery};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock tasks list
  interlock tasks list --resource repository:f16 --state waiting,running
  interlock tasks list --kind sync --state failed --since 2026-11-15T00:00:00Z
  interlock tasks list --limit 1000 --json";

/// Lists tasks, the newest first.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct List {
    /// Only these states: waiting, running, succeeded, failed, cancelled; with commas between them
    #[arg(long, value_name = "STATES")]
    state: Option<String>,
    /// Only this kind
    #[arg(long)]
    kind: Option<String>,
    /// Only tasks that claim this resource
    #[arg(long)]
    resource: Option<String>,
    /// Only tasks that this worker runs or ran last
    #[arg(long)]
    worker: Option<String>,
    /// Only tasks with this tag
    #[arg(long)]
    tag: Option<String>,
    /// Only tasks that this schedule submitted
    #[arg(long)]
    schedule: Option<String>,
    /// Only tasks of this group
    #[arg(long)]
    group: Option<u64>,
    /// Only tasks that were submitted (or, if ended, ended) at this time or later
    #[arg(long, value_name = "TIME")]
    since: Option<Time>,
    /// Only tasks that were submitted (or, if ended, ended) before this time
    #[arg(long, value_name = "TIME")]
    until: Option<Time>,
    /// Go on where the last page ended
    #[arg(long)]
    cursor: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 50)]
    limit: u32,
}

impl List {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let query = TaskQuery {
            state: self.state,
            kind: self.kind,
            resource: self.resource,
            worker: self.worker,
            tag: self.tag,
            schedule: self.schedule,
            group: self.group,
            parent: None,
            since: self.since,
            until: self.until,
            cursor: self.cursor,
            limit: Some(self.limit),
        };
        let page = context.client.tasks().list(&query).await?;
        context.show(&page, |page| {
            if page.items.is_empty() && page.next.is_none() {
                print::line("There are no such tasks.");
                return;
            }
            let rows = page.items.iter().map(|task| row(task, context));
            print::table(["ID", "KIND", "STATE", "RESOURCES", "WHEN", "MORE"], rows);
            print::more(page.next.as_deref());
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn row(task: &Task, context: &Context) -> [String; 6] {
    let when = (task.run.as_ref().map(|run| run.started))
        .or(task.ended)
        .or(task.submitted);
    [
        task.task.to_string(),
        task.kind.clone().unwrap_or_default(),
        word::text(&task.state),
        resources(&task.resources),
        when.map(|time| context.ago(time)).unwrap_or_default(),
        more(task),
    ]
}

/// What there is to say of it: on whom it runs, why it waits, why it ended.
fn more(task: &Task) -> String {
    if let Some(run) = &task.run {
        let percent = run.progress.as_ref().and_then(|progress| progress.percent);
        return match percent {
            Some(percent) => format!("on {}, {percent} %", run.worker),
            None => format!("on {}", run.worker),
        };
    }
    if let Some(reason) = task.reasons.first() {
        return reason.sentence.clone();
    }
    match (&task.end, &task.worker, task.state) {
        (_, Some(worker), State::Succeeded) => format!("on {worker}"),
        (Some(end), ..) => end.sentence.clone(),
        (None, ..) => String::new(),
    }
}

/// `repository:f16 (read), repository:f17`.
pub fn resources(claims: &[Claim]) -> String {
    let shown = claims.iter().map(|claim| match claim.op {
        Some(op) => format!("{} ({})", claim.resource, word::text(&op)),
        None => claim.resource.clone(),
    });
    shown.collect::<Vec<_>>().join(", ")
}

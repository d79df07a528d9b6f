//! `interlock tasks show`.

use crate::exit::Outcome;
use crate::global::Context;
use crate::{plain, print, style, when};
use clap::Args;
use interlock_api::progress::ShownProgress;
use interlock_api::sentence;
use interlock_api::task::{EndWhy, Run, Task};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock tasks show 17
  interlock tasks show 17 --json";

/// Shows a task: state, run, progress, payload, result.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Show {
    /// The task
    id: u64,
}

impl Show {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let task = context.client.tasks().show(self.id).await?;
        context.show(&task, |task| shown(task, context));
        Ok(ExitCode::SUCCESS)
    }
}

fn shown(task: &Task, context: &Context) {
    let some = |text: String| (!text.is_empty()).then_some(text);
    let time = |time| when::full(time, context.now);
    let kind = task.kind.as_deref().unwrap_or("of a kind no longer known");
    let reasons = task.reasons.iter().map(|reason| reason.sentence.as_str());
    let counted = |count: u32| (count > 0).then(|| count.to_string());
    print::own(format_args!(
        "Task {} ({}) {}",
        task.task,
        plain::line(kind),
        style::state(task.state)
    ));
    print::fields(&[
        ("resources", some(super::resources(&task.resources))),
        (
            "priority",
            task.priority.map(|priority| priority.to_string()),
        ),
        ("waits for", some(reasons.collect::<Vec<_>>().join("\n"))),
        ("runs on", task.run.as_ref().map(run)),
        ("progress", progress(task).map(far)),
        ("submitted", task.submitted.map(time)),
        ("ended", task.ended.map(time)),
        ("outcome", task.end.as_ref().map(|end| end.sentence.clone())),
        ("detail", detail(task)),
        ("worker", task.worker.clone()),
        ("stands for", stands_for(task)),
        ("failed runs", counted(task.tries)),
        ("last failure", last_failure(task, context)),
        ("lost runs", counted(task.losses)),
        ("tags", some(task.tags.join(", "))),
        ("group", task.group.map(|group| group.to_string())),
        ("parent", task.parent.map(|parent| parent.to_string())),
        ("schedule", task.schedule.clone()),
        ("retry of", task.retry_of.map(|task| task.to_string())),
        (
            "payload",
            task.payload.as_ref().map(|json| json.get().to_owned()),
        ),
        (
            "result",
            task.result.as_ref().map(|json| json.get().to_owned()),
        ),
    ]);
}

fn stands_for(task: &Task) -> Option<String> {
    let several = task.stands_for.filter(|count| *count > 1)?;
    Some(print::count(several, "submission"))
}

fn detail(task: &Task) -> Option<String> {
    match &task.end.as_ref()?.why {
        EndWhy::Failure { detail, .. } if !detail.is_empty() => Some(detail.clone()),
        _ => None,
    }
}

/// `connection refused (on w1, 3 s long, 5 min ago)`, and the detail below it. If that is why the
/// task ended, it has been said.
fn last_failure(task: &Task, context: &Context) -> Option<String> {
    let failed = task.last_failure.as_ref()?;
    if matches!(
        task.end.as_ref().map(|end| &end.why),
        Some(EndWhy::Failure { .. })
    ) {
        return None;
    }
    let length = sentence::length(failed.ended.ms().saturating_sub(failed.started.ms()));
    let worker = failed.worker.as_deref().unwrap_or("a worker that left");
    let (message, ago) = (&failed.message, context.ago(failed.ended));
    let mut text = format!("{message} (on {worker}, after {length}, {ago})");
    if !failed.detail.is_empty() {
        text += &format!("\n{}", failed.detail);
    }
    Some(text)
}

fn run(run: &Run) -> String {
    let stopping = if run.stopping { ", told to stop" } else { "" };
    let length = sentence::length(run.running.ms());
    format!("{} for {length} (run {}){stopping}", run.worker, run.token)
}

fn progress(task: &Task) -> Option<&ShownProgress> {
    task.run.as_ref()?.progress.as_ref()
}

/// `45 of 100 packages (45 %): copying`.
fn far(progress: &ShownProgress) -> String {
    let mut text = progress.done.to_string();
    if let Some(total) = progress.total {
        text += &format!(" of {total}");
    }
    if !progress.unit.is_empty() {
        text += &format!(" {}", progress.unit);
    }
    if let Some(percent) = progress.percent {
        text += &format!(" ({percent} %)");
    }
    if !progress.message.is_empty() {
        text += &format!(": {}", progress.message);
    }
    text
}

//! `interlock groups`.

use super::page::PageArgs;
use crate::exit::{self, Failure, Outcome};
use crate::global::Context;
use crate::{input, print, style, word};
use clap::{Args, Subcommand};
use interlock_api::Code;
use interlock_api::group::{Group, GroupCounts, GroupReport, GroupRow};
use interlock_api::submission::Submissions;
use interlock_api::verdict::{ItemOutcome, Verdict};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock groups submit @group.json
  interlock groups show 5
  interlock groups cancel 5";

/// Groups: tasks that are admitted together, all or none.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Groups {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(List),
    Show(Show),
    Submit(Submit),
    Cancel(Cancel),
}

impl Groups {
    /// Does it.
    pub async fn run(self, context: &Context) -> Outcome {
        match self.verb {
            Verb::List(verb) => verb.run(context).await,
            Verb::Show(verb) => verb.run(context).await,
            Verb::Submit(verb) => verb.run(context).await,
            Verb::Cancel(verb) => verb.run(context).await,
        }
    }
}

const LIST: &str = "\
Examples:
  interlock groups list";

/// Lists groups, the newest first.
#[derive(Args)]
#[command(after_help = LIST)]
struct List {
    #[command(flatten)]
    page: PageArgs,
}

impl List {
    async fn run(self, context: &Context) -> Outcome {
        let page = context.client.groups().list(&self.page.query()).await?;
        context.show(&page, |page| {
            if page.items.is_empty() && page.next.is_none() {
                return print::line("There are no groups.");
            }
            print::table(
                ["GROUP", "STATE", "DONE", "TASKS"],
                page.items.iter().map(row),
            );
            print::more(page.next.as_deref());
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn row(group: &GroupRow) -> [String; 4] {
    [
        group.group.to_string(),
        word::text(&group.state),
        format!("{} %", group.percent),
        counts(&group.counts),
    ]
}

/// `2 waiting, 1 running`.
fn counts(counts: &GroupCounts) -> String {
    let parts = [
        (counts.waiting, "waiting"),
        (counts.running, "running"),
        (counts.succeeded, "succeeded"),
        (counts.failed, "failed"),
        (counts.cancelled, "cancelled"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    parts.join(", ")
}

const SHOW: &str = "\
Examples:
  interlock groups show 5";

/// Shows a group and its tasks.
#[derive(Args)]
#[command(after_help = SHOW)]
struct Show {
    /// The group
    id: u64,
}

impl Show {
    async fn run(self, context: &Context) -> Outcome {
        let group = context.client.groups().show(self.id).await?;
        context.show(&group, shown);
        Ok(ExitCode::SUCCESS)
    }
}

fn shown(group: &Group) {
    let state = style::state(group.state);
    print::own(format_args!(
        "Group {} {state}, {} % done: {}",
        group.group,
        group.percent,
        counts(&group.counts)
    ));
    let rows = group.tasks.iter();
    let rows = rows.map(|task| [task.task.to_string(), word::text(&task.state)]);
    print::table(["ID", "STATE"], rows);
}

const SUBMIT: &str = "\
Examples:
  interlock groups submit '[{\"kind\": \"sync\", \"resources\": [\"repository:f16\"]},
                            {\"kind\": \"publish\", \"resources\": [\"repository:f16\"],
                             \"after\": [{\"item\": 0}]}]'
  interlock groups submit @group.json
  generate-items | interlock groups submit -

Exit codes: 0 accepted, 3 some tasks are postponed, 4 rejected, 1 another error.";

/// Submits several tasks together, all or none.
#[derive(Args)]
#[command(after_help = SUBMIT)]
struct Submit {
    /// A list of submissions, or an object with `items`: JSON, @FILE, or - for standard input
    #[arg(value_name = "JSON")]
    items: String,
}

impl Submit {
    async fn run(self, context: &Context) -> Outcome {
        let report = context.client.groups().submit(&items(&self.items)?).await?;
        context.show(&report, tell);
        Ok(exit_code(&report))
    }
}

/// A bare list is as good as an object with it.
fn items(argument: &str) -> Result<Submissions, Failure> {
    let text = input::text(argument)?;
    match text.trim_start().starts_with('[') {
        true => input::body(&format!("{{\"items\": {text}}}")),
        false => input::body(&text),
    }
}

fn tell(report: &GroupReport) {
    match report.group {
        Some(group) => {
            let tasks = print::count(report.outcomes.len() as u64, "task");
            let accepted = style::good("Admitted");
            print::own(format_args!("{accepted}: group {group} with {tasks}."));
        }
        None => {
            let rejected = style::bad("Rejected");
            print::own(format_args!("{rejected}: the group was not admitted."));
        }
    }
    let outcomes = report.outcomes.iter().enumerate();
    print::table(["ITEM", "TASK", "VERDICT", "MORE"], outcomes.map(item));
}

fn item((at, outcome): (usize, &ItemOutcome)) -> [String; 4] {
    let (mut task, mut verdict, mut more) = (String::new(), "refused".to_owned(), String::new());
    if let Some(report) = &outcome.report {
        task = report.task.map(|task| task.to_string()).unwrap_or_default();
        verdict = word::text(&report.verdict);
        if let Some(reason) = report.reasons.first() {
            more.clone_from(&reason.sentence);
        }
    }
    if let Some(problem) = &outcome.problem {
        more = problem.to_string();
    }
    [at.to_string(), task, verdict, more]
}

fn exit_code(report: &GroupReport) -> ExitCode {
    let problems = report
        .outcomes
        .iter()
        .filter_map(|outcome| outcome.problem.as_ref());
    let postponed = |outcome: &ItemOutcome| {
        (outcome.report.as_ref()).is_some_and(|report| report.verdict == Verdict::Postponed)
    };
    let code = match report.group {
        Some(_) if report.outcomes.iter().any(postponed) => exit::POSTPONED,
        Some(_) => 0,
        None if problems
            .clone()
            .any(|problem| problem.code == Code::Rejected) =>
        {
            exit::REJECTED
        }
        None => exit::ERROR,
    };
    ExitCode::from(code)
}

const CANCEL: &str = "\
Examples:
  interlock groups cancel 5";

/// Calls all tasks of a group off.
#[derive(Args)]
#[command(after_help = CANCEL)]
struct Cancel {
    /// The group
    id: u64,
}

impl Cancel {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.groups().cancel(self.id).await?;
        context.show(&done, |_| {
            print::line(format_args!("Group {} is being cancelled.", self.id));
        });
        Ok(ExitCode::SUCCESS)
    }
}

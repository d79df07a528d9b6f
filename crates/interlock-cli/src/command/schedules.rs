//! `interlock schedules`.

use super::page::PageArgs;
use crate::exit::Outcome;
use crate::global::Context;
use crate::what::What;
use crate::{print, when, word};
use clap::{ArgGroup, Args, Subcommand};
use interlock_api::schedule::{Fired, Schedule, SchedulePolicy};
use interlock_api::{Span, Time};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock schedules set nightly --cron '30 3 * * *' sync repository:f16
  interlock schedules list
  interlock schedules pause nightly";

/// Schedules: they submit tasks by the calendar or at an interval.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Schedules {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(List),
    Show(Show),
    Set(Box<Set>),
    Remove(Remove),
    Pause(Pause),
    Resume(Resume),
}

impl Schedules {
    /// Does it.
    pub async fn run(self, context: &Context) -> Outcome {
        match self.verb {
            Verb::List(verb) => verb.run(context).await,
            Verb::Show(verb) => verb.run(context).await,
            Verb::Set(verb) => verb.run(context).await,
            Verb::Remove(verb) => verb.run(context).await,
            Verb::Pause(verb) => verb.run(context).await,
            Verb::Resume(verb) => verb.run(context).await,
        }
    }
}

const LIST: &str = "\
Examples:
  interlock schedules list";

/// Lists schedules.
#[derive(Args)]
#[command(after_help = LIST)]
struct List {
    #[command(flatten)]
    page: PageArgs,
}

impl List {
    async fn run(self, context: &Context) -> Outcome {
        let page = context.client.schedules().list(&self.page.query()).await?;
        context.show(&page, |page| {
            if page.items.is_empty() && page.next.is_none() {
                return print::line("There are no schedules; `interlock schedules set --help` shows how to make one.");
            }
            print::table(["SCHEDULE", "TIMING", "SUBMITS", "LAST", "NEXT", "LIVE"], page.items.iter().map(|found| row(found, context)));
            print::more(page.next.as_deref());
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn row(schedule: &Schedule, context: &Context) -> [String; 6] {
    let ago = |time: Option<Time>| time.map(|time| context.ago(time)).unwrap_or_default();
    let next = match schedule.paused {
        true => "paused".to_owned(),
        false => ago(schedule.next),
    };
    [
        schedule.name.clone(),
        timing(&schedule.policy),
        submits(&schedule.policy),
        ago(schedule.last),
        next,
        schedule
            .live
            .map(|task| task.to_string())
            .unwrap_or_default(),
    ]
}

/// `30 3 * * * (Europe/Prague)`, `every 5m`.
fn timing(policy: &SchedulePolicy) -> String {
    match (&policy.cron, &policy.zone, policy.every) {
        (Some(cron), Some(zone), _) => format!("{cron} ({zone})"),
        (Some(cron), None, _) => cron.clone(),
        (None, _, Some(every)) => format!("every {every}"),
        (None, _, None) => String::new(),
    }
}

fn submits(policy: &SchedulePolicy) -> String {
    let resources = super::tasks::resources(&policy.submission.resources);
    format!("{} {resources}", policy.submission.kind)
        .trim_end()
        .to_owned()
}

const SHOW: &str = "\
Examples:
  interlock schedules show nightly";

/// Shows a schedule: what it is, when it fired and fires, and what came of it.
#[derive(Args)]
#[command(after_help = SHOW)]
struct Show {
    /// The schedule
    name: String,
}

impl Show {
    async fn run(self, context: &Context) -> Outcome {
        let schedule = context.client.schedules().show(&self.name).await?;
        context.show(&schedule, |schedule| shown(schedule, context));
        Ok(ExitCode::SUCCESS)
    }
}

fn shown(schedule: &Schedule, context: &Context) {
    let time = |time: Time| when::full(time, context.now);
    let paused = schedule.paused.then(|| "yes".to_owned());
    print::line(format_args!("Schedule {}", schedule.name));
    print::fields(&[
        ("timing", Some(timing(&schedule.policy))),
        ("submits", Some(submits(&schedule.policy))),
        ("paused", paused),
        ("last fired", schedule.last.map(time)),
        ("last result", schedule.last_fired.as_ref().map(fired)),
        ("fires next", schedule.next.map(time)),
        ("live task", schedule.live.map(|task| task.to_string())),
    ]);
}

fn fired(fired: &Fired) -> String {
    match fired {
        Fired::Submitted { task, verdict } => format!("task {task}, {}", word::text(verdict)),
        Fired::StillLive { task } => format!("nothing: task {task} was still live"),
        Fired::NotAdmitted { code } => format!("not admitted: {code}"),
    }
}

const SET: &str = "\
Examples:
  interlock schedules set nightly --cron '30 3 * * *' --zone Europe/Prague \\
      sync repository:f16
  interlock schedules set often --every 5m sync shop:42 --priority 2
  interlock schedules set thrice --every 1h --count 3 \\
      --start 2026-12-01T06:00:00Z sync shop:42";

/// Creates a schedule, or changes it as a whole.
#[derive(Args)]
#[command(after_help = SET)]
#[command(group(ArgGroup::new("timing").required(true).args(["cron", "every"])))]
struct Set {
    /// The schedule
    name: String,
    #[command(flatten)]
    what: What,
    /// Fires by the calendar: five fields, or six with seconds first
    #[arg(long, value_name = "EXPRESSION", conflicts_with_all = ["every", "start", "count"])]
    cron: Option<String>,
    /// The time zone of --cron, an IANA name [default: UTC]
    #[arg(long, requires = "cron")]
    zone: Option<String>,
    /// Fires this often
    #[arg(long, value_name = "DURATION")]
    every: Option<Span>,
    /// The first firing of --every [default: one interval from now]
    #[arg(long, value_name = "TIME")]
    start: Option<Time>,
    /// Fires so many times at most
    #[arg(long, value_name = "N")]
    count: Option<u64>,
}

impl Set {
    async fn run(self, context: &Context) -> Outcome {
        let policy = SchedulePolicy {
            name: None,
            cron: self.cron,
            zone: self.zone,
            every: self.every,
            start: self.start,
            count: self.count,
            submission: self.what.submission()?,
        };
        let schedule = context.client.schedules().set(&self.name, &policy).await?;
        context.show(&schedule, |schedule| {
            let next = schedule.next.map(|time| context.ago(time));
            let next = next.unwrap_or_else(|| "never".to_owned());
            print::line(format_args!(
                "Schedule {} is set; it fires {next}.",
                schedule.name
            ));
        });
        Ok(ExitCode::SUCCESS)
    }
}

const REMOVE: &str = "\
Examples:
  interlock schedules remove nightly";

/// Removes a schedule; its live task goes on.
#[derive(Args)]
#[command(after_help = REMOVE)]
struct Remove {
    /// The schedule
    name: String,
}

impl Remove {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.schedules().remove(&self.name).await?;
        context.show(&done, |_| {
            print::line(format_args!("Schedule {} is removed.", self.name));
        });
        Ok(ExitCode::SUCCESS)
    }
}

const PAUSE: &str = "\
Examples:
  interlock schedules pause nightly
  interlock schedules resume nightly";

/// Lets a schedule fire no more for now.
#[derive(Args)]
#[command(after_help = PAUSE)]
struct Pause {
    /// The schedule
    name: String,
}

impl Pause {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.schedules().pause(&self.name).await?;
        context.show(&done, |_| {
            print::line(format_args!("Schedule {} is paused.", self.name));
        });
        Ok(ExitCode::SUCCESS)
    }
}

const RESUME: &str = "\
Examples:
  interlock schedules resume nightly";

/// Lets a paused schedule fire again.
#[derive(Args)]
#[command(after_help = RESUME)]
struct Resume {
    /// The schedule
    name: String,
}

impl Resume {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.schedules().resume(&self.name).await?;
        context.show(&done, |_| {
            print::line(format_args!("Schedule {} fires again.", self.name));
        });
        Ok(ExitCode::SUCCESS)
    }
}

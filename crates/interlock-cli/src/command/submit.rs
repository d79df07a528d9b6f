//! `interlock submit`: asks for a task, and says which of the verdicts it got.

use super::wait;
use crate::exit::{self, Outcome};
use crate::global::Context;
use crate::what::What;
use crate::{plain, print, style, word};
use clap::Args;
use interlock_api::due::Due;
use interlock_api::reason::Reason;
use interlock_api::submission::{After, IfBusy, Submission};
use interlock_api::verdict::{Report, Verdict};
use interlock_api::{Code, Problem, Span};
use interlock_client::Error;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock submit sync repository:f16
      Says whether the task was accepted, postponed or rejected, and why.
  interlock submit sync repository:f16 --payload '{\"full\": true}' --priority 7
  interlock submit publish repository:f16 --op read --due 10m --tag nightly
  interlock submit sync shop:42 --payload @order.json --wait
      Shows how far it is, and ends when the task does.
  interlock submit delete repository:f16 --op delete --if-busy reject
  interlock submit sync repository:f16 --dry-run
      Only tells what the verdict would be.

Exit codes: 0 accepted or coalesced, 3 postponed, 4 rejected, 1 another error, 2 a bad command line.
With --wait: 0 succeeded, 5 failed, 6 cancelled; 4 rejected.";

/// Submits a task.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Submit {
    #[command(flatten)]
    what: What,
    /// The earliest start: a time, or a duration from now such as 10m
    #[arg(long, value_name = "WHEN")]
    due: Option<Due>,
    /// What to do if something conflicting is running or ahead in line [default: wait]
    #[arg(long, value_parser = word::one_of::<IfBusy>(&["wait", "reject"]))]
    if_busy: Option<IfBusy>,
    /// Cancel the task if it has not started so long after its submission or due time
    #[arg(long, value_name = "DURATION")]
    start_within: Option<Span>,
    /// A task that must succeed first; several with commas between them
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    after: Vec<u64>,
    /// Keep the task from starting until it is released
    #[arg(long)]
    hold: bool,
    /// Repeating the command with the same key within 24 hours submits nothing new
    #[arg(long, value_name = "TEXT")]
    idempotency_key: Option<String>,
    /// Only tell what the verdict would be; nothing is changed
    #[arg(long, conflicts_with = "wait")]
    dry_run: bool,
    /// Wait until the task has ended
    #[arg(long)]
    wait: bool,
}

impl Submit {
    /// Submits.
    pub async fn run(self, context: &Context) -> Outcome {
        let (dry_run, wait) = (self.dry_run, self.wait);
        let submission = self.submission()?;
        let tasks = context.client.tasks();
        let answer = match dry_run {
            true => tasks.dry_run(&submission).await,
            false => tasks.submit(&submission).await,
        };
        let report = match answer {
            Ok(report) => report,
            Err(Error::Problem(problem)) if problem.code == Code::Rejected => {
                return Ok(rejected(context, &problem));
            }
            Err(error) => return Err(error.into()),
        };
        if let (true, Some(task)) = (wait, report.task) {
            if !context.json {
                admitted(&report, dry_run);
            }
            return wait::wait(context, task).await;
        }
        context.show(&report, |report| admitted(report, dry_run));
        Ok(exit_code(&report))
    }

    fn submission(self) -> Result<Submission, exit::Failure> {
        let mut submission = self.what.submission()?;
        submission.due = self.due;
        submission.if_busy = self.if_busy.unwrap_or_default();
        submission.start_within = self.start_within;
        submission.after = self.after.into_iter().map(After::Task).collect();
        submission.hold = self.hold;
        submission.idempotency_key = self.idempotency_key;
        Ok(submission)
    }
}

/// Says which of the verdicts it was.
pub fn admitted(report: &Report, dry_run: bool) {
    let task = match report.task {
        Some(task) => format!("task {task}"),
        None => "the task".to_owned(),
    };
    let would = if dry_run { "would be " } else { "is " };
    let repeated = match report.repeated {
        true => " (the answer to an earlier request with the same key)",
        false => "",
    };
    let verdict = match report.verdict {
        _ if report.coalesced => {
            let coalesced = style::good("Coalesced");
            let stands_for = print::count(report.stands_for, "submission");
            let now = if dry_run { "would stand" } else { "now stands" };
            print::own(format_args!(
                "{coalesced}: joined {task}, which {now} for {stands_for}{repeated}."
            ));
            return reasons(&report.reasons);
        }
        Verdict::Accepted => style::good("Accepted"),
        Verdict::Postponed => style::waiting("Postponed"),
    };
    let then = match report.verdict {
        Verdict::Accepted => "handed to the next free worker",
        Verdict::Postponed => "waiting",
    };
    print::own(format_args!("{verdict}: {task} {would}{then}{repeated}."));
    reasons(&report.reasons);
}

fn reasons(reasons: &[Reason]) {
    for reason in reasons {
        print::line(format_args!("  {}", reason.sentence));
    }
}

/// Says why it was rejected, once: the detail is the first reason.
pub fn rejected(context: &Context, problem: &Problem) -> ExitCode {
    context.show(problem, |problem| {
        let (rejected, detail) = (style::bad("Rejected"), problem.detail.trim_end_matches('.'));
        print::own(format_args!("{rejected}: {}.", plain::line(detail)));
        let new = |reason: &&Reason| reason.sentence.trim_end_matches('.') != detail;
        for reason in problem.more.reasons.iter().filter(new) {
            print::line(format_args!("  {}", reason.sentence));
        }
    });
    ExitCode::from(exit::REJECTED)
}

/// What a verdict exits with.
pub fn exit_code(report: &Report) -> ExitCode {
    match report.verdict {
        Verdict::Accepted => ExitCode::SUCCESS,
        _ if report.coalesced => ExitCode::SUCCESS,
        Verdict::Postponed => ExitCode::from(exit::POSTPONED),
    }
}

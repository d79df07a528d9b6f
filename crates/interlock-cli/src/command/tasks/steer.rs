//! `interlock tasks cancel | retry | bump | hold | release`.

use super::super::submit;
use crate::exit::Outcome;
use crate::global::Context;
use crate::print;
use clap::Args;
use interlock_api::{Code, task};
use interlock_client::Error;
use std::process::ExitCode;

const CANCEL: &str = "\
Examples:
  interlock tasks cancel 17
  interlock tasks cancel 17 --all
      Also if it stands for several submissions.";

/// Calls a task off; the worker of a running one is told to stop.
#[derive(Args)]
#[command(after_help = CANCEL)]
pub struct Cancel {
    /// The task
    id: u64,
    /// Cancel all submissions that it stands for
    #[arg(long)]
    all: bool,
}

impl Cancel {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let cancel = task::Cancel { all: self.all };
        let cancelling = context.client.tasks().cancel(self.id, cancel).await?;
        context.show(&cancelling, |cancelling| {
            let task = cancelling.task;
            match cancelling.running {
                true => print::line(format_args!(
                    "Task {task} still runs; its worker is told to stop with its next beat."
                )),
                false => print::line(format_args!("Task {task} is cancelled.")),
            }
        });
        Ok(ExitCode::SUCCESS)
    }
}

const RETRY: &str = "\
Examples:
  interlock tasks retry 17
      Submits task 17, which has ended, once more as a new task.

Exit codes as those of `interlock submit`.";

/// Submits an ended task again.
#[derive(Args)]
#[command(after_help = RETRY)]
pub struct Retry {
    /// The task
    id: u64,
}

impl Retry {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let report = match context.client.tasks().retry(self.id).await {
            Err(Error::Problem(problem)) if problem.code == Code::Rejected => {
                return Ok(submit::rejected(context, &problem));
            }
            report => report?,
        };
        context.show(&report, |report| submit::admitted(report, false));
        Ok(submit::exit_code(&report))
    }
}

const BUMP: &str = "\
Examples:
  interlock tasks bump 17 9";

/// Raises the priority of a waiting task.
#[derive(Args)]
#[command(after_help = BUMP)]
pub struct Bump {
    /// The task
    id: u64,
    /// The new priority, higher than the old one
    #[arg(value_parser = clap::value_parser!(u8).range(0..=9))]
    priority: u8,
}

impl Bump {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let bump = task::Bump {
            priority: self.priority,
        };
        let done = context.client.tasks().bump(self.id, bump).await?;
        let (id, priority) = (self.id, self.priority);
        context.show(&done, |_| {
            print::line(format_args!("Task {id} has priority {priority}."));
        });
        Ok(ExitCode::SUCCESS)
    }
}

const HOLD: &str = "\
Examples:
  interlock tasks hold 17
  interlock tasks release 17";

/// Keeps a waiting task from starting.
#[derive(Args)]
#[command(after_help = HOLD)]
pub struct Hold {
    /// The task
    id: u64,
}

impl Hold {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let done = context.client.tasks().hold(self.id).await?;
        context.show(&done, |_| {
            print::line(format_args!("Task {} is held.", self.id));
        });
        Ok(ExitCode::SUCCESS)
    }
}

/// Lets a held task start again.
#[derive(Args)]
#[command(after_help = HOLD)]
pub struct Release {
    /// The task
    id: u64,
}

impl Release {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let done = context.client.tasks().release(self.id).await?;
        context.show(&done, |_| {
            print::line(format_args!("Task {} is released.", self.id));
        });
        Ok(ExitCode::SUCCESS)
    }
}

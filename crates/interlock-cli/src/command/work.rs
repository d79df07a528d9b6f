//! `interlock work`: a worker for any command.

mod child;
mod line;
mod outcome;
mod tail;

use super::policy::PolicyArgs;
use crate::exit::{Failure, Outcome};
use crate::global::Context;
use crate::logs;
use child::Program;
use clap::Args;
use interlock_api::Span;
use interlock_api::json::Json;
use interlock_client::worker::{IfNamed, KindPolicy, Run, Worker, WorkerError};
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  interlock work --kind sync -- ./sync.sh
      Runs ./sync.sh for each task of the kind, one at a time.
  interlock work --kind sync --kind publish --concurrency 8 -- ./worker.py
  interlock work --kind import --register --waits 3m,20m,3h -- ./import
      Registers the kind with this policy, then works; `interlock kinds set`
      has the same flags.
  interlock work --kind fetch -- sh -c 'jq -r .url | xargs curl -sfO'

The command finds the payload on standard input, as JSON, and in its environment:
  INTERLOCK_TASK          the id of the task
  INTERLOCK_KIND          its kind
  INTERLOCK_RESOURCES     what it touches, separated by spaces, such as `repository:f16 host:17`
  INTERLOCK_CLAIMS        the same with operations, as JSON
  INTERLOCK_ATTEMPT       1 for the first run
  INTERLOCK_STANDS_FOR    how many submissions the run satisfies
  INTERLOCK_RUN           the run, also its fencing number: generation.position, which only grows
  INTERLOCK_GENERATION, INTERLOCK_POSITION
                          the two parts of it
  INTERLOCK_WORKER        the name of the worker
  TRACEPARENT             the submitter's trace context, if there is one
  INTERLOCK_PROGRESS_FD   with --progress-fd, where to write what is understood

Lines on standard output that are understood (with --progress-fd, only lines written there):
  progress 3/10 fetching    how far it is; `progress 3 fetching` if the total is not known
  result {\"packages\": 42}   JSON for the submitter to read
  error the mirror is gone  one line that says what went wrong; failures are grouped by it
  retry-in 30s              when to try again, if it fails
The end of all other output is kept: with the result, or as the detail of the failure.

How it exits:
  0                         succeeded
  75                        again: after `retry-in`, or as the kind says
  65                        not again: failed for good
  another code, a signal    failed; tried again as the kind says

A run that is cancelled or takes too long gets SIGTERM, and SIGKILL after --kill-after. The command
and everything in its process group end with the worker, also if that is killed.
SIGTERM or SIGINT to the worker: it finishes what runs and leaves; a second one stops at once.";

/// Runs a command for each task of a kind.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Work {
    /// A kind to work on; may be repeated
    #[arg(long = "kind", value_name = "KIND", required = true)]
    kinds: Vec<String>,
    /// Register the kinds first, with the policy that the flags below say; without it they must be
    /// registered
    #[arg(long)]
    register: bool,
    /// The name of the worker [default: machine and process]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// How many tasks at once
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=1000))]
    concurrency: u16,
    /// Replace a worker of the same name, which is known to be dead
    #[arg(long)]
    takeover: bool,
    /// End if another worker of the same name is at work, instead of waiting for it
    #[arg(long, conflicts_with = "takeover")]
    no_wait: bool,
    /// How long after SIGTERM a command gets SIGKILL
    #[arg(long, value_name = "DURATION", default_value = "10s")]
    kill_after: Span,
    /// Give the command a descriptor of its own for progress, and take all of its output for its log
    #[arg(long)]
    progress_fd: bool,
    /// Show the output of the commands as it comes
    #[arg(long)]
    show_output: bool,
    /// What to log, such as `info` or `debug` [default: warn,interlock_client=info]
    #[arg(long, value_name = "FILTER", env = "INTERLOCK_LOG")]
    log: Option<String>,
    #[command(flatten, next_help_heading = "Policy of the kinds, with --register")]
    policy: PolicyArgs,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Work {
    /// Works until told to stop.
    pub fn run(self, context: &Context) -> Outcome {
        let filter = self.log.as_deref().unwrap_or("warn,interlock_client=info");
        logs::start(logs::filter(filter)?, logs::Format::default());
        let runtime = tokio::runtime::Runtime::new()?;
        let worker = self.worker(context)?;
        let done = runtime.block_on(worker.run());
        // Nothing of a handler is waited for: the commands end with this process.
        runtime.shutdown_background();
        match done {
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(error) => Err(ended(error)),
        }
    }

    fn worker(self, context: &Context) -> Result<Worker, Failure> {
        let policy = self.policy.policy()?;
        if !self.register && policy != KindPolicy::default() {
            let why = "flags that say the policy of a kind need --register";
            return Err(Failure::usage(anyhow::anyhow!(why)));
        }
        let policy = self.register.then_some(policy);
        let mut worker = Worker::new(context.client.clone())
            .concurrency(usize::from(self.concurrency))
            .if_named(match (self.takeover, self.no_wait) {
                (true, _) => IfNamed::TakeOver,
                (_, true) => IfNamed::Refuse,
                _ => IfNamed::Wait,
            });
        if let Some(name) = self.name {
            worker = worker.name(name);
        }
        let program = Arc::new(Program {
            worker: worker.named().to_owned(),
            command: self.command,
            kill_after: Duration::from_millis(self.kill_after.ms()),
            progress_fd: self.progress_fd,
            show_output: self.show_output,
        });
        for kind in self.kinds {
            let program = program.clone();
            worker = worker.handler(
                kind,
                policy.clone(),
                move |run: Run, payload: Option<Json>| {
                    let program = program.clone();
                    async move { program.run(run, payload).await }
                },
            );
        }
        Ok(worker)
    }
}

fn ended(error: WorkerError) -> Failure {
    let hint = match &error {
        WorkerError::NameInUse { .. } => {
            Some("choose another --name, or say --takeover if that worker is known to be dead")
        }
        WorkerError::Refused(problem) if problem.code == interlock_api::Code::UnknownKind => {
            Some("register it with `interlock kinds set KIND`, or say --register")
        }
        _ => None,
    };
    match hint {
        Some(hint) => Failure::from(error).hint(hint),
        None => error.into(),
    }
}

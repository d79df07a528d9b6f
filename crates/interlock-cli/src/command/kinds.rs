//! `interlock kinds`.

use super::page::PageArgs;
use crate::exit::{Failure, Outcome};
use crate::global::Context;
use crate::{input, print, word};
use clap::{Args, Subcommand};
use interlock_api::Span;
use interlock_api::claim::Op;
use interlock_api::kind::{
    Coalesce, Kind, KindPolicy, OnLoss, PayloadRule, QuotaUse, Retry, Waits,
};
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
    /// The policy as JSON, @FILE, or - for standard input
    #[arg(long, value_name = "JSON")]
    policy: Option<String>,
    /// 0 to 9, higher goes first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=9))]
    priority: Option<u8>,
    /// What its tasks do to a resource when they do not say
    #[arg(long, value_parser = word::one_of::<Op>(&["read", "update", "create", "delete"]))]
    op: Option<Op>,
    /// Make one task of submissions of the same thing; which payload it carries
    #[arg(long, value_name = "PAYLOAD", num_args = 0..=1, default_missing_value = "latest",
        value_parser = word::one_of::<PayloadRule>(&["latest", "first", "append"]))]
    coalesce: Option<PayloadRule>,
    /// How long the first of a flurry waits so that more can join it
    #[arg(long, value_name = "DURATION", requires = "coalesce")]
    gather: Option<Span>,
    /// Kinds whose earlier tasks on the same resources this one cancels
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    cancels: Vec<String>,
    /// How long to wait before each next try, such as 3m,20m,3h
    #[arg(
        long,
        value_name = "DURATIONS",
        value_delimiter = ',',
        conflicts_with = "no_retry"
    )]
    waits: Vec<Span>,
    /// Never try again after a failure
    #[arg(long)]
    no_retry: bool,
    /// No try begins later than this after the first run began
    #[arg(long, value_name = "DURATION")]
    retry_for: Option<Span>,
    /// At most so many failed runs
    #[arg(long, value_name = "N")]
    tries: Option<u32>,
    /// A quota that each start takes units from; may be repeated
    #[arg(long = "quota", value_name = "NAME[=COST]")]
    quotas: Vec<String>,
    /// What happens when a worker is lost: cancel, or how many times to go on elsewhere
    #[arg(long, value_name = "cancel|N", value_parser = on_loss)]
    on_loss: Option<OnLoss>,
    /// The length of a run's lease
    #[arg(long, value_name = "DURATION")]
    lease: Option<Span>,
    /// How long a run may take before its worker is told to stop
    #[arg(long, value_name = "DURATION")]
    run_within: Option<Span>,
    /// How long a worker that was told to stop keeps its lease
    #[arg(long, value_name = "DURATION")]
    grace: Option<Span>,
    /// At most so many waiting tasks of this kind
    #[arg(long, value_name = "N")]
    waiting_max: Option<u64>,
}

fn on_loss(text: &str) -> Result<OnLoss, String> {
    match text {
        "cancel" => Ok(OnLoss::Cancel),
        text => text
            .parse()
            .map(OnLoss::Retry)
            .map_err(|_| "it must be `cancel` or a number".to_owned()),
    }
}

impl Set {
    async fn run(self, context: &Context) -> Outcome {
        let name = self.name.clone();
        let policy = self.policy()?;
        let kind = context.client.kinds().set(&name, &policy).await?;
        context.show(&kind, |kind| {
            print::line(format_args!("Kind {} is set.", kind.name));
        });
        Ok(ExitCode::SUCCESS)
    }

    fn policy(self) -> Result<KindPolicy, Failure> {
        let mut policy: KindPolicy = match &self.policy {
            Some(argument) => input::body(argument)?,
            None => KindPolicy::default(),
        };
        policy.priority = self.priority.or(policy.priority);
        policy.op = self.op.or(policy.op);
        policy.lease = self.lease.or(policy.lease);
        policy.run_within = self.run_within.or(policy.run_within);
        policy.grace = self.grace.or(policy.grace);
        policy.waiting_max = self.waiting_max.or(policy.waiting_max);
        policy.on_loss = self.on_loss.or(policy.on_loss);
        if let Some(payload) = self.coalesce {
            let gather = self.gather.unwrap_or_default();
            policy.coalesce = Some(Coalesce { payload, gather });
        }
        if !self.cancels.is_empty() {
            policy.cancels = self.cancels;
        }
        let waits = self.no_retry || !self.waits.is_empty();
        if waits || self.retry_for.is_some() || self.tries.is_some() {
            let retry = policy.retry.get_or_insert_with(Retry::default);
            if waits {
                retry.waits = Some(Waits::Ladder(self.waits));
            }
            retry.window = self.retry_for.or(retry.window);
            retry.tries = self.tries.or(retry.tries);
        }
        if !self.quotas.is_empty() {
            let quotas = self.quotas.iter().map(|text| quota_use(text));
            policy.quotas = quotas.collect::<Result<_, _>>()?;
        }
        Ok(policy)
    }
}

/// `shop-calls`, or `shop-calls=2`.
fn quota_use(text: &str) -> Result<QuotaUse, Failure> {
    let (quota, cost) = match text.rsplit_once('=') {
        None => (text, 1),
        Some((quota, cost)) => {
            let cost = cost.parse().map_err(|_| {
                Failure::usage(anyhow::anyhow!("--quota {text}: the cost must be a number"))
            })?;
            (quota, cost)
        }
    };
    let quota = quota.to_owned();
    Ok(QuotaUse { quota, cost })
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

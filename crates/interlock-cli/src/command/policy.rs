//! Flags that say the policy of a kind.

use crate::exit::Failure;
use crate::{input, word};
use clap::Args;
use interlock_api::Span;
use interlock_api::claim::Op;
use interlock_api::kind::{Coalesce, KindPolicy, OnLoss, PayloadRule, QuotaUse, Retry, Waits};

/// Flags that say the policy of a kind. What is not given goes back to its default.
#[derive(Args)]
pub struct PolicyArgs {
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

impl PolicyArgs {
    /// The policy that they say.
    pub fn policy(self) -> Result<KindPolicy, Failure> {
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

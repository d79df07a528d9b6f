//! `interlock quotas`.

use super::page::PageArgs;
use crate::exit::Outcome;
use crate::global::Context;
use crate::print;
use clap::{ArgGroup, Args, Subcommand};
use interlock_api::Span;
use interlock_api::quota::{
    Limit, LimitCount, PauseQuota, Quota, QuotaCount, QuotaPolicy, QuotaQuery,
};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock quotas set shop-calls 10/1s 100000/24h --per shop
  interlock quotas show shop-calls --resource shop:42
  interlock quotas pause shop-calls 30s --resource shop:42";

/// Quotas: how much may be started or spent, and what is left.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Quotas {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(List),
    Show(Show),
    Set(Set),
    Remove(Remove),
    Pause(Pause),
}

impl Quotas {
    /// Does it.
    pub async fn run(self, context: &Context) -> Outcome {
        match self.verb {
            Verb::List(verb) => verb.run(context).await,
            Verb::Show(verb) => verb.run(context).await,
            Verb::Set(verb) => verb.run(context).await,
            Verb::Remove(verb) => verb.run(context).await,
            Verb::Pause(verb) => verb.run(context).await,
        }
    }
}

const LIST: &str = "\
Examples:
  interlock quotas list";

/// Lists quotas.
#[derive(Args)]
#[command(after_help = LIST)]
struct List {
    #[command(flatten)]
    page: PageArgs,
}

impl List {
    async fn run(self, context: &Context) -> Outcome {
        let page = context.client.quotas().list(&self.page.query()).await?;
        context.show(&page, |page| {
            if page.items.is_empty() && page.next.is_none() {
                return print::line(
                    "There are no quotas; `interlock quotas set --help` shows how to make one.",
                );
            }
            print::table(
                ["QUOTA", "PER", "LIMITS", "WAITING"],
                page.items.iter().map(row),
            );
            print::more(page.next.as_deref());
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn row(quota: &Quota) -> [String; 4] {
    let policy = &quota.policy;
    let limits: Vec<String> = policy.limits.iter().map(ToString::to_string).collect();
    let waiting = quota.count.as_ref().map(|count| count.waiting.to_string());
    [
        quota.name.clone(),
        policy.per.clone().unwrap_or_else(|| "namespace".to_owned()),
        limits.join(", "),
        waiting.unwrap_or_default(),
    ]
}

const SHOW: &str = "\
Examples:
  interlock quotas show shop-calls
  interlock quotas show shop-calls --resource shop:42
      What is used and left for one resource.";

/// Shows a quota, with what is used of it and what is left.
#[derive(Args)]
#[command(after_help = SHOW)]
struct Show {
    /// The quota
    name: String,
    /// The count of this resource, for a quota per resource
    #[arg(long)]
    resource: Option<String>,
}

impl Show {
    async fn run(self, context: &Context) -> Outcome {
        let query = QuotaQuery {
            resource: self.resource,
        };
        let quota = context.client.quotas().count(&self.name, &query).await?;
        context.show(&quota, |quota| {
            let [name, per, limits, _] = row(quota);
            print::line(format_args!("Quota {name}, per {per}: {limits}"));
            match &quota.count {
                Some(count) => counts(std::slice::from_ref(count), context),
                None => print::line("Say which resource to see its count: --resource TYPE:ID"),
            }
        });
        Ok(ExitCode::SUCCESS)
    }
}

/// What is used of quotas and what is left, as a table.
pub fn counts(counts: &[QuotaCount], context: &Context) {
    let rows = counts.iter().flat_map(|count| {
        count.limits.iter().map(|limit| {
            [
                count.quota.clone(),
                limit.limit.to_string(),
                limit.used.to_string(),
                limit.left.to_string(),
                resets(count, limit, context),
                count.waiting.to_string(),
                next(count, context),
            ]
        })
    });
    print::table(
        ["QUOTA", "LIMIT", "USED", "LEFT", "RESET", "WAITING", "NEXT"],
        rows,
    );
    for count in counts.iter().filter(|count| count.lent > 0) {
        let (quota, lent) = (&count.quota, print::count(count.lent, "unit"));
        print::line(format_args!(
            "Of {quota}, {lent} counted as used are with live runs, which spend by themselves."
        ));
    }
}

fn resets(count: &QuotaCount, limit: &LimitCount, context: &Context) -> String {
    match limit.resets {
        Some(at) if at.ms().saturating_sub(context.now.ms()) < 1_000 => "in a moment".to_owned(),
        Some(at) => context.ago(at),
        None if limit.used > 0 && count.lent > 0 => "while it runs".to_owned(),
        None => String::new(),
    }
}

fn next(count: &QuotaCount, context: &Context) -> String {
    match (count.paused_until, count.next) {
        (Some(until), _) => format!("paused, goes on {}", context.ago(until)),
        (None, Some(next)) => context.ago(next),
        (None, None) => String::new(),
    }
}

const SET: &str = "\
Examples:
  interlock quotas set shop-calls 10/1s 100000/24h --per shop
      For each shop at most 10 units in any second and 100,000 in any 24 hours.
  interlock quotas set connections --at-once 20
      At most 20 units held by live runs, in the whole namespace.";

/// By itself clap would name the limits before the quota.
const SET_USAGE: &str =
    "interlock quotas set [OPTIONS] <NAME> <UNITS/DURATION|--at-once <UNITS>>...";

/// Creates a quota, or changes its limits as a whole.
#[derive(Args)]
#[command(after_help = SET, override_usage = SET_USAGE)]
#[command(group(ArgGroup::new("what").required(true).multiple(true).args(["limits", "at_once"])))]
struct Set {
    /// The quota
    name: String,
    /// Limits that all hold at once, such as 10/1s
    #[arg(value_name = "UNITS/DURATION")]
    limits: Vec<Limit>,
    /// At most so many units held by live runs
    #[arg(long, value_name = "UNITS")]
    at_once: Option<u64>,
    /// One count for each resource of this type; one for the whole namespace if none
    #[arg(long, value_name = "TYPE")]
    per: Option<String>,
}

impl Set {
    async fn run(self, context: &Context) -> Outcome {
        let mut limits = self.limits;
        limits.extend(self.at_once.map(Limit::AtOnce));
        let policy = QuotaPolicy {
            name: None,
            per: self.per,
            limits,
        };
        let quota = context.client.quotas().set(&self.name, &policy).await?;
        context.show(&quota, |quota| {
            print::line(format_args!("Quota {} is set.", quota.name));
        });
        Ok(ExitCode::SUCCESS)
    }
}

const PAUSE: &str = "\
Examples:
  interlock quotas pause shop-calls 30s --resource shop:42
      Somebody outside said \"too many requests\".
  interlock quotas pause shop-calls 0s --resource shop:42
      Ends a pause.";

/// Grants nothing for a while; 0s ends a pause.
#[derive(Args)]
#[command(after_help = PAUSE)]
struct Pause {
    /// The quota
    name: String,
    /// For how long from now, at most a week
    #[arg(value_name = "DURATION")]
    length: Span,
    /// The resource, for a quota per resource
    #[arg(long)]
    resource: Option<String>,
}

impl Pause {
    async fn run(self, context: &Context) -> Outcome {
        let pause = PauseQuota {
            length: self.length,
            resource: self.resource,
        };
        let done = context.client.quotas().pause(&self.name, &pause).await?;
        context.show(&done, |_| match self.length.ms() {
            0 => print::line(format_args!("Quota {} goes on.", self.name)),
            _ => print::line(format_args!(
                "Quota {} grants nothing for {}.",
                self.name, self.length
            )),
        });
        Ok(ExitCode::SUCCESS)
    }
}

const REMOVE: &str = "\
Examples:
  interlock quotas remove shop-calls";

/// Removes a quota that no kind names.
#[derive(Args)]
#[command(after_help = REMOVE)]
struct Remove {
    /// The quota
    name: String,
}

impl Remove {
    async fn run(self, context: &Context) -> Outcome {
        let done = context.client.quotas().remove(&self.name).await?;
        context.show(&done, |_| {
            print::line(format_args!("Quota {} is removed.", self.name));
        });
        Ok(ExitCode::SUCCESS)
    }
}

//! Kinds: what is left out has the core's default.

use super::name::{name, named, names, texts};
use crate::code::Code;
use crate::kind as wire;
use crate::problem::Problem;
use crate::span::Span;
use interlock_core::words::{
    Coalesce, Kind, OnLoss, PayloadRule, QuotaUse, Retention, Retry, Waits,
};

/// A kind from the wire; its name is that of the path, or else that of the body.
pub fn kind(path: Option<&str>, policy: wire::KindPolicy) -> Result<Kind, Problem> {
    let usual = Kind::new(named(path, policy.name.as_deref())?);
    if policy
        .retry
        .as_ref()
        .is_some_and(|retry| retry.tries == Some(0))
    {
        return Err(Problem::new(Code::BadValue, "it must be at least one").at("retry.tries"));
    }
    Ok(Kind {
        priority: policy.priority.unwrap_or(usual.priority),
        op: policy.op.map_or(usual.op, Into::into),
        coalesce: policy.coalesce.map(coalesce),
        cancels: names(&policy.cancels, "cancels")?,
        retry: policy.retry.map_or(usual.retry, retry),
        quotas: quotas(&policy.quotas)?,
        on_loss: policy.on_loss.map_or(usual.on_loss, on_loss),
        lease_ms: policy.lease.map_or(usual.lease_ms, Span::ms),
        run_within_ms: policy.run_within.map(Span::ms),
        grace_ms: policy.grace.map_or(usual.grace_ms, Span::ms),
        waiting_max: policy.waiting_max,
        retention: retention(policy.retention.unwrap_or_default(), usual.retention),
        name: usual.name,
    })
}

/// Several kinds, each with its name, as a worker brings them.
pub fn kinds(policies: Vec<wire::KindPolicy>, field: &str) -> Result<Vec<Kind>, Problem> {
    let each = policies.into_iter().enumerate();
    each.map(|(at, policy)| kind(None, policy).map_err(|problem| problem.in_item(field, at)))
        .collect()
}

fn coalesce(coalesce: wire::Coalesce) -> Coalesce {
    Coalesce {
        payload: match coalesce.payload {
            wire::PayloadRule::Latest => PayloadRule::Latest,
            wire::PayloadRule::First => PayloadRule::First,
            wire::PayloadRule::Append => PayloadRule::Append,
        },
        gather_ms: coalesce.gather.ms(),
    }
}

fn retry(retry: wire::Retry) -> Retry {
    let usual = Retry::default();
    Retry {
        waits: match retry.waits {
            None => usual.waits,
            Some(wire::Waits::Ladder(rungs)) => {
                Waits::Ladder(rungs.into_iter().map(Span::ms).collect())
            }
            Some(wire::Waits::Exponential(waits)) => Waits::Exponential {
                first_ms: waits.first.ms(),
                most_ms: waits.most.ms(),
            },
        },
        window_ms: retry.window.map_or(usual.window_ms, Span::ms),
        tries_max: retry.tries,
    }
}

fn quotas(quotas: &[wire::QuotaUse]) -> Result<Vec<QuotaUse>, Problem> {
    let each = quotas.iter().enumerate();
    each.map(|(at, used)| {
        let quota = name(&used.quota, "quota").map_err(|problem| problem.in_item("quotas", at))?;
        let cost = used.cost;
        Ok(QuotaUse { quota, cost })
    })
    .collect()
}

fn on_loss(on_loss: wire::OnLoss) -> OnLoss {
    match on_loss {
        wire::OnLoss::Retry(losses_max) => OnLoss::Retry { losses_max },
        wire::OnLoss::Cancel => OnLoss::Cancel,
    }
}

fn retention(wanted: wire::Retention, usual: Retention) -> Retention {
    Retention {
        succeeded_ms: wanted.succeeded.map_or(usual.succeeded_ms, Span::ms),
        failed_ms: wanted.failed.map_or(usual.failed_ms, Span::ms),
        cancelled_ms: wanted.cancelled.map_or(usual.cancelled_ms, Span::ms),
    }
}

/// The whole policy of a kind.
pub fn shown(kind: &Kind) -> wire::KindPolicy {
    wire::KindPolicy {
        name: Some(kind.name.to_string()),
        priority: Some(kind.priority),
        op: Some(kind.op.into()),
        coalesce: kind.coalesce.as_ref().map(|coalesce| wire::Coalesce {
            payload: match coalesce.payload {
                PayloadRule::Latest => wire::PayloadRule::Latest,
                PayloadRule::First => wire::PayloadRule::First,
                PayloadRule::Append => wire::PayloadRule::Append,
            },
            gather: Span::from_ms(coalesce.gather_ms),
        }),
        cancels: texts(&kind.cancels),
        retry: Some(shown_retry(&kind.retry)),
        quotas: (kind.quotas.iter())
            .map(|used| wire::QuotaUse {
                quota: used.quota.to_string(),
                cost: used.cost,
            })
            .collect(),
        on_loss: Some(match kind.on_loss {
            OnLoss::Retry { losses_max } => wire::OnLoss::Retry(losses_max),
            OnLoss::Cancel => wire::OnLoss::Cancel,
        }),
        lease: Some(Span::from_ms(kind.lease_ms)),
        run_within: kind.run_within_ms.map(Span::from_ms),
        grace: Some(Span::from_ms(kind.grace_ms)),
        waiting_max: kind.waiting_max,
        retention: Some(wire::Retention {
            succeeded: Some(Span::from_ms(kind.retention.succeeded_ms)),
            failed: Some(Span::from_ms(kind.retention.failed_ms)),
            cancelled: Some(Span::from_ms(kind.retention.cancelled_ms)),
        }),
    }
}

fn shown_retry(retry: &Retry) -> wire::Retry {
    wire::Retry {
        waits: Some(match &retry.waits {
            Waits::Ladder(rungs) => {
                wire::Waits::Ladder(rungs.iter().map(|ms| Span::from_ms(*ms)).collect())
            }
            Waits::Exponential { first_ms, most_ms } => {
                wire::Waits::Exponential(wire::Exponential {
                    first: Span::from_ms(*first_ms),
                    most: Span::from_ms(*most_ms),
                })
            }
        }),
        window: Some(Span::from_ms(retry.window_ms)),
        tries: retry.tries_max,
    }
}

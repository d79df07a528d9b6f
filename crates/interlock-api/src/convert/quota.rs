//! Quotas, their limits and counts.

use super::name::{maybe, named, resource_name};
use crate::code::Code;
use crate::problem::Problem;
use crate::quota as wire;
use crate::span::Span;
use crate::time::Clock;
use interlock_core::Command;
use interlock_core::limits::PAUSE_MS_MAX;
use interlock_core::view::QuotaView;
use interlock_core::words::{Limit, Name, Quota, Scope};

/// A quota from the wire; its name is that of the path, or else that of the body.
pub fn quota(path: Option<&str>, policy: &wire::QuotaPolicy) -> Result<Quota, Problem> {
    Ok(Quota {
        name: named(path, policy.name.as_deref())?,
        scope: match maybe(policy.per.as_deref(), "per")? {
            Some(resource_type) => Scope::Per(resource_type),
            None => Scope::Namespace,
        },
        limits: policy.limits.iter().map(|limit| (*limit).into()).collect(),
    })
}

/// A pause from the wire.
pub fn pause(quota: Name, pause: &wire::PauseQuota) -> Result<Command, Problem> {
    if pause.length.ms() > PAUSE_MS_MAX {
        return Err(Problem::new(Code::BadValue, "it must be at most a week").at("for"));
    }
    let resource = pause.resource.as_deref();
    Ok(Command::PauseQuota {
        quota,
        resource: resource
            .map(|text| resource_name(text, "resource"))
            .transpose()?,
        for_ms: pause.length.ms(),
    })
}

/// What a quota is.
pub fn shown(quota: &Quota) -> wire::QuotaPolicy {
    wire::QuotaPolicy {
        name: Some(quota.name.to_string()),
        per: match &quota.scope {
            Scope::Namespace => None,
            Scope::Per(resource_type) => Some(resource_type.to_string()),
        },
        limits: quota.limits.iter().map(|limit| (*limit).into()).collect(),
    }
}

/// One count of a quota.
pub fn count(view: &QuotaView, clock: &Clock) -> wire::QuotaCount {
    wire::QuotaCount {
        quota: view.quota.to_string(),
        resource: view.resource.as_ref().map(ToString::to_string),
        limits: (view.limits.iter())
            .map(|one| wire::LimitCount {
                limit: one.limit.into(),
                used: one.used,
                left: one.limit.units().saturating_sub(one.used),
                resets: one.resets.map(|at| clock.time(at)),
                frees: one.frees.map(|at| clock.time(at)),
            })
            .collect(),
        lent: view.lent,
        waiting: view.waiting,
        next: view.next.map(|next| clock.time(next)),
        paused_until: view.paused_until.map(|until| clock.time(until)),
    }
}

impl From<wire::Limit> for Limit {
    fn from(limit: wire::Limit) -> Self {
        match limit {
            wire::Limit::Window { units, per } => Limit::Window {
                units,
                per_ms: per.ms(),
            },
            wire::Limit::AtOnce(units) => Limit::AtOnce(units),
        }
    }
}

impl From<Limit> for wire::Limit {
    fn from(limit: Limit) -> Self {
        match limit {
            Limit::Window { units, per_ms } => wire::Limit::Window {
                units,
                per: Span::from_ms(per_ms),
            },
            Limit::AtOnce(units) => wire::Limit::AtOnce(units),
        }
    }
}

//! Reasons, with their sentences.

use crate::progress::ShownProgress;
use crate::reason::{Brief, HoldTarget, Reason, Why};
use crate::sentence;
use crate::span::Span;
use crate::time::{Clock, Time};
use interlock_core::command::{self, Progress};
use interlock_core::reply;

/// Reasons, nearest first.
pub fn reasons(reasons: &[reply::Reason], clock: &Clock) -> Vec<Reason> {
    reasons
        .iter()
        .map(|reason| self::reason(reason, clock))
        .collect()
}

/// One reason.
pub fn reason(reason: &reply::Reason, clock: &Clock) -> Reason {
    let why = why(reason, clock);
    let sentence = sentence::reason(&why, clock.now());
    Reason { why, sentence }
}

pub(crate) fn why(reason: &reply::Reason, clock: &Clock) -> Why {
    use reply::Reason as Core;
    let brief = |by: &reply::Brief| brief(by, clock);
    match reason {
        Core::Scheduled { until } => Why::Scheduled {
            until: Time::from(*until),
        },
        Core::Gathering { until } => Why::Gathering {
            until: clock.time(*until),
        },
        Core::Retrying { until, tries } => Why::Retrying {
            until: Time::from(*until),
            tries: *tries,
        },
        Core::HeldBy { resource, by } => Why::HeldBy {
            resource: resource.to_string(),
            by: brief(by),
        },
        Core::Ahead { resource, by } => Why::Ahead {
            resource: resource.to_string(),
            by: brief(by),
        },
        Core::Behind { resource, by } => Why::Behind {
            resource: resource.to_string(),
            by: brief(by),
        },
        Core::Doomed { resource, by } => Why::Doomed {
            resource: resource.to_string(),
            by: brief(by),
        },
        Core::FutureDecided { resource, by, op } => Why::FutureDecided {
            resource: resource.to_string(),
            by: brief(by),
            op: (*op).into(),
        },
        Core::EarlierItem { resource, item, op } => Why::EarlierItem {
            resource: resource.to_string(),
            item: *item as u64,
            op: (*op).into(),
        },
        Core::Throttled {
            quota,
            resource,
            until,
        } => Why::Throttled {
            quota: quota.to_string(),
            resource: resource.as_ref().map(ToString::to_string),
            until: until.map(|until| clock.time(until)),
        },
        Core::Dependent { on } => Why::Dependent { on: brief(on) },
        Core::DependencyFailed { on } => Why::DependencyFailed { on: on.0 },
        Core::Held { what } => Why::Held {
            what: hold_target(what),
        },
        Core::NoWorker { kind } => Why::NoWorker {
            kind: kind.to_string(),
        },
        Core::Ready => Why::Ready,
    }
}

/// A task in a few words.
pub fn brief(brief: &reply::Brief, clock: &Clock) -> Brief {
    let running_ms = brief.running_ms;
    Brief {
        task: brief.task.0,
        kind: brief.kind.to_string(),
        worker: brief.worker.as_ref().map(ToString::to_string),
        running: running_ms.map(Span::from_ms),
        progress: (brief.progress.as_ref())
            .map(|progress| self::progress(progress, running_ms.unwrap_or(0), clock)),
    }
}

/// How far a run is that has been running for so long, and what follows from it.
pub fn progress(progress: &Progress, running_ms: u64, clock: &Clock) -> ShownProgress {
    let done = progress.done;
    let wide = |number: u64| u128::from(number);
    let percent = (progress.total.filter(|total| *total > 0))
        .map(|total| wide(done.min(total)) * 100 / wide(total))
        .and_then(|percent| u8::try_from(percent).ok());
    let known = running_ms > 0 && done > 0;
    let rate = known.then(|| {
        let per_second = done as f64 * 1_000.0 / running_ms as f64;
        (per_second * 1_000.0).round() / 1_000.0
    });
    let left_ms = (progress.total.filter(|_| known))
        .map(|total| wide(total.saturating_sub(done)) * wide(running_ms) / wide(done))
        .and_then(|left_ms| u64::try_from(left_ms).ok());
    ShownProgress {
        done,
        total: progress.total,
        unit: progress.unit.to_string(),
        message: progress.message.to_string(),
        percent,
        rate,
        estimated_end: left_ms.map(|left_ms| Time::from(clock.wall_now.plus(left_ms))),
    }
}

/// What is held.
pub fn hold_target(what: &command::HoldTarget) -> HoldTarget {
    match what {
        command::HoldTarget::Task(task) => HoldTarget::Task(task.0),
        command::HoldTarget::Resource(resource) => HoldTarget::Resource(resource.to_string()),
        command::HoldTarget::Kind(kind) => HoldTarget::Kind(kind.to_string()),
        command::HoldTarget::Namespace => HoldTarget::Namespace,
    }
}

//! Sentences for people: why a task waits, why it ended, and the chain of causes in one line.
//!
//! They are made from what the wire already says, so a client could make them too; the server does it
//! once for all languages.

use crate::claim::{Claim, Op};
use crate::explain::{Cause, Link};
use crate::reason::{Brief, HoldTarget, Why};
use crate::task::EndWhy;
use crate::time::Time;

/// Why a task waits, or can never run.
pub fn reason(why: &Why, now: Time) -> String {
    match why {
        Why::Scheduled { until } => {
            format!("It is due at {}, {}.", clock(*until), in_(*until, now))
        }
        Why::Gathering { until } => format!(
            "It waits so that more submissions can join it, and goes on {}.",
            in_(*until, now)
        ),
        Why::Retrying { until, tries } => format!(
            "It {} and is tried again at {}, {}.",
            failed(*tries),
            clock(*until),
            in_(*until, now)
        ),
        Why::HeldBy { resource, by } => match running(by) {
            Some(running) => format!("{} holds {resource}; it {running}.", capital(by)),
            None => format!("{} holds {resource}.", capital(by)),
        },
        Why::Ahead { resource, by } => {
            format!("{} is ahead in the line of {resource}.", capital(by))
        }
        Why::Behind { resource, by } => format!(
            "It comes after {}, which creates or deletes {resource}.",
            task(by)
        ),
        Why::Doomed { resource, by } => format!(
            "{} is about to delete {resource}; if that succeeds, this one is cancelled.",
            capital(by)
        ),
        Why::FutureDecided { resource, by, op } => decided(&capital(by), *op, resource),
        Why::EarlierItem { resource, item, op } => {
            decided(&format!("Item {item} of the group"), *op, resource)
        }
        Why::Throttled {
            quota,
            resource,
            until,
        } => match until {
            Some(until) => format!(
                "{} has no units for it until {}, {}.",
                capital_quota(quota, resource.as_deref()),
                clock(*until),
                in_(*until, now)
            ),
            None => format!(
                "{} has no units for it yet: others are ahead of it, or a run has to give some back.",
                capital_quota(quota, resource.as_deref())
            ),
        },
        Why::Dependent { on } => format!("It waits for {} to succeed.", task(on)),
        Why::DependencyFailed { on } => {
            format!("Task {on}, which it depends on, did not succeed.")
        }
        Why::Held { what } => match what {
            HoldTarget::Task(_) => "Somebody holds it.".to_owned(),
            what => format!("Somebody holds {}.", held(what)),
        },
        Why::NoWorker { kind } => format!("No live worker handles kind {kind}."),
        Why::Ready => "Nothing stands in its way: the next free worker gets it.".to_owned(),
    }
}

/// The nearest chain of causes of a task, in one sentence.
pub fn explanation(
    link: &Link,
    kind: &str,
    resources: &[Claim],
    run: Option<&Brief>,
    now: Time,
) -> String {
    let what = match resources {
        [] => kind.to_owned(),
        [one] => format!("{kind} of {}", one.resource),
        [one, other] => format!("{kind} of {} and {}", one.resource, other.resource),
        [one, rest @ ..] => format!("{kind} of {} and {} more", one.resource, rest.len()),
    };
    let does = match run {
        Some(run) => running(run).unwrap_or_else(|| "is running".to_owned()),
        None => waits(&link.causes, now),
    };
    format!(
        "Task {} ({what}) {does}{}.",
        link.task,
        others(&link.causes)
    )
}

/// What a waiting task does, by its nearest cause.
fn waits(causes: &[Cause], now: Time) -> String {
    let Some(cause) = causes.first() else {
        return "waits".to_owned();
    };
    match &cause.why {
        Why::HeldBy { by, .. } | Why::Ahead { by, .. } | Why::Behind { by, .. } => {
            format!(
                "waits for {}{}",
                task(by),
                which(by, cause.then.as_deref(), now)
            )
        }
        Why::Doomed { resource, by } => format!(
            "is cancelled if {} deletes {resource}{}",
            task(by),
            which(by, cause.then.as_deref(), now)
        ),
        Why::Dependent { on } => format!(
            "waits for the success of {}{}",
            task(on),
            which(on, cause.then.as_deref(), now)
        ),
        Why::FutureDecided { resource, by, op } => {
            format!(
                "can't run, since {} will {} {resource}",
                task(by),
                verb(*op)
            )
        }
        Why::EarlierItem { resource, item, op } => {
            format!(
                "can't run, since item {item} of its group will {} {resource}",
                verb(*op)
            )
        }
        Why::DependencyFailed { on } => format!("can't run, since task {on} did not succeed"),
        Why::Scheduled { until } => format!("is due at {}, {}", clock(*until), in_(*until, now)),
        Why::Gathering { until } => {
            format!(
                "waits for more submissions to join it and goes on {}",
                in_(*until, now)
            )
        }
        Why::Retrying { until, tries } => {
            format!("{} and is tried again {}", failed(*tries), in_(*until, now))
        }
        Why::Throttled {
            quota,
            resource,
            until,
        } => {
            let units = format!(
                "waits for units of {}",
                of_quota(quota, resource.as_deref())
            );
            match until {
                Some(until) => format!("{units} and goes on {}", in_(*until, now)),
                None => units,
            }
        }
        Why::Held { what } => match what {
            HoldTarget::Task(_) => "is held".to_owned(),
            what => format!("waits, since somebody holds {}", held(what)),
        },
        Why::NoWorker { kind } => format!("waits for a worker that handles kind {kind}"),
        Why::Ready => "waits for the next free worker".to_owned(),
    }
}

/// `, which …`: what the task behind a cause does.
fn which(by: &Brief, then: Option<&Link>, now: Time) -> String {
    let does = match (running(by), then) {
        (Some(running), _) => running,
        (None, Some(link)) if !link.causes.is_empty() => waits(&link.causes, now),
        (None, _) => return String::new(),
    };
    format!(", which {does}")
}

/// How many other tasks are in the way, besides that of the nearest cause.
fn others(causes: &[Cause]) -> String {
    let mut tasks: Vec<u64> = causes
        .iter()
        .filter_map(|cause| culprit(&cause.why))
        .collect();
    let Some(first) = tasks.first().copied() else {
        return String::new();
    };
    tasks.sort_unstable();
    tasks.dedup();
    tasks.retain(|task| *task != first);
    match tasks.len() {
        0 => String::new(),
        1 => format!("; task {} is in its way too", tasks[0]),
        more => format!("; {more} more tasks are in its way"),
    }
}

/// The task that a reason names.
fn culprit(why: &Why) -> Option<u64> {
    match why {
        Why::HeldBy { by, .. }
        | Why::Ahead { by, .. }
        | Why::Behind { by, .. }
        | Why::Doomed { by, .. }
        | Why::FutureDecided { by, .. } => Some(by.task),
        Why::Dependent { on } => Some(on.task),
        _ => None,
    }
}

/// Why a task ended.
pub fn end(why: &EndWhy) -> String {
    match why {
        EndWhy::Success => "A run succeeded.".to_owned(),
        EndWhy::Failure { message, .. } if message.is_empty() => {
            "Its last run failed, and there is no next try.".to_owned()
        }
        EndWhy::Failure { message, .. } => {
            format!("Its last run failed, and there is no next try: {message}")
        }
        EndWhy::WorkerLost => "Its worker was lost, and there is no next try.".to_owned(),
        EndWhy::RanTooLong => "It ran longer than its kind allows.".to_owned(),
        EndWhy::Asked { by: Some(by) } => format!("{by} cancelled it."),
        EndWhy::Asked { by: None } => "Somebody cancelled it.".to_owned(),
        EndWhy::NotStartedInTime => "It did not start in time.".to_owned(),
        EndWhy::ResourceDeleted { resource, by } => format!("Task {by} deleted {resource}."),
        EndWhy::ResourceNotCreated { resource, by } => {
            format!("Task {by} did not create {resource}.")
        }
        EndWhy::DependencyFailed { on } => {
            format!("Task {on}, which it depends on, did not succeed.")
        }
        EndWhy::FutureDecided { resource, by } => format!(
            "When its time came, task {by} had decided the future of {resource} against it."
        ),
        EndWhy::CancelledBy { by } => format!("Task {by} came after it and cancels its kind."),
    }
}

/// `3 min 20 s`: the two longest units of a length of time.
pub fn length(ms: u64) -> String {
    const UNITS: [(&str, u64); 5] = [
        ("d", 86_400_000),
        ("h", 3_600_000),
        ("min", 60_000),
        ("s", 1_000),
        ("ms", 1),
    ];
    let at = UNITS.iter().position(|(_, unit_ms)| ms >= *unit_ms);
    let Some(at) = at else {
        return "0 s".to_owned();
    };
    let (unit, unit_ms) = UNITS[at];
    let first = format!("{} {unit}", ms / unit_ms);
    // Nobody cares for milliseconds beside whole seconds.
    let next = UNITS.get(at + 1).filter(|(unit, _)| *unit != "ms");
    match next.map(|(unit, next_ms)| (unit, ms % unit_ms / next_ms)) {
        Some((unit, rest)) if rest > 0 => format!("{first} {rest} {unit}"),
        _ => first,
    }
}

/// `in 3 min 20 s`, or `now` if it is over.
fn in_(until: Time, now: Time) -> String {
    match until.ms().saturating_sub(now.ms()) {
        0 => "now".to_owned(),
        ms => format!("in {}", length(ms)),
    }
}

/// `2026-11-15 10:30:00 UTC`.
fn clock(time: Time) -> String {
    let text = time.to_string();
    format!("{} {} UTC", &text[..10], &text[11..19])
}

/// `has been running on worker w1 for 3 min 20 s and is at 45 %`.
fn running(brief: &Brief) -> Option<String> {
    let length = length(brief.running?.ms());
    let on = match &brief.worker {
        Some(worker) => format!(" on worker {worker}"),
        None => String::new(),
    };
    let far = match &brief.progress {
        Some(progress) => match (progress.percent, progress.done) {
            (Some(percent), _) => format!(" and is at {percent} %"),
            (None, 0) => String::new(),
            (None, done) if progress.unit.is_empty() => format!(" and has done {done}"),
            (None, done) => format!(" and has done {done} {}", progress.unit),
        },
        None => String::new(),
    };
    Some(format!("has been running{on} for {length}{far}"))
}

fn task(brief: &Brief) -> String {
    format!("task {} ({})", brief.task, brief.kind)
}

fn capital(brief: &Brief) -> String {
    format!("Task {} ({})", brief.task, brief.kind)
}

fn of_quota(quota: &str, resource: Option<&str>) -> String {
    match resource {
        Some(resource) => format!("quota {quota} of {resource}"),
        None => format!("quota {quota}"),
    }
}

fn capital_quota(quota: &str, resource: Option<&str>) -> String {
    of_quota(quota, resource).replacen('q', "Q", 1)
}

fn held(what: &HoldTarget) -> String {
    match what {
        HoldTarget::Task(task) => format!("task {task}"),
        HoldTarget::Resource(resource) => resource.clone(),
        HoldTarget::Kind(kind) => format!("kind {kind}"),
        HoldTarget::Namespace => "the namespace".to_owned(),
    }
}

fn failed(tries: u32) -> String {
    match tries {
        0 | 1 => "failed".to_owned(),
        2 => "failed twice".to_owned(),
        tries => format!("failed {tries} times"),
    }
}

fn verb(op: Op) -> &'static str {
    match op {
        Op::Read => "read",
        Op::Update => "update",
        Op::Create => "create",
        Op::Delete => "delete",
    }
}

fn decided(who: &str, op: Op, resource: &str) -> String {
    match op {
        Op::Delete => {
            format!("{who} will delete {resource}, and only a create can come after that.")
        }
        Op::Create => format!("{who} will create {resource}, which can't be created twice."),
        op => format!("{who} will {} {resource}.", verb(op)),
    }
}

#[cfg(test)]
mod tests;

//! Schedules: by the calendar or at an interval, never both.

use super::name::named;
use super::submission;
use crate::code::Code;
use crate::limits::UPCOMING_SHOWN;
use crate::problem::Problem;
use crate::schedule as wire;
use crate::span::Span;
use crate::time::Time;
use interlock_core::event::Fired;
use interlock_core::view::ScheduleView;
use interlock_core::words::{Schedule, Timing, Wall};

/// A schedule from the wire; its name is that of the path, or else that of the body.
pub fn schedule(path: Option<&str>, policy: wire::SchedulePolicy) -> Result<Schedule, Problem> {
    let name = named(path, policy.name.as_deref())?;
    let timing = timing(&policy)?;
    let submission =
        submission::submission(policy.submission).map_err(|problem| problem.under("submission"))?;
    Ok(Schedule {
        name,
        timing,
        submission,
    })
}

fn timing(policy: &wire::SchedulePolicy) -> Result<Timing, Problem> {
    let wrong = |field: &str, why: &str| Err(Problem::new(Code::BadValue, why).at(field));
    match (&policy.cron, policy.every) {
        (Some(_), Some(_)) => wrong("every", "a schedule has either cron or every"),
        (None, None) => wrong("cron", "a schedule needs cron or every"),
        (Some(_), None) if policy.start.is_some() => wrong("start", "it goes with every, not cron"),
        (Some(_), None) if policy.count.is_some() => wrong("count", "it goes with every, not cron"),
        (None, Some(_)) if policy.zone.is_some() => wrong("zone", "it goes with cron, not every"),
        (Some(cron), None) => Ok(Timing::Cron {
            expression: cron.clone(),
            zone: policy.zone.clone().unwrap_or_else(|| "UTC".to_owned()),
        }),
        (None, Some(every)) => Ok(Timing::Every {
            every_ms: every.ms(),
            start: policy.start.map(Wall::from),
            count: policy.count,
        }),
    }
}

/// What a schedule is.
pub fn shown(schedule: &Schedule) -> wire::SchedulePolicy {
    let policy = wire::SchedulePolicy {
        name: Some(schedule.name.to_string()),
        cron: None,
        zone: None,
        every: None,
        start: None,
        count: None,
        submission: submission::shown(&schedule.submission),
    };
    match &schedule.timing {
        Timing::Cron { expression, zone } => wire::SchedulePolicy {
            cron: Some(expression.clone()),
            zone: Some(zone.clone()),
            ..policy
        },
        Timing::Every {
            every_ms,
            start,
            count,
        } => wire::SchedulePolicy {
            every: Some(Span::from_ms(*every_ms)),
            start: start.map(Time::from),
            count: *count,
            ..policy
        },
    }
}

/// A schedule as it is now.
pub fn schedule_now(view: &ScheduleView, definition: &Schedule) -> wire::Schedule {
    wire::Schedule {
        name: view.name.to_string(),
        policy: shown(definition),
        paused: view.paused,
        last: view.last.map(Time::from),
        last_fired: view.last_fired.as_ref().map(fired),
        next: view.next.map(Time::from),
        upcoming: upcoming(view, definition),
        live: view.live.map(|task| task.0),
    }
}

fn upcoming(view: &ScheduleView, definition: &Schedule) -> Vec<Time> {
    let firings = view.upcoming(&definition.timing, UPCOMING_SHOWN);
    firings.into_iter().map(Time::from).collect()
}

/// What came of a firing.
pub fn fired(fired: &Fired) -> wire::Fired {
    match fired {
        Fired::Submitted { task, verdict } => wire::Fired::Submitted {
            task: task.0,
            verdict: (*verdict).into(),
        },
        Fired::StillLive { task } => wire::Fired::StillLive { task: task.0 },
        Fired::NotAdmitted { code } => wire::Fired::NotAdmitted {
            code: code.to_string(),
        },
    }
}

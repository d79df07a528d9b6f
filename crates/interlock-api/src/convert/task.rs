//! Tasks, and why they ended.

use super::name::texts;
use super::reason::{progress, reasons};
use super::{claim, payload};
use crate::sentence;
use crate::span::Span;
use crate::task::{self as wire, End, EndWhy, FailedRun, Outcome, Run, RunHow, State, Task};
use crate::time::{Clock, Time};
use interlock_core::event;
use interlock_core::reply::StopWhy;
use interlock_core::row::PastRun;
use interlock_core::view::{TaskState, TaskView};
use interlock_core::words::{self, Payload, TaskId};

/// A live task. Its payload is not part of the core's view; the caller adds it if it has it.
pub fn live(view: &TaskView, submitted: Option<&Payload>, clock: &Clock) -> Task {
    Task {
        kind: Some(view.kind.to_string()),
        resources: claim::shown(&view.claims),
        priority: Some(view.priority),
        reasons: reasons(&view.reasons, clock),
        run: run(&view.state, clock),
        stands_for: Some(view.stands_for),
        tries: view.tries,
        losses: view.losses,
        submitted: Some(Time::from(view.submitted)),
        payload: submitted.and_then(payload::shown),
        tags: texts(&view.tags),
        group: view.group.map(|group| group.0),
        parent: view.parent.map(|task| task.0),
        schedule: view.schedule.as_ref().map(ToString::to_string),
        retry_of: view.retry_of.map(|task| task.0),
        ..bare(view.task, state(&view.state))
    }
}

/// A task that ended, and of which nothing more is known. For one in the history the caller fills in
/// the rest.
pub fn ended(task: TaskId, how: words::Outcome) -> Task {
    bare(task, State::from(outcome(how)))
}

fn bare(task: TaskId, state: State) -> Task {
    Task {
        task: task.0,
        kind: None,
        state,
        resources: Vec::new(),
        priority: None,
        reasons: Vec::new(),
        run: None,
        stands_for: None,
        tries: 0,
        losses: 0,
        submitted: None,
        told: None,
        started: None,
        ended: None,
        end: None,
        last_failure: None,
        runs: Vec::new(),
        worker: None,
        payload: None,
        result: None,
        tags: Vec::new(),
        group: None,
        parent: None,
        schedule: None,
        retry_of: None,
    }
}

/// The last of some runs that failed.
pub fn last_failure(runs: &[PastRun]) -> Option<FailedRun> {
    runs.iter().rev().find_map(|run| {
        let (message, detail) = match &run.how {
            event::RunEnd::Failed { error } => {
                (error.message.to_string(), error.detail.to_string())
            }
            event::RunEnd::Stopped {
                why: StopWhy::TooLong,
                ..
            } => ("it ran too long".to_owned(), String::new()),
            _ => return None,
        };
        Some(FailedRun {
            message,
            detail,
            worker: run.worker.as_ref().map(ToString::to_string),
            started: Time::from(run.started),
            ended: Time::from(run.ended),
        })
    })
}

/// Runs that ended.
pub fn runs(runs: &[PastRun]) -> Vec<wire::PastRun> {
    runs.iter().map(past_run).collect()
}

fn past_run(run: &PastRun) -> wire::PastRun {
    use event::RunEnd;
    let error = match &run.how {
        RunEnd::Failed { error } => Some(error),
        _ => None,
    };
    wire::PastRun {
        token: run.token.into(),
        worker: run.worker.as_ref().map(ToString::to_string),
        started: Time::from(run.started),
        ended: Time::from(run.ended),
        how: match &run.how {
            RunEnd::Succeeded { .. } => RunHow::Succeeded,
            RunEnd::Failed { .. } => RunHow::Failed,
            RunEnd::Released => RunHow::Released,
            RunEnd::Returned => RunHow::Returned,
            RunEnd::Lost => RunHow::Lost,
            RunEnd::Stopped {
                why: StopWhy::TooLong,
                ..
            } => RunHow::TooLong,
            RunEnd::Stopped { .. } => RunHow::Stopped,
        },
        message: error.map(|error| error.message.to_string()),
        detail: error.map_or_else(String::new, |error| error.detail.to_string()),
    }
}

pub(crate) fn state(state: &TaskState) -> State {
    match state {
        TaskState::Waiting => State::Waiting,
        TaskState::Running { .. } => State::Running,
    }
}

fn run(state: &TaskState, clock: &Clock) -> Option<Run> {
    let TaskState::Running {
        token,
        worker,
        running_ms,
        lease_ends,
        progress: far,
        stopping,
    } = state
    else {
        return None;
    };
    Some(Run {
        token: (*token).into(),
        worker: worker.to_string(),
        started: clock.ago(*running_ms),
        running: Span::from_ms(*running_ms),
        lease_ends: clock.time(*lease_ends),
        progress: far.as_ref().map(|far| progress(far, *running_ms, clock)),
        stopping: *stopping,
    })
}

/// How a task ended.
pub fn outcome(outcome: words::Outcome) -> Outcome {
    match outcome {
        words::Outcome::Succeeded => Outcome::Succeeded,
        words::Outcome::Failed => Outcome::Failed,
        words::Outcome::Cancelled => Outcome::Cancelled,
    }
}

impl From<Outcome> for words::Outcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Succeeded => words::Outcome::Succeeded,
            Outcome::Failed => words::Outcome::Failed,
            Outcome::Cancelled => words::Outcome::Cancelled,
        }
    }
}

impl From<Outcome> for State {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Succeeded => State::Succeeded,
            Outcome::Failed => State::Failed,
            Outcome::Cancelled => State::Cancelled,
        }
    }
}

/// Why a task ended, with its sentence.
pub fn end(why: &event::EndWhy) -> End {
    use event::EndWhy as Core;
    let why = match why {
        Core::Success => EndWhy::Success,
        Core::Failure { error } => EndWhy::Failure {
            message: error.message.to_string(),
            detail: error.detail.to_string(),
        },
        Core::WorkerLost => EndWhy::WorkerLost,
        Core::RanTooLong => EndWhy::RanTooLong,
        Core::Asked { by } => EndWhy::Asked {
            by: by.as_ref().map(ToString::to_string),
        },
        Core::NotStartedInTime => EndWhy::NotStartedInTime,
        Core::ResourceDeleted { resource, by } => EndWhy::ResourceDeleted {
            resource: resource.to_string(),
            by: by.0,
        },
        Core::ResourceNotCreated { resource, by } => EndWhy::ResourceNotCreated {
            resource: resource.to_string(),
            by: by.0,
        },
        Core::DependencyFailed { on } => EndWhy::DependencyFailed { on: on.0 },
        Core::FutureDecided { resource, by } => EndWhy::FutureDecided {
            resource: resource.to_string(),
            by: by.0,
        },
        Core::CancelledBy { by } => EndWhy::CancelledBy { by: by.0 },
    };
    End {
        sentence: sentence::end(&why),
        why,
    }
}

//! Events of the log as people read them. Those that concern only the inside have no face.

use super::name::texts;
use super::reason::hold_target;
use super::run::stop_why;
use super::schedule::fired;
use super::task::{end, outcome};
use crate::claim::Claim;
use crate::event::{Event, RunEnd, Stage, Submitted, What};
use crate::span::Span;
use crate::time::{Clock, Time};
use interlock_core::event as core;
use interlock_core::words::{KindId, Name, QuotaId, SessionId, Token};

/// Events name things by number; this knows their names. What it does not know is left out.
pub trait Directory {
    /// The name of a kind.
    fn kind(&self, kind: KindId) -> Option<Name>;
    /// The name of a quota.
    fn quota(&self, quota: QuotaId) -> Option<Name>;
    /// The name of a session's worker.
    fn worker(&self, session: SessionId) -> Option<Name>;
}

/// An event as people read it, if they have any business with it. `generation` is that of the store,
/// and `clock` that of the event's record.
pub fn event(
    position: u64,
    generation: u32,
    event: &core::Event,
    names: &dyn Directory,
    clock: &Clock,
) -> Option<Event> {
    let face = Face {
        position,
        generation,
        names,
        clock,
    };
    let what = face.of_task(event).or_else(|| face.of_others(event))?;
    Some(Event {
        position: Some(position),
        at: clock.now(),
        what,
    })
}

struct Face<'a> {
    position: u64,
    generation: u32,
    names: &'a dyn Directory,
    clock: &'a Clock,
}

impl Face<'_> {
    fn of_task(&self, event: &core::Event) -> Option<What> {
        Some(match event {
            core::Event::Admitted(admitted) => What::Submitted(Box::new(self.submitted(admitted))),
            core::Event::Merged { into, priority, .. } => What::Coalesced {
                task: into.0,
                priority: *priority,
            },
            core::Event::Folded { from, into, .. } => What::Folded {
                task: into.0,
                from: from.0,
            },
            core::Event::Moved { task, to, .. } => What::Moved {
                task: task.0,
                to: self.stage(to),
            },
            core::Event::DependencyMet { task, on } => What::DependencyMet {
                task: task.0,
                on: on.0,
            },
            core::Event::Bumped {
                task, priority, by, ..
            } => What::Bumped {
                task: task.0,
                priority: *priority,
                by: text(by),
            },
            core::Event::Started(started) => What::Started {
                task: started.task.0,
                token: self.token().into(),
                worker: text(&self.names.worker(started.session)),
                lease: Span::from_ms(started.lease_ms),
            },
            core::Event::StopAsked {
                token,
                task,
                why,
                by,
            } => What::Stopping {
                task: task.0,
                token: (*token).into(),
                why: stop_why(*why),
                by: text(by),
            },
            core::Event::RunEnded(ended) => self.run_ended(ended),
            core::Event::Ended {
                task,
                outcome: how,
                why,
                ..
            } => What::Ended {
                task: task.0,
                token: None,
                outcome: outcome(*how),
                end: end(why),
            },
            core::Event::GroupFormed { id, tasks } => What::GroupFormed {
                group: id.0,
                tasks: tasks.iter().map(|task| task.0).collect(),
            },
            _ => return None,
        })
    }

    fn of_others(&self, event: &core::Event) -> Option<What> {
        Some(match event {
            core::Event::NamespaceSet(_) => What::NamespaceSet,
            core::Event::KindSet { kind, .. } => What::KindSet {
                kind: kind.name.to_string(),
            },
            core::Event::KindRemoved { id } => What::KindRemoved {
                kind: text(&self.names.kind(*id)),
            },
            core::Event::KindStaffed { kind, staffed } => What::KindStaffed {
                kind: text(&self.names.kind(*kind)),
                staffed: *staffed,
            },
            core::Event::QuotaSet { quota, .. } => What::QuotaSet {
                quota: quota.name.to_string(),
            },
            core::Event::QuotaRemoved { id } => What::QuotaRemoved {
                quota: text(&self.names.quota(*id)),
            },
            core::Event::QuotaPaused { instance, until } => What::QuotaPaused {
                quota: text(&self.names.quota(instance.quota)),
                resource: instance.resource.as_ref().map(ToString::to_string),
                until: self.clock.time(*until),
            },
            core::Event::ScheduleSet { schedule, next } => What::ScheduleSet {
                schedule: schedule.name.to_string(),
                next: next.map(Time::from),
            },
            core::Event::SchedulePaused { name, next, .. } => What::ScheduleSet {
                schedule: name.to_string(),
                next: next.map(Time::from),
            },
            core::Event::ScheduleRemoved { name } => What::ScheduleRemoved {
                schedule: name.to_string(),
            },
            core::Event::ScheduleFired {
                name,
                fired: came,
                next,
            } => What::ScheduleFired {
                schedule: name.to_string(),
                outcome: fired(came),
                next: next.map(Time::from),
            },
            core::Event::Registered { name, kinds } => What::WorkerRegistered {
                worker: name.to_string(),
                session: self.position,
                kinds: texts(&self.kinds(kinds)),
            },
            core::Event::Departed { session } => What::WorkerLeft {
                worker: text(&self.names.worker(*session)),
                session: session.0,
            },
            core::Event::Drained { session, by } => What::WorkerDrained {
                worker: text(&self.names.worker(*session)),
                session: session.0,
                by: text(by),
            },
            core::Event::HoldSet { what, held, by } => {
                let (what, by) = (hold_target(what), text(by));
                if *held {
                    What::Held { what, by }
                } else {
                    What::Released { what, by }
                }
            }
            _ => return None,
        })
    }

    /// The token of the run that this event began.
    fn token(&self) -> Token {
        Token {
            generation: self.generation,
            position: self.position,
        }
    }

    fn kinds(&self, kinds: &[KindId]) -> Vec<Name> {
        kinds
            .iter()
            .filter_map(|kind| self.names.kind(*kind))
            .collect()
    }

    fn submitted(&self, admitted: &core::Admitted) -> Submitted {
        Submitted {
            task: admitted.task.0,
            kind: text(&self.names.kind(admitted.kind)),
            resources: (admitted.claims.iter())
                .map(|(resource, op)| Claim {
                    resource: resource.to_string(),
                    op: Some((*op).into()),
                })
                .collect(),
            priority: admitted.priority,
            verdict: admitted.verdict.into(),
            to: self.stage(&admitted.to),
            tags: texts(&admitted.tags),
            group: admitted.group.map(|group| group.0),
            parent: admitted.parent.map(|task| task.0),
            schedule: text(&admitted.schedule),
            retry_of: admitted.retry_of.map(|task| task.0),
        }
    }

    /// A run that ended with its task, or after which the task waits again.
    fn run_ended(&self, ended: &core::RunEnded) -> What {
        let task = ended.task.0;
        match &ended.then {
            core::Then::Done {
                outcome: how, why, ..
            } => What::Ended {
                task,
                token: Some(ended.token.into()),
                outcome: outcome(*how),
                end: end(why),
            },
            core::Then::Wait { to, .. } => What::RunEnded {
                task,
                token: ended.token.into(),
                how: run_end(&ended.how),
                error: match &ended.how {
                    core::RunEnd::Failed { error } => Some(error.message.to_string()),
                    _ => None,
                },
                to: self.stage(to),
            },
        }
    }

    fn stage(&self, stage: &core::Stage) -> Stage {
        match stage {
            core::Stage::Dependent => Stage::Dependent,
            core::Stage::Scheduled { until } => Stage::Scheduled {
                until: Time::from(*until),
            },
            core::Stage::Gathering { until } => Stage::Gathering {
                until: self.clock.time(*until),
            },
            core::Stage::Retrying { until } => Stage::Retrying {
                until: Time::from(*until),
            },
            core::Stage::Held => Stage::Held,
            core::Stage::NoWorker => Stage::NoWorker,
            core::Stage::Outside(_) => Stage::Outside,
            core::Stage::InLine => Stage::InLine,
            core::Stage::Throttled { instance } => Stage::Throttled {
                quota: text(&self.names.quota(instance.quota)),
                resource: instance.resource.as_ref().map(ToString::to_string),
            },
            core::Stage::Running { .. } => Stage::Running,
        }
    }
}

fn run_end(how: &core::RunEnd) -> RunEnd {
    match how {
        core::RunEnd::Succeeded { .. } => RunEnd::Succeeded,
        core::RunEnd::Failed { .. } => RunEnd::Failed,
        core::RunEnd::Released => RunEnd::Released,
        core::RunEnd::Returned => RunEnd::Returned,
        core::RunEnd::Lost => RunEnd::Lost,
        core::RunEnd::Stopped { .. } => RunEnd::Stopped,
    }
}

fn text(name: &Option<Name>) -> Option<String> {
    name.as_ref().map(ToString::to_string)
}

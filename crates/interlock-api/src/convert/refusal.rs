//! Refusals of the core as problems. Each has a code of its own.

use super::task::outcome;
use crate::code::Code;
use crate::problem::Problem;
use crate::span::Span;
use crate::text::tame;
use interlock_core::Refusal;

/// The code of a refusal.
pub fn code(refusal: &Refusal) -> Code {
    match refusal {
        Refusal::BadName { .. } => Code::BadName,
        Refusal::BadValue { .. } => Code::BadValue,
        Refusal::TooMany { .. } => Code::TooMany,
        Refusal::UnknownKind { .. } => Code::UnknownKind,
        Refusal::UnknownTask(_) => Code::UnknownTask,
        Refusal::UnknownQuota(_) => Code::UnknownQuota,
        Refusal::UnknownSchedule(_) => Code::UnknownSchedule,
        Refusal::UnknownGroup(_) => Code::UnknownGroup,
        Refusal::UnknownWorker(_) => Code::UnknownWorker,
        Refusal::NamespaceFull { .. } => Code::NamespaceFull,
        Refusal::KindFull { .. } => Code::KindFull,
        Refusal::ResourceFull { .. } => Code::ResourceFull,
        Refusal::IdempotencyFull { .. } => Code::IdempotencyFull,
        Refusal::IdempotencyMismatch { .. } => Code::IdempotencyMismatch,
        Refusal::DuplicateResource { .. } => Code::DuplicateResource,
        Refusal::QuotaNeedsOneResource { .. } => Code::QuotaNeedsOneResource,
        Refusal::ConflictsWithAncestor { .. } => Code::ConflictsWithAncestor,
        Refusal::Cycle => Code::Cycle,
        Refusal::GroupNotAdmitted { .. } => Code::GroupNotAdmitted,
        Refusal::StaleSession => Code::StaleSession,
        Refusal::SessionLost => Code::SessionLost,
        Refusal::StaleToken => Code::StaleToken,
        Refusal::StaleTake { .. } => Code::StaleTake,
        Refusal::NameInUse { .. } => Code::NameInUse,
        Refusal::StandsForSeveral { .. } => Code::StandsForSeveral,
        Refusal::Ended { .. } => Code::Ended,
        Refusal::Running(_) => Code::Running,
        Refusal::KindInUse { .. } => Code::KindInUse,
        Refusal::QuotaInUse { .. } => Code::QuotaInUse,
        Refusal::SpentLocally(_) => Code::SpentLocally,
        Refusal::NeverEnough { .. } => Code::NeverEnough,
    }
}

/// A refusal as a problem, with everything it says.
pub fn refusal(refusal: &Refusal) -> Problem {
    let mut problem = Problem::new(code(refusal), tame(&refusal.to_string()));
    let more = &mut problem.more;
    match refusal {
        Refusal::BadValue { field, why } => {
            more.field = Some(wire_field(field).to_owned());
            problem.detail = (*why).to_owned();
        }
        Refusal::UnknownKind { known, .. } => {
            more.known = known.iter().map(ToString::to_string).collect();
        }
        Refusal::TooMany { max, .. }
        | Refusal::NamespaceFull { max }
        | Refusal::KindFull { max, .. }
        | Refusal::ResourceFull { max, .. }
        | Refusal::IdempotencyFull { max } => more.max = Some(*max),
        Refusal::NameInUse { name, wait_ms } => {
            let wait = Span::from_ms(*wait_ms);
            more.wait = Some(wait);
            problem.detail = tame(&format!(
                "worker {name} has live runs; wait {wait} or take over"
            ));
        }
        Refusal::StandsForSeveral { task, count } => {
            more.task = Some(task.0);
            more.count = Some(*count);
        }
        Refusal::Ended { task, outcome: how } => {
            more.task = Some(task.0);
            more.outcome = Some(outcome(*how));
        }
        Refusal::UnknownTask(task) | Refusal::Running(task) => more.task = Some(task.0),
        Refusal::ConflictsWithAncestor { ancestor, .. } => more.task = Some(ancestor.0),
        Refusal::KindInUse { tasks, .. } => more.count = Some(*tasks),
        Refusal::GroupNotAdmitted { item } => more.item = Some(*item as u64),
        _ => {}
    }
    problem
}

/// The same, of a submission: some refusals concern one of its fields.
pub fn of_submission(refused: &Refusal) -> Problem {
    let problem = refusal(refused);
    match refused {
        Refusal::UnknownKind { .. } => problem.at("kind"),
        Refusal::DuplicateResource { .. }
        | Refusal::QuotaNeedsOneResource { .. }
        | Refusal::ConflictsWithAncestor { .. } => problem.at("resources"),
        Refusal::UnknownTask(_) | Refusal::Cycle => problem.at("after"),
        Refusal::IdempotencyMismatch { .. } => problem.at("idempotency_key"),
        Refusal::StaleToken => problem.at("parent"),
        _ => problem,
    }
}

/// The core's word for a field as the wire has it.
fn wire_field(field: &str) -> &str {
    match field {
        "gather" => "coalesce.gather",
        "wait" => "retry.waits",
        "scope" => "per",
        "window" => "limits",
        "pause" => "for",
        field => field,
    }
}

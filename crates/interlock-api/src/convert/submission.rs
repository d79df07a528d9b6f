//! Submissions: one, many, or a group.

use super::name::{maybe, name, names, texts};
use super::{claim, payload};
use crate::code::Code;
use crate::due::Due as WireDue;
use crate::group::GroupReport;
use crate::id::RunToken;
use crate::parse;
use crate::problem::Problem;
use crate::span::Span;
use crate::submission as wire;
use crate::time::{Clock, Time};
use crate::verdict::{BatchReport, ItemOutcome};
use interlock_core::limits::BATCH_MAX;
use interlock_core::reply::Answer;
use interlock_core::words::{After, Due, GroupId, IfBusy, Submission, TaskId, Wall};

/// A submission from the wire. The caller adds the trace context from the request's headers.
pub fn submission(wire: wire::Submission) -> Result<Submission, Problem> {
    Ok(Submission {
        kind: name(&wire.kind, "kind")?,
        claims: claim::claims(&wire.resources)?,
        payload: payload::payload(wire.payload, "payload")?,
        priority: wire.priority,
        due: wire.due.map(due),
        key: maybe(wire.key.as_deref(), "key")?,
        if_busy: match wire.if_busy {
            wire::IfBusy::Wait => IfBusy::Wait,
            wire::IfBusy::Reject => IfBusy::Reject,
        },
        start_within_ms: wire.start_within.map(Span::ms),
        after: wire.after.into_iter().map(after).collect(),
        hold: wire.hold,
        tags: names(&wire.tags, "tags")?,
        idempotency_key: maybe(wire.idempotency_key.as_deref(), "idempotency_key")?,
        parent: wire.parent.map(|token| token.0),
        retry_of: None,
        trace: None,
    })
}

fn due(due: WireDue) -> Due {
    match due {
        WireDue::At(time) => Due::At(Wall::from(time)),
        WireDue::In(span) => Due::In(span.ms()),
    }
}

fn after(after: wire::After) -> After {
    match after {
        wire::After::Task(task) => After::Task(TaskId(task)),
        // An index that does not fit is not that of an item either.
        wire::After::Item(item) => After::Item(usize::try_from(item).unwrap_or(usize::MAX)),
    }
}

/// A submission as the wire has it; for schedules.
pub fn shown(submission: &Submission) -> wire::Submission {
    wire::Submission {
        kind: submission.kind.to_string(),
        resources: claim::shown(&submission.claims),
        payload: payload::shown(&submission.payload),
        priority: submission.priority,
        due: submission.due.map(|due| match due {
            Due::At(wall) => WireDue::At(Time::from(wall)),
            Due::In(ms) => WireDue::In(Span::from_ms(ms)),
        }),
        key: submission.key.as_ref().map(ToString::to_string),
        if_busy: match submission.if_busy {
            IfBusy::Wait => wire::IfBusy::Wait,
            IfBusy::Reject => wire::IfBusy::Reject,
        },
        start_within: submission.start_within_ms.map(Span::from_ms),
        after: (submission.after.iter())
            .map(|after| match after {
                After::Task(task) => wire::After::Task(task.0),
                After::Item(item) => wire::After::Item(*item as u64),
            })
            .collect(),
        tags: texts(&submission.tags),
        hold: submission.hold,
        idempotency_key: submission.idempotency_key.as_ref().map(ToString::to_string),
        parent: submission.parent.map(RunToken),
    }
}

/// Many submissions: those that can be read, and the problems of those that can't.
#[derive(Debug)]
pub struct Batch {
    /// For the core, in order.
    pub submissions: Vec<Submission>,
    /// One for each item as it was sent; none where a submission stands for it.
    problems: Vec<Option<Problem>>,
}

/// Reads each item by itself, so that a bad one harms no other.
pub fn batch(wire: wire::Submissions) -> Result<Batch, Problem> {
    if wire.items.is_empty() {
        return Err(Problem::new(Code::BadValue, "there is nothing in it").at("items"));
    }
    if wire.items.len() > BATCH_MAX {
        let mut problem = Problem::new(
            Code::TooMany,
            format!(
                "there are {}, at most {BATCH_MAX} are allowed",
                wire.items.len()
            ),
        );
        problem.more.max = Some(BATCH_MAX as u64);
        return Err(problem.at("items"));
    }
    let mut batch = Batch {
        submissions: Vec::with_capacity(wire.items.len()),
        problems: Vec::with_capacity(wire.items.len()),
    };
    for (at, item) in wire.items.into_iter().enumerate() {
        let read = parse::object(item.get().as_bytes()).and_then(submission);
        let problem = match read {
            Ok(submission) => {
                batch.submissions.push(submission);
                None
            }
            Err(problem) => Some(problem.in_item("items", at)),
        };
        batch.problems.push(problem);
    }
    Ok(batch)
}

impl Batch {
    /// The report of a batch, from the answers of the core to its submissions.
    pub fn report(self, answers: &[Answer], clock: &Clock) -> BatchReport {
        let mut answers = answers.iter();
        let items = self.problems.into_iter().enumerate();
        let outcomes = items.map(|(at, problem)| match problem {
            Some(problem) => ItemOutcome::from(Err(problem)),
            None => {
                let answer = answers.next().expect("the core answers every submission");
                item_outcome(at, answer, clock)
            }
        });
        BatchReport {
            outcomes: outcomes.collect(),
        }
    }

    /// The submissions of a group; its report if one of them can't be read, and so none is admitted.
    pub fn into_group(self) -> Result<Vec<Submission>, GroupReport> {
        let Some(fault) = self.problems.iter().position(Option::is_some) else {
            return Ok(self.submissions);
        };
        let outcomes = (self.problems.into_iter())
            .map(|problem| {
                let problem = problem.unwrap_or_else(|| {
                    super::refusal::refusal(&interlock_core::Refusal::GroupNotAdmitted {
                        item: fault,
                    })
                });
                ItemOutcome::from(Err(problem))
            })
            .collect();
        Err(GroupReport {
            group: None,
            outcomes,
        })
    }
}

/// The report of a group, from the answers of the core.
pub fn group_report(group: Option<GroupId>, answers: &[Answer], clock: &Clock) -> GroupReport {
    let answers = answers.iter().enumerate();
    GroupReport {
        group: group.map(|group| group.0),
        outcomes: answers
            .map(|(at, answer)| item_outcome(at, answer, clock))
            .collect(),
    }
}

fn item_outcome(at: usize, answer: &Answer, clock: &Clock) -> ItemOutcome {
    let outcome = super::verdict::answer(answer, clock);
    let outcome = outcome.map_err(|problem| match problem.more.field {
        Some(_) => problem.in_item("items", at),
        None => problem,
    });
    ItemOutcome::from(outcome)
}

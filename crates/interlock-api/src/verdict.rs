//! Verdicts: what became of a submission.

use crate::problem::Problem;
use crate::reason::Reason;
use crate::text::is_false;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Whether anything stands in the way of a task. A third verdict, `rejected`, is a problem of that
/// code, with the reasons in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing: the next free worker gets it.
    Accepted,
    /// Something; the reasons say what.
    Postponed,
}

/// What became of a submission that was let in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Report {
    /// Whether anything stands in its way.
    pub verdict: Verdict,
    /// The task: a new one, or the one that was joined. None in a dry run of a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u64>,
    /// What stands in its way, at most eight, the nearest first.
    #[schema(max_items = 8)]
    pub reasons: Vec<Reason>,
    /// How long each of its lines is.
    pub lines: Vec<LineLength>,
    /// How many submissions the task stands for.
    #[schema(minimum = 1)]
    pub stands_for: u64,
    /// It joined a task that was waiting.
    #[serde(default, skip_serializing_if = "is_false")]
    pub coalesced: bool,
    /// This is the answer to an earlier request with the same idempotency key.
    #[serde(default, skip_serializing_if = "is_false")]
    pub repeated: bool,
}

impl Report {
    /// The HTTP status: 202 for something new, 200 if nothing new came of it.
    pub fn status(&self) -> u16 {
        if self.coalesced || self.repeated || self.task.is_none() {
            200
        } else {
            202
        }
    }
}

/// The length of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LineLength {
    /// The resource.
    pub resource: String,
    /// Tasks that stand in it, this one included if it does.
    pub waiting: u64,
}

/// What became of one of many submissions: a report or a problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ItemOutcome {
    /// The HTTP status that it would have had on its own.
    #[schema(minimum = 200, maximum = 599)]
    pub status: u16,
    /// What became of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Report>,
    /// Why nothing became of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

impl From<Result<Report, Problem>> for ItemOutcome {
    fn from(outcome: Result<Report, Problem>) -> Self {
        let status = match &outcome {
            Ok(report) => report.status(),
            Err(problem) => problem.status(),
        };
        let (report, problem) = match outcome {
            Ok(report) => (Some(report), None),
            Err(problem) => (None, Some(problem)),
        };
        Self {
            status,
            report,
            problem,
        }
    }
}

/// What became of many submissions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BatchReport {
    /// One for each item, in order.
    pub outcomes: Vec<ItemOutcome>,
}

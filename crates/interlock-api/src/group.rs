//! Groups: tasks that were admitted together, all or none.

use crate::task::State;
use crate::verdict::ItemOutcome;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What became of the submission of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GroupReport {
    /// The group; none if it was not admitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u64>,
    /// One for each item, in order. If the group was not admitted, the items at fault say why.
    pub outcomes: Vec<ItemOutcome>,
}

impl GroupReport {
    /// The HTTP status: that of the first item at fault, else 202, or 200 for a repeated request.
    pub fn status(&self) -> u16 {
        let fault = |outcome: &&ItemOutcome| {
            (outcome.problem.as_ref())
                .is_some_and(|problem| problem.code != crate::code::Code::GroupNotAdmitted)
        };
        let repeated =
            |outcome: &ItemOutcome| (outcome.report.as_ref()).is_some_and(|report| report.repeated);
        let any_problem = || {
            self.outcomes
                .iter()
                .find(|outcome| outcome.problem.is_some())
        };
        match self.outcomes.iter().find(fault).or_else(any_problem) {
            Some(outcome) => outcome.status,
            None if self.outcomes.iter().any(repeated) => 200,
            None => 202,
        }
    }
}

/// A group as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Group {
    /// The group.
    pub group: u64,
    /// `running` while any of its tasks is live and one has started, `waiting` before; then
    /// `succeeded` if all did, else `failed` if any did, else `cancelled`.
    pub state: State,
    /// How many of its tasks are in which state.
    pub counts: GroupCounts,
    /// How many of its tasks have ended, in percent, rounded down.
    #[schema(minimum = 0, maximum = 100)]
    pub percent: u8,
    /// Its tasks, in order of the items.
    pub tasks: Vec<GroupTask>,
}

/// A group in a list: without its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GroupRow {
    /// The group.
    pub group: u64,
    /// Its state, as that of the group itself.
    pub state: State,
    /// How many of its tasks are in which state.
    pub counts: GroupCounts,
    /// How many of its tasks have ended, in percent, rounded down.
    #[schema(minimum = 0, maximum = 100)]
    pub percent: u8,
}

impl From<Group> for GroupRow {
    fn from(group: Group) -> Self {
        Self {
            group: group.group,
            state: group.state,
            counts: group.counts,
            percent: group.percent,
        }
    }
}

/// How many tasks of a group are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GroupCounts {
    /// Not running.
    pub waiting: u64,
    /// Running.
    pub running: u64,
    /// Ended well.
    pub succeeded: u64,
    /// Failed for good.
    pub failed: u64,
    /// Called off.
    pub cancelled: u64,
}

/// A task of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GroupTask {
    /// The task.
    pub task: u64,
    /// Its state.
    pub state: State,
    /// The tasks that had to succeed first. Once they have, they are known as long as the server
    /// that admitted the group runs and has not admitted very many others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<u64>,
}

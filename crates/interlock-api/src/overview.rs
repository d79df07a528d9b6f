//! A namespace in one look: rates, where tasks are, the busiest lines, quotas.

use crate::code::Code;
use crate::limits::{OVERVIEW_DEFAULT, OVERVIEW_MAX};
use crate::problem::Problem;
use crate::quota::QuotaCount;
use crate::reason::Brief;
use crate::resource::{InLine, ResourceState};
use crate::status::Counts;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A namespace in one look, as a live view of it wants to be told again and again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Overview {
    /// The namespace.
    #[schema(example = "default")]
    pub namespace: String,
    /// The server's version.
    #[schema(example = "0.1.0")]
    pub version: String,
    /// The server's time.
    pub now: Time,
    /// Whether an operator holds all of it.
    pub held: bool,
    /// How many of what there are.
    pub counts: Counts,
    /// What was counted since the server started; rates are differences between two looks.
    pub totals: Totals,
    /// How many live tasks are where.
    pub stages: Vec<StageCount>,
    /// The kinds with most tasks, those first.
    pub kinds: Vec<KindCount>,
    /// The resources that most tasks wait for, the busiest first. Of those with about as many as
    /// the last one, some may be left out.
    pub lines: Vec<Line>,
    /// Counts of quotas that matter now: those of the whole namespace, those that somebody waits
    /// for, and those of resources that a run holds.
    pub quotas: Vec<QuotaCount>,
}

/// What was counted since the server started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Totals {
    /// Submissions that nothing stood in the way of.
    pub accepted: u64,
    /// Submissions that had to wait.
    pub postponed: u64,
    /// Submissions that joined a task.
    pub coalesced: u64,
    /// Submissions that can never run.
    pub rejected: u64,
    /// Submissions that make no sense, or for which there is no room.
    pub refused: u64,
    /// Runs that started.
    pub started: u64,
    /// Runs that succeeded.
    pub succeeded: u64,
    /// Runs that failed, whether or not they are tried again.
    pub failed: u64,
    /// Runs that were given back.
    pub released: u64,
    /// Runs whose worker was lost.
    pub lost: u64,
    /// Runs that were told to stop, and did.
    pub stopped: u64,
}

/// How many live tasks are in one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StageCount {
    /// Where: `running`, `in_line` (ready, or behind others in line), `behind` (outside the line, for
    /// a create or delete), `throttled`, `retrying`, `scheduled`, `gathering`, `dependent`, `held` or
    /// `no_worker`.
    #[schema(example = "in_line")]
    pub stage: String,
    /// So many.
    pub tasks: u64,
}

/// How many tasks of a kind there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KindCount {
    /// The kind.
    #[schema(example = "sync")]
    pub kind: String,
    /// Tasks that run.
    pub running: u64,
    /// Tasks that wait.
    pub waiting: u64,
    /// Whether a live worker handles it, or did a lease ago.
    #[serde(default)]
    pub staffed: bool,
    /// Whether an operator holds it.
    #[serde(default)]
    pub held: bool,
    /// When the oldest of those that wait was submitted, if it is among the oldest of the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest: Option<Time>,
}

/// A resource that somebody waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Line {
    /// The resource.
    #[schema(example = "repository:f16")]
    pub resource: String,
    /// In one word.
    pub state: ResourceState,
    /// Runs that hold it.
    pub running: u64,
    /// Tasks that wait and claim it, wherever they wait.
    pub waiting: u64,
    /// The first of those who hold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<Brief>,
    /// Who is next, and why it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<InLine>,
}

/// How much of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct OverviewQuery {
    /// At most so many lines, kinds, and counts of quotas of each sort; 20 if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
}

impl OverviewQuery {
    /// How much is wanted.
    pub fn limit(&self) -> Result<usize, Problem> {
        match self.limit.unwrap_or(OVERVIEW_DEFAULT) {
            limit if (1..=OVERVIEW_MAX).contains(&limit) => Ok(limit as usize),
            _ => {
                let detail = format!("it must be from 1 to {OVERVIEW_MAX}");
                Err(Problem::new(Code::BadRequest, detail).at("limit"))
            }
        }
    }
}

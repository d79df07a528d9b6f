//! Explanations: why a task is not running, with the causes of the causes.

use crate::reason::Why;
use crate::task::State;
use crate::text::is_false;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why a task is not running, with the causes of the causes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Explanation {
    /// The task; another id than asked for if it was folded into another task.
    pub task: u64,
    /// Whether it waits or runs.
    pub state: State,
    /// The nearest chain of causes, for a person.
    #[schema(
        example = "Task 17 (update of repository:f16) waits for task 12 (sync), which has been running on worker w1 for 3 min 20 s and is at 45 %."
    )]
    pub sentence: String,
    /// The causes, nearest first; empty while it runs.
    pub causes: Vec<Cause>,
    /// Its place in each line that it stands in.
    pub places: Vec<Place>,
}

/// One cause, and why the task that it names is not done yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Cause {
    /// The cause.
    #[serde(flatten)]
    pub why: Why,
    /// The same for a person.
    pub sentence: String,
    /// Whether the task that it names runs or waits, and for what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(no_recursion)]
    pub then: Option<Box<Link>>,
}

/// The next link in a chain of causes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Link {
    /// The task.
    pub task: u64,
    /// Whether it waits or runs.
    pub state: State,
    /// The causes, nearest first; empty while it runs.
    #[schema(no_recursion)]
    pub causes: Vec<Cause>,
    /// Its place in each line that it stands in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
}

/// A place in a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Place {
    /// The resource.
    pub resource: String,
    /// Tasks ahead that conflict with it.
    pub ahead: u64,
    /// There are more than were counted.
    #[serde(default, skip_serializing_if = "is_false")]
    pub at_least: bool,
}

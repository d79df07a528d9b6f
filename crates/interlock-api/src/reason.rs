//! Reasons: why a task is not running, or can never run.

use crate::claim::Op;
use crate::progress::ShownProgress;
use crate::span::Span;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why a task is not running, or can never run: as data, and as a sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Reason {
    /// The reason.
    #[serde(flatten)]
    pub why: Why,
    /// The same for a person.
    #[schema(
        example = "Task 12 (sync) holds repository:f16; it has been running on worker w1 for 3 min 20 s and is at 45 %."
    )]
    pub sentence: String,
}

/// Why a task is not running, or can never run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Why {
    /// It is not due.
    Scheduled {
        /// Until then.
        until: Time,
    },
    /// It waits a moment so that more submissions can join it.
    Gathering {
        /// Until then.
        until: Time,
    },
    /// It failed and waits for the next try.
    Retrying {
        /// Until then.
        until: Time,
        /// Failed runs so far.
        tries: u32,
    },
    /// A conflicting run holds the resource.
    HeldBy {
        /// The resource.
        resource: String,
        /// The holder.
        by: Brief,
    },
    /// A conflicting task is ahead in line.
    Ahead {
        /// The resource.
        resource: String,
        /// The task ahead.
        by: Brief,
    },
    /// It waits outside the line for a create or delete to end.
    Behind {
        /// The resource.
        resource: String,
        /// The create or delete.
        by: Brief,
    },
    /// It came back behind a pending delete, and is cancelled if that succeeds.
    Doomed {
        /// The resource.
        resource: String,
        /// The delete.
        by: Brief,
    },
    /// The resource's future is decided against it: rejected.
    FutureDecided {
        /// The resource.
        resource: String,
        /// The create or delete that decides it.
        by: Brief,
        /// What that task does.
        op: Op,
    },
    /// An earlier item of the same group stands against it: rejected.
    EarlierItem {
        /// The resource.
        resource: String,
        /// Index of that item, counted from 0.
        item: u64,
        /// What that item does.
        op: Op,
    },
    /// A quota has no units for it.
    Throttled {
        /// The quota.
        quota: String,
        /// The resource, for a quota per resource.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resource: Option<String>,
        /// When it will go on, if only time stands in the way.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Time>,
    },
    /// A task it depends on has not succeeded yet.
    Dependent {
        /// That task.
        on: Brief,
    },
    /// A task it depends on did not succeed: rejected.
    DependencyFailed {
        /// That task.
        on: u64,
    },
    /// Somebody holds it.
    Held {
        /// What is held.
        what: HoldTarget,
    },
    /// No live worker handles its kind.
    NoWorker {
        /// The kind.
        kind: String,
    },
    /// Nothing stands in its way: it waits for the next free worker.
    Ready,
}

/// A task in a few words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Brief {
    /// The task.
    pub task: u64,
    /// Its kind.
    pub kind: String,
    /// The worker that runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// How long it has been running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<Span>,
    /// How far it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<ShownProgress>,
}

/// What an operator holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HoldTarget {
    /// One task.
    Task(u64),
    /// Every task that claims this resource.
    Resource(String),
    /// Every task of this kind.
    Kind(String),
    /// Every task.
    Namespace,
}

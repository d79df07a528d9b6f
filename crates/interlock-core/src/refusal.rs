//! Refusals: what a caller asked for that is not done, with nothing changed. Values, never panics.

use crate::words::{Name, Outcome, ResourceName, TaskId};

/// Why a command was refused. Nothing was changed. Each variant has a stable code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A name breaks the rules for names.
    #[error("bad name {name:?}: {why}")]
    BadName {
        /// The name, shortened.
        name: Box<str>,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A value is out of range or does not fit another.
    #[error("bad {field}: {why}")]
    BadValue {
        /// Which field.
        field: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
    /// More of something than a limit allows in one call or definition.
    #[error("too many {what}: at most {max}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// The limit.
        max: u64,
    },
    /// The kind was never registered.
    #[error("unknown kind {kind}")]
    UnknownKind {
        /// The kind asked for.
        kind: Name,
        /// The kinds there are.
        known: Vec<Name>,
    },
    /// No such task, or it ended too long ago to be known here.
    #[error("unknown task {0}")]
    UnknownTask(TaskId),
    /// No such quota.
    #[error("unknown quota {0}")]
    UnknownQuota(Name),
    /// No such schedule.
    #[error("unknown schedule {0}")]
    UnknownSchedule(Name),
    /// No such group, or all of its tasks have ended.
    #[error("unknown group {0}")]
    UnknownGroup(u64),
    /// No such worker.
    #[error("unknown worker {0}")]
    UnknownWorker(Name),
    /// The namespace has as many waiting tasks as it may. Retryable.
    #[error("the namespace is full: {max} tasks are waiting")]
    NamespaceFull {
        /// The cap.
        max: u64,
    },
    /// The kind has as many waiting tasks as it may. Retryable.
    #[error("kind {kind} is full: {max} tasks are waiting")]
    KindFull {
        /// The kind.
        kind: Name,
        /// The cap.
        max: u64,
    },
    /// The resource has as many waiting tasks as it may. Retryable.
    #[error("resource {resource} is full: {max} tasks are waiting")]
    ResourceFull {
        /// The resource.
        resource: ResourceName,
        /// The cap.
        max: u64,
    },
    /// The namespace remembers as many idempotency keys as it may. Retryable.
    #[error("no room for another idempotency key: {max} are remembered")]
    IdempotencyFull {
        /// The cap.
        max: u64,
    },
    /// The idempotency key was used with another request.
    #[error("idempotency key {key} was used for another request")]
    IdempotencyMismatch {
        /// The key.
        key: Name,
    },
    /// One task claims a resource twice.
    #[error("resource {resource} is claimed twice")]
    DuplicateResource {
        /// The resource.
        resource: ResourceName,
    },
    /// A kind with a quota per resource of a type must claim exactly one such resource.
    #[error(
        "quota {quota} is per {resource_type}: the task must claim exactly one {resource_type}"
    )]
    QuotaNeedsOneResource {
        /// The quota.
        quota: Name,
        /// The type it is counted over.
        resource_type: Name,
    },
    /// A child may not claim what a live ancestor holds: it would wait for its own parent.
    #[error("task {ancestor} above it holds {resource}")]
    ConflictsWithAncestor {
        /// The ancestor.
        ancestor: TaskId,
        /// The resource both want.
        resource: ResourceName,
    },
    /// Items of a group wait for one another in a circle.
    #[error("the items wait for one another in a circle")]
    Cycle,
    /// Another item of the group was refused or rejected, so none was admitted.
    #[error("item {item} of the group was not admitted, so none was")]
    GroupNotAdmitted {
        /// The first item at fault.
        item: usize,
    },
    /// The session is unknown, departed, or another one of the same name took its place.
    #[error("this session has ended; register again")]
    StaleSession,
    /// The session lost a run; it must register again before it gets work.
    #[error("this session lost a run; register again")]
    SessionLost,
    /// The run is not live under this token. Nothing was changed.
    #[error("this run has ended; its token is stale")]
    StaleToken,
    /// A later take of the session was already answered.
    #[error("take {number} is out of order: {last} was answered already")]
    StaleTake {
        /// The number sent.
        number: u64,
        /// The last one answered.
        last: u64,
    },
    /// A live session has this name.
    #[error("worker {name} has live runs; wait {wait_ms} ms or take over")]
    NameInUse {
        /// The name.
        name: Name,
        /// When its last lease ends at the latest.
        wait_ms: u64,
    },
    /// The task stands for several submissions; cancelling it needs `all`.
    #[error("task {task} stands for {count} submissions; cancel all of them or none")]
    StandsForSeveral {
        /// The task.
        task: TaskId,
        /// How many.
        count: u64,
    },
    /// The task has ended.
    #[error("task {task} has ended")]
    Ended {
        /// The task.
        task: TaskId,
        /// How.
        outcome: Outcome,
    },
    /// The verb is for waiting tasks, and this one is running.
    #[error("task {0} is running")]
    Running(TaskId),
    /// The kind cannot be removed while tasks of it are there.
    #[error("kind {kind} has {tasks} tasks")]
    KindInUse {
        /// The kind.
        kind: Name,
        /// How many.
        tasks: u64,
    },
    /// The quota cannot be removed while a kind names it.
    #[error("quota {quota} is named by kind {kind}")]
    QuotaInUse {
        /// The quota.
        quota: Name,
        /// A kind that names it.
        kind: Name,
    },
    /// The run spends this quota by itself, from the budget it was handed.
    #[error("quota {0} is spent from the run's own budget")]
    SpentLocally(Name),
    /// More units than the quota ever allows.
    #[error("quota {quota} never allows {units} units at once")]
    NeverEnough {
        /// The quota.
        quota: Name,
        /// The units asked for.
        units: u64,
    },
}

impl Refusal {
    /// The stable code, never reused.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::BadName { .. } => "bad_name",
            Refusal::BadValue { .. } => "bad_value",
            Refusal::TooMany { .. } => "too_many",
            Refusal::UnknownKind { .. } => "unknown_kind",
            Refusal::UnknownTask(_) => "unknown_task",
            Refusal::UnknownQuota(_) => "unknown_quota",
            Refusal::UnknownSchedule(_) => "unknown_schedule",
            Refusal::UnknownGroup(_) => "unknown_group",
            Refusal::UnknownWorker(_) => "unknown_worker",
            Refusal::NamespaceFull { .. } => "namespace_full",
            Refusal::KindFull { .. } => "kind_full",
            Refusal::ResourceFull { .. } => "resource_full",
            Refusal::IdempotencyFull { .. } => "idempotency_full",
            Refusal::IdempotencyMismatch { .. } => "idempotency_mismatch",
            Refusal::DuplicateResource { .. } => "duplicate_resource",
            Refusal::QuotaNeedsOneResource { .. } => "quota_needs_one_resource",
            Refusal::ConflictsWithAncestor { .. } => "conflicts_with_ancestor",
            Refusal::Cycle => "cycle",
            Refusal::GroupNotAdmitted { .. } => "group_not_admitted",
            Refusal::StaleSession => "stale_session",
            Refusal::SessionLost => "session_lost",
            Refusal::StaleToken => "stale_token",
            Refusal::StaleTake { .. } => "stale_take",
            Refusal::NameInUse { .. } => "name_in_use",
            Refusal::StandsForSeveral { .. } => "stands_for_several",
            Refusal::Ended { .. } => "ended",
            Refusal::Running(_) => "running",
            Refusal::KindInUse { .. } => "kind_in_use",
            Refusal::QuotaInUse { .. } => "quota_in_use",
            Refusal::SpentLocally(_) => "spent_locally",
            Refusal::NeverEnough { .. } => "never_enough",
        }
    }

    /// Whether the same request may be granted later without a change.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Refusal::NamespaceFull { .. }
                | Refusal::KindFull { .. }
                | Refusal::ResourceFull { .. }
                | Refusal::IdempotencyFull { .. }
                | Refusal::NameInUse { .. }
        )
    }
}

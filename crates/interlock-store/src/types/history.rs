//! Tasks that have ended, and how they are asked for.

/// A task that has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryRow {
    /// Its id.
    pub task: u64,
    /// Its kind.
    pub kind: String,
    /// How it ended, as a stable word.
    pub outcome: String,
    /// What it claimed, as `type:id`. Each once.
    pub resources: Vec<String>,
    /// When it was submitted.
    pub submitted_ms: u64,
    /// When it ended.
    pub ended_ms: u64,
    /// The worker of its last run.
    pub worker: Option<String>,
    /// The groups it was submitted in: several if it stands for several submissions. Each once.
    pub groups: Vec<u64>,
    /// The schedule that submitted it.
    pub schedule: Option<String>,
    /// The task that submitted it.
    pub parent: Option<u64>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Why it failed, in one line: what failures are grouped by, together with the kind.
    pub error: Option<String>,
    /// Other ids that lead to it. Each once.
    pub aliases: Vec<u64>,
    /// From when on it may be purged; `u64::MAX` for never.
    pub expires_ms: u64,
    /// The rest.
    pub body: Vec<u8>,
}

/// Which ended tasks. What is not set is not asked for; all that is set must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryFilter {
    /// One of these outcomes; empty for any.
    pub outcomes: Vec<String>,
    /// Of this kind.
    pub kind: Option<String>,
    /// That claimed this resource.
    pub resource: Option<String>,
    /// Whose last run was on this worker.
    pub worker: Option<String>,
    /// With this tag.
    pub tag: Option<String>,
    /// Submitted by this schedule.
    pub schedule: Option<String>,
    /// Submitted in this group.
    pub group: Option<u64>,
    /// Submitted by this task.
    pub parent: Option<u64>,
    /// Failed with this error.
    pub error: Option<String>,
    /// Ended at this time or later.
    pub ended_from_ms: Option<u64>,
    /// Ended before this time.
    pub ended_until_ms: Option<u64>,
}

impl HistoryFilter {
    /// Does everything that is set hold for this task?
    pub fn matches(&self, row: &HistoryRow) -> bool {
        let wanted = |want: &Option<String>, have: Option<&String>| {
            want.as_ref().is_none_or(|want| have == Some(want))
        };
        (self.outcomes.is_empty() || self.outcomes.contains(&row.outcome))
            && wanted(&self.kind, Some(&row.kind))
            && wanted(&self.worker, row.worker.as_ref())
            && wanted(&self.schedule, row.schedule.as_ref())
            && wanted(&self.error, row.error.as_ref())
            && self.group.is_none_or(|group| row.groups.contains(&group))
            && self.parent.is_none_or(|parent| row.parent == Some(parent))
            && self
                .resource
                .iter()
                .all(|resource| row.resources.contains(resource))
            && self.tag.iter().all(|tag| row.tags.contains(tag))
            && self.ended_from_ms.is_none_or(|from| row.ended_ms >= from)
            && self.ended_until_ms.is_none_or(|until| row.ended_ms < until)
    }
}

/// A stretch of a list, highest id first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryPage {
    /// The tasks. There may be few or none although more follow.
    pub rows: Vec<HistoryRow>,
    /// What to pass as `before` for the rest; none at the end.
    pub next: Option<u64>,
}

/// Failed tasks of one kind with the same error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureGroup {
    /// Their kind.
    pub kind: String,
    /// Their error.
    pub error: String,
    /// How many are in the history.
    pub count: u64,
    /// How many different resources they claimed.
    pub resources: u64,
    /// The one with the lowest id.
    pub first_task: u64,
    /// When that ended.
    pub first_ms: u64,
    /// The one with the highest id.
    pub last_task: u64,
    /// When that ended.
    pub last_ms: u64,
}

/// The last task of a kind that ended in one way on a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastEnded {
    /// The kind.
    pub kind: String,
    /// The outcome.
    pub outcome: String,
    /// The one with the highest id.
    pub task: u64,
    /// When it ended.
    pub ended_ms: u64,
}

/// What to purge from the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purge<'a> {
    /// What has expired.
    Expired {
        /// The time now: what expires at it or before goes.
        now_ms: u64,
    },
    /// What somebody asked for.
    Matching {
        /// Which ones.
        filter: &'a HistoryFilter,
        /// Only ids below this: where the last slice left off.
        before: Option<u64>,
    },
}

/// What one slice of a purge did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    /// How many rows are gone.
    pub rows: u64,
    /// Whether there may be more to purge.
    pub more: bool,
    /// Where the next slice of [`Purge::Matching`] goes on.
    pub next: Option<u64>,
}

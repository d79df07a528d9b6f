//! Tasks that have ended, on their way to the history and back.

use interlock_core::event::EndWhy;
use interlock_core::row::EndedTask;
use interlock_core::words::{Outcome, TaskId};
use interlock_store::HistoryRow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Tasks that ended and are not in the history yet, by id.
#[derive(Default)]
pub struct Pending {
    by_task: BTreeMap<TaskId, Arc<EndedTask>>,
    aliases: BTreeMap<TaskId, TaskId>,
}

impl Pending {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.by_task.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_task.is_empty()
    }

    /// Whether any ended so.
    pub fn any(&self, outcome: Outcome) -> bool {
        self.by_task.values().any(|ended| ended.outcome == outcome)
    }

    /// The one that an id leads to.
    pub fn find(&self, task: TaskId) -> Option<&Arc<EndedTask>> {
        let task = self.aliases.get(&task).unwrap_or(&task);
        self.by_task.get(task)
    }

    /// Those below an id, newest first.
    pub fn before(&self, task: TaskId) -> impl Iterator<Item = &Arc<EndedTask>> {
        self.by_task.range(..task).rev().map(|(_, ended)| ended)
    }

    /// Adds one, unless nothing of it is kept.
    pub(super) fn add(&mut self, ended: EndedTask) {
        if ended.keep_ms == 0 {
            return;
        }
        for alias in &ended.aliases {
            self.aliases.insert(*alias, ended.task);
        }
        self.by_task.insert(ended.task, Arc::new(ended));
    }

    /// All of them.
    pub(super) fn all(&self) -> (Vec<TaskId>, Vec<Arc<EndedTask>>) {
        let tasks = self.by_task.keys().copied();
        (tasks.collect(), self.by_task.values().cloned().collect())
    }

    /// These are in the history now.
    pub(super) fn kept(&mut self, tasks: &[TaskId]) {
        for task in tasks {
            let Some(ended) = self.by_task.remove(task) else {
                continue;
            };
            for alias in &ended.aliases {
                self.aliases.remove(alias);
            }
        }
    }
}

/// An ended task as the history keeps it.
pub fn history_row(ended: &EndedTask) -> HistoryRow {
    let names =
        |names: &[interlock_core::words::Name]| names.iter().map(ToString::to_string).collect();
    let last_run = ended.runs.last();
    HistoryRow {
        task: ended.task.0,
        kind: ended.kind.to_string(),
        outcome: outcome_word(ended.outcome).to_owned(),
        resources: (ended.claims.iter())
            .map(|claim| claim.resource.to_string())
            .collect(),
        submitted_ms: ended.submitted.0,
        ended_ms: ended.ended.0,
        worker: last_run.and_then(|run| run.worker.as_ref().map(ToString::to_string)),
        groups: ended.groups.iter().map(|group| group.0).collect(),
        schedule: ended.schedule.as_ref().map(ToString::to_string),
        parent: ended.parent.map(|parent| parent.0),
        tags: names(&ended.tags),
        error: error_of(ended),
        aliases: ended.aliases.iter().map(|alias| alias.0).collect(),
        expires_ms: ended.ended.0.saturating_add(ended.keep_ms),
        body: postcard::to_stdvec(ended).expect("rows are plain data, and memory is not bounded"),
    }
}

/// What the history kept.
pub fn read_row(row: &HistoryRow) -> Result<EndedTask, String> {
    postcard::from_bytes(&row.body).map_err(|error| {
        let task = row.task;
        format!("the history of task {task} can't be read: {error}")
    })
}

/// An outcome as a stable word.
pub(crate) fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Succeeded => "succeeded",
        Outcome::Failed => "failed",
        Outcome::Cancelled => "cancelled",
    }
}

/// What failures are grouped by.
pub(super) fn error_of(ended: &EndedTask) -> Option<String> {
    if ended.outcome != Outcome::Failed {
        return None;
    }
    Some(match &ended.why {
        EndWhy::Failure { error } => error.message.to_string(),
        EndWhy::WorkerLost => "its workers were lost".to_owned(),
        EndWhy::RanTooLong => "it ran too long".to_owned(),
        _ => "unknown".to_owned(),
    })
}

//! The rows of each pane: what of the last look is shown, in which order.

use super::fetch::Seen;
use super::filter::Filter;
use interlock_api::overview::{Line, StageCount};
use interlock_api::quota::{LimitCount, QuotaCount};
use interlock_api::task::Task;
use interlock_api::worker::Worker;

/// The panes that have rows to choose from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// Tasks.
    #[default]
    Tasks,
    /// The busiest lines.
    Lines,
    /// Workers.
    Workers,
    /// Quotas.
    Quotas,
}

impl Pane {
    /// All of them, in order.
    pub const ALL: [Pane; 4] = [Pane::Tasks, Pane::Lines, Pane::Workers, Pane::Quotas];

    /// The one so many places further on.
    pub fn further(self, by: usize) -> Self {
        let at = Self::ALL.iter().position(|pane| *pane == self);
        Self::ALL[(at.unwrap_or(0) + by) % Self::ALL.len()]
    }
}

/// Tasks, the longest running first; those that wait or have ended as the server lists them.
pub fn tasks<'a>(seen: &'a Seen, filter: &Filter) -> Vec<&'a Task> {
    let fit = seen.tasks.iter().filter(|task| filter.fits_task(task));
    let mut tasks: Vec<&Task> = fit.collect();
    tasks.sort_by_key(|task| {
        let started = task.run.as_ref().map(|run| run.started);
        (started.is_none(), started)
    });
    tasks
}

/// The busiest lines.
pub fn lines<'a>(seen: &'a Seen, filter: &Filter) -> Vec<&'a Line> {
    let fits = |line: &&Line| {
        let kinds = [
            line.holder.as_ref().map(|holder| holder.kind.as_str()),
            line.first.as_ref().map(|first| first.kind.as_str()),
        ];
        filter.fits(kinds.into_iter().flatten().chain([line.resource.as_str()]))
    };
    seen.overview.lines.iter().filter(fits).collect()
}

/// All workers; a filter is about tasks and lines.
pub fn workers(seen: &Seen) -> Vec<&Worker> {
    seen.workers.iter().collect()
}

/// Each limit of each count.
pub fn quotas(seen: &Seen) -> Vec<(&QuotaCount, &LimitCount)> {
    let counts = seen.overview.quotas.iter();
    counts
        .flat_map(|count| count.limits.iter().map(move |limit| (count, limit)))
        .collect()
}

/// Why tasks wait: every stage but running that has tasks.
pub fn waits(seen: &Seen) -> Vec<&StageCount> {
    let stages = seen.overview.stages.iter();
    stages
        .filter(|stage| stage.stage != "running" && stage.tasks > 0)
        .collect()
}

/// What makes a row the same one at the next look.
pub fn names(seen: &Seen, filter: &Filter, pane: Pane) -> Vec<String> {
    match pane {
        Pane::Tasks => (tasks(seen, filter).iter())
            .map(|task| task.task.to_string())
            .collect(),
        Pane::Lines => (lines(seen, filter).iter())
            .map(|line| line.resource.clone())
            .collect(),
        Pane::Workers => (workers(seen).iter())
            .map(|worker| worker.name.clone())
            .collect(),
        Pane::Quotas => (quotas(seen).iter())
            .map(|(count, limit)| {
                let resource = count.resource.as_deref().unwrap_or("");
                format!("{} {resource} {}", count.quota, limit.limit)
            })
            .collect(),
    }
}

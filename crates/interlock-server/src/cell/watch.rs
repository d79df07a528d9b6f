//! Those who wait for a task to start or to end.

use super::batch::Release;
use interlock_core::event::{Event, Then};
use interlock_core::words::TaskId;
use std::collections::BTreeMap;

/// What somebody waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Until {
    /// A run of it started, or it ended.
    Started,
    /// It ended.
    Ended,
}

/// Those who wait, by task.
#[derive(Default)]
pub(super) struct Watchers {
    by_task: BTreeMap<TaskId, Vec<(Until, Release)>>,
    count: usize,
}

impl Watchers {
    pub(super) fn is_empty(&self) -> bool {
        self.by_task.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn add(&mut self, task: TaskId, until: Until, release: Release) {
        self.count += 1;
        self.by_task.entry(task).or_default().push((until, release));
    }

    /// Those whose wait is over by this event.
    pub(super) fn notice(&mut self, event: &Event, releases: &mut Vec<Release>) {
        match event {
            Event::Started(started) => self.over(started.task, Until::Started, releases),
            Event::Ended { task, .. } => self.over(*task, Until::Ended, releases),
            Event::RunEnded(ended) if matches!(ended.then, Then::Done { .. }) => {
                self.over(ended.task, Until::Ended, releases);
            }
            // Both ids lead to the one that stays: whoever waits looks again.
            Event::Folded { from, .. } => self.over(*from, Until::Ended, releases),
            _ => {}
        }
    }

    fn over(&mut self, task: TaskId, what: Until, releases: &mut Vec<Release>) {
        let Some(waiting) = self.by_task.remove(&task) else {
            return;
        };
        let (over, rest): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|(until, _)| *until <= what);
        self.count -= over.len();
        releases.extend(over.into_iter().map(|(_, release)| release));
        if !rest.is_empty() {
            self.by_task.insert(task, rest);
        }
    }

    /// All of them, since nothing is known any more.
    pub(super) fn drain(&mut self) -> Vec<Release> {
        self.count = 0;
        let all = std::mem::take(&mut self.by_task).into_values();
        all.flatten().map(|(_, release)| release).collect()
    }
}

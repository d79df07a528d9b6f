//! The tasks, by id. Ids are drawn in order, so they are kept in pages of 64 neighbours.

use super::map::Map;
use super::task::Task;
use crate::limits;
use crate::words::{Elapsed, Outcome, TaskId};
use std::collections::{BTreeSet, VecDeque};

const PAGE: u64 = 64;

/// The live tasks, and the outcomes of those that ended not long ago.
pub(crate) struct TaskTable {
    pages: Map<u64, Box<Page>>,
    /// Numbers of the pages, in order.
    page_order: BTreeSet<u64>,
    ended: Map<u64, Box<EndedPage>>,
    /// Pages of `ended` by the time after which they may go.
    ended_order: VecDeque<(Elapsed, u64)>,
    len: usize,
}

struct Page {
    tasks: [Option<Box<Task>>; PAGE as usize],
    live: u32,
}

struct EndedPage {
    outcomes: [Option<Outcome>; PAGE as usize],
    last: Elapsed,
}

impl TaskTable {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            pages: Map::new(seed),
            page_order: BTreeSet::new(),
            ended: Map::new(seed),
            ended_order: VecDeque::new(),
            len: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn get(&self, id: TaskId) -> Option<&Task> {
        self.pages.get(&(id.0 / PAGE))?.tasks[(id.0 % PAGE) as usize].as_deref()
    }

    pub(crate) fn get_mut(&mut self, id: TaskId) -> Option<&mut Task> {
        self.pages.get_mut(&(id.0 / PAGE))?.tasks[(id.0 % PAGE) as usize].as_deref_mut()
    }

    /// The first live task after this id.
    pub(crate) fn next_after(&self, id: TaskId) -> Option<TaskId> {
        let from = id.0 + 1;
        self.page_order.range(from / PAGE..).find_map(|number| {
            let tasks = &self.pages.get(number)?.tasks;
            let first = (number * PAGE).max(from);
            let mut rest = first..(number + 1) * PAGE;
            rest.find(|id| tasks[(id % PAGE) as usize].is_some())
                .map(TaskId)
        })
    }

    /// Live tasks before this id, newest first.
    pub(crate) fn before(&self, id: TaskId) -> impl Iterator<Item = TaskId> {
        let pages = self.page_order.range(..=id.0 / PAGE).rev();
        pages
            .flat_map(|number| (number * PAGE..(number + 1) * PAGE).rev())
            .map(TaskId)
            .filter(move |found| *found < id && self.get(*found).is_some())
    }

    pub(crate) fn insert(&mut self, task: Box<Task>) {
        let id = task.id.0;
        let page_order = &mut self.page_order;
        let page = self.pages.get_or_insert_with(id / PAGE, || {
            page_order.insert(id / PAGE);
            Box::new(Page {
                tasks: [const { None }; PAGE as usize],
                live: 0,
            })
        });
        let old = page.tasks[(id % PAGE) as usize].replace(task);
        assert!(old.is_none(), "an id is drawn once");
        page.live += 1;
        self.len += 1;
    }

    /// Takes a task out; its outcome stays known for a while.
    pub(crate) fn end(&mut self, id: TaskId, outcome: Outcome, now: Elapsed) -> Box<Task> {
        self.note_outcome(id, outcome, now);
        self.remove(id)
    }

    /// Remembers an outcome for a while.
    pub(crate) fn note_outcome(&mut self, id: TaskId, outcome: Outcome, now: Elapsed) {
        let mut fresh = false;
        let page = self.ended.get_or_insert_with(id.0 / PAGE, || {
            fresh = true;
            Box::new(EndedPage {
                outcomes: [None; PAGE as usize],
                last: now,
            })
        });
        page.outcomes[(id.0 % PAGE) as usize] = Some(outcome);
        page.last = now;
        if fresh {
            self.ended_order.push_back((now, id.0 / PAGE));
        }
        self.forget(now);
    }

    /// Takes a task out without an outcome of its own: another one stands for it.
    pub(crate) fn remove(&mut self, id: TaskId) -> Box<Task> {
        let page = self
            .pages
            .get_mut(&(id.0 / PAGE))
            .expect("the task is live");
        let task = page.tasks[(id.0 % PAGE) as usize]
            .take()
            .expect("the task is live");
        page.live -= 1;
        if page.live == 0 {
            self.pages.remove(&(id.0 / PAGE));
            self.page_order.remove(&(id.0 / PAGE));
        }
        self.len -= 1;
        task
    }

    /// The page that a task's outcome is on.
    pub(crate) fn page_of(id: TaskId) -> u64 {
        id.0 / PAGE
    }

    /// A page of outcomes as a row: each with its number on the page, and when the last one came.
    pub(crate) fn outcomes(&self, page: u64) -> Option<(Vec<(u8, Outcome)>, Elapsed)> {
        let page = self.ended.get(&page)?;
        let known = (0u8..).zip(&page.outcomes);
        let known = known.filter_map(|(at, outcome)| Some((at, (*outcome)?)));
        Some((known.collect(), page.last))
    }

    /// Puts such a page back. Pages come in the order of their times.
    pub(crate) fn restore_outcomes(
        &mut self,
        number: u64,
        known: Vec<(u8, Outcome)>,
        last: Elapsed,
    ) {
        let mut outcomes = [None; PAGE as usize];
        for (at, outcome) in known {
            outcomes[usize::from(at) % PAGE as usize] = Some(outcome);
        }
        self.ended
            .insert(number, Box::new(EndedPage { outcomes, last }));
        self.ended_order.push_back((last, number));
    }

    pub(crate) fn outcome(&self, id: TaskId) -> Option<Outcome> {
        self.ended.get(&(id.0 / PAGE))?.outcomes[(id.0 % PAGE) as usize]
    }

    /// Forgets outcomes that are old enough; a step at a time, so that it never adds up.
    fn forget(&mut self, now: Elapsed) {
        for _ in 0..2 {
            let Some(&(since, number)) = self.ended_order.front() else {
                return;
            };
            if now.since(since) < limits::OUTCOME_MS {
                return;
            }
            self.ended_order.pop_front();
            let last = self.ended.get(&number).map_or(since, |page| page.last);
            if now.since(last) < limits::OUTCOME_MS {
                self.ended_order.push_back((last, number));
            } else {
                self.ended.remove(&number);
            }
        }
    }
}

//! What is going to happen, in order of time; what was planned first goes first among equals.

use std::collections::BTreeMap;

/// Things to come.
#[derive(Debug)]
pub struct Queue<T> {
    next: u64,
    planned: BTreeMap<(u64, u64), T>,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self {
            next: 0,
            planned: BTreeMap::new(),
        }
    }
}

impl<T> Queue<T> {
    /// Plans something.
    pub fn plan(&mut self, at: u64, what: T) {
        self.next += 1;
        self.planned.insert((at, self.next), what);
    }

    /// The next thing and its time.
    pub fn pop(&mut self) -> Option<(u64, T)> {
        self.planned.pop_first().map(|((at, _), what)| (at, what))
    }
}

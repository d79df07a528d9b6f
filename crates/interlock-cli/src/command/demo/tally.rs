//! What really happened, seen from inside the handlers: how many runs of which story, and whether
//! anything happened that must not.

use interlock_api::claim::Op;
use interlock_client::worker::Run;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The three stories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Story {
    /// Syncs, copies and deletes of repositories.
    Repositories,
    /// Bursts of events of hosts.
    Hosts,
    /// Syncs of shops that allow so many calls.
    Shops,
}

/// What was seen so far.
#[derive(Debug, Default)]
pub struct Tally {
    runs: [AtomicU64; 3],
    retried: AtomicU64,
    conflicts: AtomicU64,
    too_many_calls: AtomicU64,
    inside: Mutex<BTreeMap<String, Inside>>,
    calls: Mutex<BTreeMap<String, VecDeque<Instant>>>,
}

/// Who is at work on a resource.
#[derive(Debug, Default)]
struct Inside {
    readers: u64,
    writers: u64,
}

/// A run is at work as long as this lives.
pub struct AtWork {
    tally: Arc<Tally>,
    claims: Vec<(String, bool)>,
}

impl Tally {
    /// A run begins.
    pub fn begin(self: &Arc<Self>, story: Story, run: &Run) -> AtWork {
        self.runs[story as usize].fetch_add(1, Ordering::Relaxed);
        if run.attempt() > 1 {
            self.retried.fetch_add(1, Ordering::Relaxed);
        }
        let claims = run.resources().iter();
        let claims = claims.map(|claim| (claim.resource.clone(), claim.op == Some(Op::Read)));
        self.enter(claims.collect())
    }

    fn enter(self: &Arc<Self>, claims: Vec<(String, bool)>) -> AtWork {
        let mut inside = lock(&self.inside);
        for (resource, reads) in &claims {
            let found = inside.entry(resource.clone()).or_default();
            if found.writers > 0 || (!reads && found.readers > 0) {
                self.conflicts.fetch_add(1, Ordering::Relaxed);
            }
            *found.count(*reads) += 1;
        }
        AtWork {
            tally: self.clone(),
            claims,
        }
    }

    /// A shop is called.
    pub fn call(&self, shop: &str, most_per_second: u64, now: Instant) {
        let mut calls = lock(&self.calls);
        let recent = calls.entry(shop.to_owned()).or_default();
        while (recent.front()).is_some_and(|at| now - *at >= Duration::from_secs(1)) {
            recent.pop_front();
        }
        recent.push_back(now);
        if recent.len() as u64 > most_per_second {
            self.too_many_calls.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Runs of a story.
    pub fn runs(&self, story: Story) -> u64 {
        self.runs[story as usize].load(Ordering::Relaxed)
    }

    /// Runs of tasks that had failed before.
    pub fn retried(&self) -> u64 {
        self.retried.load(Ordering::Relaxed)
    }

    /// Runs that met a conflicting one.
    pub fn conflicts(&self) -> u64 {
        self.conflicts.load(Ordering::Relaxed)
    }

    /// Calls beyond what a shop allows.
    pub fn too_many_calls(&self) -> u64 {
        self.too_many_calls.load(Ordering::Relaxed)
    }
}

impl Inside {
    fn count(&mut self, reads: bool) -> &mut u64 {
        match reads {
            true => &mut self.readers,
            false => &mut self.writers,
        }
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        let mut inside = lock(&self.tally.inside);
        for (resource, reads) in &self.claims {
            if let Some(found) = inside.get_mut(resource) {
                *found.count(*reads) -= 1;
                if found.readers + found.writers == 0 {
                    inside.remove(resource);
                }
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_notices_runs_that_meet() {
        let tally = Arc::new(Tally::default());
        let claim = |resource: &str, reads| vec![(resource.to_owned(), reads)];
        let reader = tally.enter(claim("repository:a", true));
        let other = tally.enter(claim("repository:a", true));
        drop(tally.enter(claim("repository:b", false)));
        assert_eq!(tally.conflicts(), 0, "readers share, and b is another one");
        drop(tally.enter(claim("repository:a", false)));
        assert_eq!(tally.conflicts(), 1);
        drop((reader, other));
        let _writer = tally.enter(claim("repository:a", false));
        assert_eq!(tally.conflicts(), 1, "all of them had left");
        let _reader = tally.enter(claim("repository:a", true));
        assert_eq!(tally.conflicts(), 2);
    }

    #[test]
    fn it_notices_calls_that_come_too_often() {
        let tally = Tally::default();
        let begun = Instant::now();
        for ms in [0, 400, 900, 1_000] {
            tally.call("shop:1", 3, begun + Duration::from_millis(ms));
        }
        assert_eq!(tally.too_many_calls(), 0);
        tally.call("shop:2", 3, begun + Duration::from_millis(1_100));
        tally.call("shop:1", 3, begun + Duration::from_millis(1_399));
        assert_eq!(tally.too_many_calls(), 1);
    }
}

//! One count of a quota: recent use in buckets, units out with runs, and who waits for more.

use super::task::Key;
use crate::limits;
use crate::words::{Elapsed, Limit, Quota};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::{BTreeSet, VecDeque};

/// One count of a quota.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Instance {
    windows: SmallVec<[Window; 2]>,
    /// Units handed to runs as budgets and permits, and not used or given back yet.
    pub(crate) out: u64,
    /// Units of `out` that are permits: they count for `at_once` as well.
    pub(crate) permits: u64,
    /// Units set aside for tasks that wait no more for this count.
    pub(crate) set_aside: u64,
    /// Units of the starts of live runs, for `at_once`.
    pub(crate) live: u64,
    pub(crate) paused_until: Elapsed,
    /// Derived: tasks that wait for units.
    #[serde(skip)]
    pub(crate) queue: BTreeSet<Key>,
    /// Derived: when the timer of this count is set for.
    #[serde(skip)]
    pub(crate) timer: Option<Elapsed>,
}

/// Recent use within one window, rounded against the spender: a unit counts until its whole bucket
/// is out of the window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Window {
    per_ms: u64,
    buckets: VecDeque<Bucket>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Bucket {
    /// The last instant that falls into the bucket.
    end: Elapsed,
    units: u64,
}

impl Window {
    fn add(&mut self, now: Elapsed, units: u64) {
        while let Some(first) = self.buckets.front() {
            if first.end.plus(self.per_ms) > now {
                break;
            }
            self.buckets.pop_front();
        }
        let width = self.per_ms.div_ceil(limits::QUOTA_BUCKETS - 2).max(1);
        let end = Elapsed(now.0 / width * width + (width - 1));
        match self.buckets.back_mut() {
            Some(last) if last.end >= end => last.units += units,
            _ => self.buckets.push_back(Bucket { end, units }),
        }
    }
}

impl Instance {
    /// Units of this limit in use.
    pub(crate) fn used(&self, limit: &Limit, now: Elapsed) -> u64 {
        match limit {
            Limit::Window { per_ms, .. } => {
                let recent: u64 = self.buckets(*per_ms, now).map(|bucket| bucket.units).sum();
                recent + self.out + self.set_aside
            }
            Limit::AtOnce(_) => self.live + self.set_aside + self.permits,
        }
    }

    /// When nothing of this limit will be in use; `None` if nothing is, or if a run has to end first.
    pub(crate) fn resets(&self, limit: &Limit, now: Elapsed) -> Option<Elapsed> {
        let Limit::Window { per_ms, .. } = limit else {
            return None;
        };
        let held = self.out + self.set_aside > 0;
        let last = self.buckets(*per_ms, now).last().filter(|_| !held)?;
        Some(last.end.plus(self.counts_ms(*per_ms)))
    }

    /// When the oldest units that a window counts come free.
    pub(crate) fn frees(&self, limit: &Limit, now: Elapsed) -> Option<Elapsed> {
        let Limit::Window { per_ms, .. } = limit else {
            return None;
        };
        let oldest = self.buckets(*per_ms, now).next()?;
        Some(oldest.end.plus(self.counts_ms(*per_ms)))
    }

    /// Whether every limit has room for so many units.
    pub(crate) fn has(&self, quota: &Quota, cost: u64, now: Elapsed) -> bool {
        self.paused_until <= now
            && quota.limits.iter().all(|limit| {
                let max = limit.units();
                self.used(limit, now).saturating_add(cost) <= max
            })
    }

    /// When time alone will have made room for this cost; `None` if a run has to end first.
    pub(crate) fn next_time(&self, quota: &Quota, cost: u64, now: Elapsed) -> Option<Elapsed> {
        let mut next = self.paused_until.max(now);
        for limit in &quota.limits {
            next = next.max(self.room_at(limit, cost, now)?);
        }
        Some(next)
    }

    fn room_at(&self, limit: &Limit, cost: u64, now: Elapsed) -> Option<Elapsed> {
        let mut used = self.used(limit, now);
        let max = limit.units();
        if used + cost <= max {
            return Some(now);
        }
        let Limit::Window { per_ms, .. } = limit else {
            return None;
        };
        for bucket in self.buckets(*per_ms, now) {
            used -= bucket.units;
            if used + cost <= max {
                return Some(bucket.end.plus(self.counts_ms(*per_ms)));
            }
        }
        None
    }

    /// Units that a window has left.
    fn left_in(&self, units: u64, per_ms: u64, now: Elapsed) -> u64 {
        units.saturating_sub(self.used(&Limit::Window { units, per_ms }, now))
    }

    /// When nothing of its use will matter any more; `None` while something of it is held.
    pub(crate) fn forgets_at(&self) -> Option<Elapsed> {
        if self.out > 0 || self.set_aside > 0 || self.live > 0 {
            return None;
        }
        let ends = self.windows.iter().filter_map(|window| {
            let last = window.buckets.back()?;
            Some(last.end.plus(window.per_ms))
        });
        ends.chain([self.paused_until]).max()
    }

    /// Counts units as used now in every window.
    pub(crate) fn add_use(&mut self, quota: &Quota, now: Elapsed, units: u64) {
        if units == 0 {
            return;
        }
        // A window that is new takes over what the others counted before this use.
        for (_, per_ms) in windows(quota) {
            self.window_mut(per_ms, now);
        }
        let is_limit = |window: &mut Window| windows(quota).any(|(_, per)| per == window.per_ms);
        self.windows.retain(is_limit);
        // Limits of the same length share a window, and a use counts in it once.
        for window in &mut self.windows {
            window.add(now, units);
        }
    }

    /// Recent use of each window of the quota, in order: how long ago at most, and units.
    pub(crate) fn recent(&self, quota: &Quota, now: Elapsed) -> Vec<Vec<(u64, u64)>> {
        windows(quota)
            .map(|(_, per_ms)| {
                self.buckets(per_ms, now)
                    .map(|bucket| (now.since(bucket.end), bucket.units))
                    .collect()
            })
            .collect()
    }

    /// Nothing to remember and nobody waiting.
    pub(crate) fn is_unused(&self, now: Elapsed) -> bool {
        self.queue.is_empty() && self.is_forgettable(now)
    }

    /// Nothing to remember.
    pub(crate) fn is_forgettable(&self, now: Elapsed) -> bool {
        self.out == 0
            && self.set_aside == 0
            && self.live == 0
            && self.paused_until <= now
            && (self.windows.iter()).all(|window| self.buckets(window.per_ms, now).next().is_none())
    }

    /// The hard part as far as it still matters, for comparison.
    pub(crate) fn row(&self, now: Elapsed) -> String {
        let mut windows: Vec<(u64, Vec<&Bucket>)> = (self.windows.iter())
            .map(|window| (window.per_ms, self.buckets(window.per_ms, now).collect()))
            .filter(|(_, buckets): &(u64, Vec<&Bucket>)| !buckets.is_empty())
            .collect();
        windows.sort_by_key(|(per_ms, _)| *per_ms);
        let paused_ms = self.paused_until.since(now);
        format!(
            "{windows:?} out {} permits {} set_aside {} live {} paused {paused_ms} queue {:?}",
            self.out, self.permits, self.set_aside, self.live, self.queue
        )
    }

    /// Buckets that count in a window of this length. A limit that is new finds the use that the
    /// longest of the others still counts.
    fn buckets(&self, per_ms: u64, now: Elapsed) -> impl Iterator<Item = &Bucket> {
        let exact = self.windows.iter().find(|window| window.per_ms == per_ms);
        exact
            .or_else(|| self.longest())
            .into_iter()
            .flat_map(move |window| {
                let counts_ms = per_ms.min(window.per_ms);
                let counts = move |bucket: &&Bucket| bucket.end.plus(counts_ms) > now;
                window.buckets.iter().filter(counts)
            })
    }

    /// For how long the buckets of a window of this length count.
    fn counts_ms(&self, per_ms: u64) -> u64 {
        let exact = self.windows.iter().any(|window| window.per_ms == per_ms);
        let longest = self.longest().filter(|_| !exact);
        longest.map_or(per_ms, |window| per_ms.min(window.per_ms))
    }

    fn longest(&self) -> Option<&Window> {
        self.windows.iter().max_by_key(|window| window.per_ms)
    }

    fn window_mut(&mut self, per_ms: u64, now: Elapsed) -> &mut Window {
        let at = (self.windows.iter()).position(|window| window.per_ms == per_ms);
        let at = at.unwrap_or_else(|| {
            let buckets = self.buckets(per_ms, now).copied().collect();
            self.windows.push(Window { per_ms, buckets });
            self.windows.len() - 1
        });
        &mut self.windows[at]
    }
}

/// How many units a budget slice of this count should have. Windows no longer than a lease are kept
/// by the worker itself; of the longer ones it gets a share of what is left.
pub(crate) fn slice(instance: &Instance, quota: &Quota, now: Elapsed, lease_ms: u64) -> u64 {
    if instance.paused_until > now {
        return 0;
    }
    let bound = |(units, per_ms): (u64, u64)| {
        if per_ms <= lease_ms {
            units.saturating_mul(lease_ms / per_ms + 2)
        } else {
            instance
                .left_in(units, per_ms, now)
                .div_ceil(limits::SLICE_SHARE)
        }
    };
    windows(quota).map(bound).min().unwrap_or(0)
}

/// How many units the windows that are longer than a lease have left.
pub(crate) fn left(instance: &Instance, quota: &Quota, now: Elapsed, lease_ms: u64) -> u64 {
    windows(quota)
        .filter(|(_, per_ms)| *per_ms > lease_ms)
        .map(|(units, per_ms)| instance.left_in(units, per_ms, now))
        .min()
        .unwrap_or(u64::MAX)
}

/// The windows of a quota: units and length.
pub(crate) fn windows(quota: &Quota) -> impl Iterator<Item = (u64, u64)> + '_ {
    quota.limits.iter().filter_map(|limit| match limit {
        Limit::Window { units, per_ms } => Some((*units, *per_ms)),
        Limit::AtOnce(_) => None,
    })
}

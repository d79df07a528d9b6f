//! How long tasks waited, counted by powers of two of a millisecond: small, and good enough for a
//! plot.

use interlock_api::Span;
use interlock_api::activity::WaitTimes;

/// From no wait at all to more than twelve days.
const STEPS: usize = 32;

/// Waits, by how long they were.
#[derive(Clone, Debug, Default)]
pub(super) struct WaitCounts {
    /// Waits of 0 ms, of 1 ms, of 2 and 3 ms, of 4 to 7 ms …
    counts: [u32; STEPS],
    max_ms: u64,
}

impl WaitCounts {
    /// One more.
    pub(super) fn add(&mut self, waited_ms: u64) {
        let step = (u64::BITS - waited_ms.leading_zeros()) as usize;
        let count = &mut self.counts[step.min(STEPS - 1)];
        *count = count.saturating_add(1);
        self.max_ms = self.max_ms.max(waited_ms);
    }

    /// All of those, too.
    pub(super) fn add_all(&mut self, others: &Self) {
        for (count, more) in self.counts.iter_mut().zip(others.counts) {
            *count = count.saturating_add(more);
        }
        self.max_ms = self.max_ms.max(others.max_ms);
    }

    /// As they are shown; none if there were none.
    pub(super) fn shown(&self) -> Option<WaitTimes> {
        let tasks: u64 = self.counts.iter().map(|count| u64::from(*count)).sum();
        (tasks > 0).then(|| WaitTimes {
            tasks,
            p50: Span::from_ms(self.quantile(tasks, 50)),
            p95: Span::from_ms(self.quantile(tasks, 95)),
            max: Span::from_ms(self.max_ms),
        })
    }

    /// So many in a hundred waited no longer than this, as if those within a step were spread evenly.
    fn quantile(&self, tasks: u64, percent: u64) -> u64 {
        let mut left = (tasks * percent).div_ceil(100);
        for (step, count) in self.counts.iter().enumerate() {
            let count = u64::from(*count);
            if left <= count {
                let (from, to) = bounds(step);
                return (from + (to - from) * left / count).min(self.max_ms);
            }
            left -= count;
        }
        self.max_ms
    }
}

/// The waits that are counted in a step, the first and the last of them.
fn bounds(step: usize) -> (u64, u64) {
    match step {
        0 => (0, 0),
        step => (1 << (step - 1), (1 << step) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(all: &[u64]) -> WaitTimes {
        let mut counts = WaitCounts::default();
        all.iter().for_each(|ms| counts.add(*ms));
        counts.shown().expect("there are some")
    }

    #[test]
    fn none_are_none() {
        assert_eq!(WaitCounts::default().shown(), None);
    }

    #[test]
    fn a_single_wait_is_all_of_them() {
        for ms in [0, 1, 5, 1_000, u64::from(u32::MAX)] {
            let shown = waits(&[ms]);
            assert_eq!(shown.tasks, 1);
            assert_eq!(shown.max, Span::from_ms(ms));
            assert!(shown.p50 <= shown.p95 && shown.p95 <= shown.max, "{ms}");
            assert!(shown.p50.ms() >= ms / 2, "{ms}");
        }
    }

    #[test]
    fn quantiles_are_right_within_a_power_of_two() {
        let all: Vec<u64> = (1..=1_000).collect();
        let shown = waits(&all);
        assert_eq!(shown.tasks, 1_000);
        assert!((450..=550).contains(&shown.p50.ms()), "{shown:?}");
        assert!((900..=1_000).contains(&shown.p95.ms()), "{shown:?}");
        assert_eq!(shown.max, Span::from_ms(1_000));
    }
}

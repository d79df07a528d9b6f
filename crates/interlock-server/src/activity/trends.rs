//! How often each failure came in each of the last 24 hours.

use std::collections::HashMap;

/// Hours that are told apart.
const HOURS: usize = 24;
/// Failures that are told apart: of more, those that were seen last the longest ago are forgotten.
const GROUPS_MAX: usize = 1_000;
const HOUR_MS: u64 = 3_600_000;

/// Counts of failures by kind and error.
#[derive(Default)]
pub struct Trends {
    groups: HashMap<(String, String), Hours>,
}

#[derive(Clone, Copy, Default)]
struct Hours {
    /// The hour that was counted last: the time divided by an hour.
    last: u64,
    /// By the hour's number modulo their count.
    counts: [u32; HOURS],
}

impl Hours {
    /// Forgets what is too old as of this hour.
    fn move_to(&mut self, hour: u64) {
        let passed = hour.saturating_sub(self.last).min(HOURS as u64);
        for number in 0..passed {
            self.counts[((hour - number) % HOURS as u64) as usize] = 0;
        }
        self.last = self.last.max(hour);
    }
}

impl Trends {
    /// A task failed for good.
    pub fn failed(&mut self, kind: &str, error: &str, at_ms: u64) {
        let hour = at_ms / HOUR_MS;
        let name = (kind.to_owned(), error.to_owned());
        if self.groups.len() >= GROUPS_MAX && !self.groups.contains_key(&name) {
            self.forget_older_half();
        }
        let hours = self.groups.entry(name).or_default();
        hours.move_to(hour);
        let count = &mut hours.counts[(hour % HOURS as u64) as usize];
        *count = count.saturating_add(1);
    }

    /// Half at once, so that it costs little per failure.
    fn forget_older_half(&mut self) {
        let mut seen: Vec<u64> = self.groups.values().map(|hours| hours.last).collect();
        seen.sort_unstable();
        let half = seen.len() / 2;
        let middle = seen[half];
        let newer = seen.len() - seen.partition_point(|last| *last <= middle);
        // Of those that were seen in the same hour as the one in the middle, any will do.
        let mut room = half - newer;
        self.groups.retain(|_, hours| {
            let has_room = hours.last == middle && room > 0;
            room -= usize::from(has_room);
            hours.last > middle || has_room
        });
    }

    /// How often it came in each of the last hours, oldest first; none if it is not known.
    pub fn of(&self, kind: &str, error: &str, now_ms: u64) -> Option<Vec<u64>> {
        let name = (kind.to_owned(), error.to_owned());
        let mut hours = *self.groups.get(&name)?;
        let now = now_ms / HOUR_MS;
        hours.move_to(now);
        let oldest_first = (0..HOURS as u64).rev();
        let count = |back: u64| hours.counts[((now + HOURS as u64 - back) % HOURS as u64) as usize];
        Some(oldest_first.map(|back| u64::from(count(back))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_by_the_hour() {
        let mut trends = Trends::default();
        for hour in [100, 100, 101, 123] {
            trends.failed("sync", "refused", hour * HOUR_MS + 5);
        }
        let seen = |hour: u64| trends.of("sync", "refused", hour * HOUR_MS).expect("known");
        let mut wanted = vec![0; HOURS];
        (wanted[0], wanted[1], wanted[23]) = (2, 1, 1);
        assert_eq!(seen(123), wanted);
        wanted.rotate_left(1);
        wanted[23] = 0;
        assert_eq!(seen(124), wanted);
        assert_eq!(seen(1_000), vec![0; HOURS]);
        assert_eq!(trends.of("sync", "other", 0), None);
    }

    #[test]
    fn an_hour_that_comes_round_again_begins_at_nothing() {
        let mut trends = Trends::default();
        trends.failed("sync", "refused", 100 * HOUR_MS);
        trends.failed("sync", "refused", 124 * HOUR_MS);
        let seen = trends.of("sync", "refused", 124 * HOUR_MS).expect("known");
        assert_eq!((seen[0], seen[23]), (0, 1));
    }

    #[test]
    fn of_too_many_the_older_ones_are_forgotten() {
        let mut trends = Trends::default();
        for group in 0..10 * GROUPS_MAX as u64 {
            trends.failed("sync", &group.to_string(), group / 100 * HOUR_MS);
        }
        assert!(trends.groups.len() <= GROUPS_MAX);
        assert!(trends.of("sync", "9999", 99 * HOUR_MS).is_some());
        assert!(trends.of("sync", "0", 99 * HOUR_MS).is_none());
    }

    #[test]
    fn of_too_many_within_one_hour_half_are_forgotten() {
        let mut trends = Trends::default();
        for group in 0..=GROUPS_MAX {
            trends.failed("sync", &group.to_string(), 0);
        }
        assert_eq!(trends.groups.len(), GROUPS_MAX / 2 + 1);
    }
}

//! A budget as its worker keeps it: limits, recent use and a slice, spent with no call per unit.

use interlock_core::reply::{Budget, BudgetNews};
use interlock_core::words::{Limit, Name};

/// A budget in the hands of a run.
#[derive(Debug)]
pub struct LocalBudget {
    /// The quota.
    pub quota: Name,
    /// Units used in all.
    pub total: u64,
    /// Units whose report was answered.
    pub reported: u64,
    allowance: u64,
    limits: Vec<Limit>,
    /// Use by others before this run, by window: until when it counts, and units.
    recent: Vec<Vec<(u64, u64)>>,
    own: Vec<(u64, u64)>,
    paused_until: u64,
    news_from: u64,
}

impl LocalBudget {
    /// Takes a budget as it was handed out.
    pub fn new(budget: &Budget, time: u64) -> Self {
        let mut windows = budget.recent.iter();
        let recent = budget
            .limits
            .iter()
            .map(|limit| match limit {
                Limit::Window { per_ms, .. } => {
                    let ages = windows.next().map_or(&[][..], |ages| ages);
                    ages.iter()
                        .filter(|(age, _)| age < per_ms)
                        .map(|(age, units)| (time + per_ms - age, *units))
                        .collect()
                }
                Limit::AtOnce(_) => Vec::new(),
            })
            .collect();
        Self {
            quota: budget.quota.clone(),
            total: 0,
            reported: 0,
            allowance: budget.slice,
            limits: budget.limits.clone(),
            recent,
            own: Vec::new(),
            paused_until: time + budget.paused_ms,
            news_from: 0,
        }
    }

    /// Uses units now, if the slice, the pause and every window allow it.
    pub fn try_spend(&mut self, time: u64, units: u64) -> bool {
        let fits = self.total + units <= self.allowance
            && time >= self.paused_until
            && (0..self.limits.len()).all(|index| self.window_allows(index, time, units));
        if fits {
            self.total += units;
            self.own.push((time, units));
        }
        fits
    }

    fn window_allows(&self, index: usize, time: u64, units: u64) -> bool {
        let Limit::Window {
            units: most,
            per_ms,
        } = self.limits[index]
        else {
            return true;
        };
        let own: u64 = self
            .own
            .iter()
            .filter(|(at, _)| at + per_ms > time)
            .map(|(_, units)| units)
            .sum();
        let others: u64 = self.recent[index]
            .iter()
            .filter(|(until, _)| *until > time)
            .map(|(_, units)| units)
            .sum();
        own + others + units <= most
    }

    /// Units used and not reported.
    pub fn unreported(&self) -> u64 {
        self.total - self.reported
    }

    /// Takes the answer to a beat that was sent then and reported up to `total`.
    pub fn hear(&mut self, news: &BudgetNews, sent: u64, total: u64, time: u64) {
        if sent < self.news_from {
            return;
        }
        self.news_from = sent;
        self.reported = self.reported.max(total);
        self.allowance = total + news.slice;
        self.paused_until = self.paused_until.max(time + news.paused_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenery::name;

    fn budget(slice: u64, recent: Vec<Vec<(u64, u64)>>) -> LocalBudget {
        let budget = Budget {
            quota: name("calls"),
            limits: vec![Limit::Window {
                units: 3,
                per_ms: 1_000,
            }],
            slice,
            recent,
            paused_ms: 0,
        };
        LocalBudget::new(&budget, 10_000)
    }

    #[test]
    fn a_window_is_full_until_its_oldest_use_is_as_old_as_it_is_long() {
        let mut budget = budget(100, vec![vec![]]);
        assert!(budget.try_spend(10_000, 3));
        assert!(!budget.try_spend(10_999, 1));
        assert!(budget.try_spend(11_000, 1));
    }

    #[test]
    fn what_others_used_counts_too_until_it_is_old() {
        let mut budget = budget(100, vec![vec![(400, 3)]]);
        assert!(!budget.try_spend(10_599, 1));
        assert!(budget.try_spend(10_600, 1));
    }

    #[test]
    fn a_slice_ends_until_news_of_more_arrive() {
        let mut budget = budget(1, vec![vec![]]);
        assert!(budget.try_spend(10_000, 1));
        assert!(!budget.try_spend(15_000, 1));
        let news = BudgetNews {
            quota: name("calls"),
            slice: 2,
            paused_ms: 0,
        };
        budget.hear(&news, 15_000, 1, 15_010);
        assert!(budget.try_spend(15_010, 2));
    }
}

//! A quota that a run spends by itself: limits, recent use and a slice, with no call per unit.

use interlock_api::quota::Limit;
use interlock_api::run::{Budget as Wire, BudgetNews};
use std::collections::VecDeque;

/// What became of an attempt to spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spent {
    /// The units are the run's until they are given back.
    Yes,
    /// Not before this time.
    At(u64),
    /// The slice is used up: the server has to be asked for more.
    NeedsMore,
    /// No permit of the run that is held leaves room: one has to be given back first.
    Held,
    /// The limits never allow so many.
    Never,
}

/// A budget in the hands of a run. Times are in milliseconds of the clock that includes sleep.
#[derive(Debug)]
pub(super) struct Budget {
    windows: Vec<Window>,
    /// Units given back, in all.
    used: u64,
    /// Units in permits that are held: they count in every window until one window after they are
    /// given back.
    held: u64,
    /// Units whose report was answered.
    reported: u64,
    /// Units that may be used in all.
    allowance: u64,
    paused_until: u64,
    news_from: u64,
}

#[derive(Debug)]
struct Window {
    units: u64,
    per_ms: u64,
    /// When units stop to count, and how many they are; in order of time.
    counts: VecDeque<(u64, u64)>,
}

impl Budget {
    /// A budget as it was handed out. Recent use is as old as it says when the answer arrives, at
    /// the least.
    pub(super) fn new(wire: &Wire, now: u64) -> Self {
        let limits = wire.limits.iter().filter_map(|limit| match limit {
            Limit::Window { units, per } => Some((*units, per.ms())),
            Limit::AtOnce(_) => None,
        });
        let windows = limits.enumerate().map(|(at, (units, per_ms))| {
            let recent = wire.recent.get(at).map_or(&[][..], |recent| recent);
            let mut counts: Vec<(u64, u64)> = recent
                .iter()
                .filter(|used| used.ago.ms() < per_ms)
                .map(|used| (now + per_ms - used.ago.ms(), used.units))
                .collect();
            counts.sort_unstable();
            Window {
                units,
                per_ms,
                counts: counts.into(),
            }
        });
        Self {
            windows: windows.collect(),
            used: 0,
            held: 0,
            reported: 0,
            allowance: wire.slice,
            paused_until: now + wire.paused.ms(),
            news_from: 0,
        }
    }

    /// Takes units now, if slice, pause and every window allow it.
    pub(super) fn try_spend(&mut self, now: u64, units: u64) -> Spent {
        if self.windows.iter().any(|window| window.units < units) {
            return Spent::Never;
        }
        if self.used + self.held + units > self.allowance {
            return Spent::NeedsMore;
        }
        let mut at = now.max(self.paused_until);
        for window in &mut self.windows {
            match window.room_at(now, self.held + units) {
                Some(room_at) => at = at.max(room_at),
                None => return Spent::Held,
            }
        }
        if at > now {
            return Spent::At(at);
        }
        self.held += units;
        Spent::Yes
    }

    /// Units that the slice still has.
    pub(super) fn room(&self) -> u64 {
        self.allowance.saturating_sub(self.used + self.held)
    }

    /// Units that were reported before their permit was dropped count anew from now.
    pub(super) fn count_again(&mut self, now: u64, units: u64) {
        for window in &mut self.windows {
            window.forget_old(now);
            window.take_out(units);
            window.counts.push_back((now + window.per_ms, units));
        }
    }

    /// A permit is dropped: its units count from now for one window.
    pub(super) fn give_back(&mut self, now: u64, units: u64) {
        self.held -= units;
        self.used += units;
        for window in &mut self.windows {
            window.counts.push_back((now + window.per_ms, units));
        }
    }

    /// Nothing may be spent for this long.
    pub(super) fn pause(&mut self, now: u64, for_ms: u64) {
        self.paused_until = self.paused_until.max(now + for_ms);
    }

    /// Units used in all, for a report.
    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// Units used that no answered report had.
    pub(super) fn unreported(&self) -> u64 {
        self.used - self.reported
    }

    /// What the last report of the run says: what is held is used, too.
    pub(super) fn last_report(&self) -> u64 {
        self.unreported() + self.held
    }

    /// The answer to a beat that was sent then and reported up to `used`.
    pub(super) fn hear(&mut self, news: &BudgetNews, sent: u64, used: u64, now: u64) {
        if sent < self.news_from {
            return;
        }
        self.news_from = sent;
        self.reported = self.reported.max(used);
        self.allowance = used + news.slice;
        self.paused_until = match news.paused.ms() {
            0 => self.paused_until,
            ms => self.paused_until.max(now + ms),
        };
    }
}

impl Window {
    fn forget_old(&mut self, now: u64) {
        while self.counts.front().is_some_and(|(until, _)| *until <= now) {
            self.counts.pop_front();
        }
    }

    /// Takes so many units out, the oldest first: those that stay count for no less long than those
    /// that are meant.
    fn take_out(&mut self, mut units: u64) {
        while units > 0
            && let Some((_, first)) = self.counts.front_mut()
        {
            let part = units.min(*first);
            (*first, units) = (*first - part, units - part);
            if *first == 0 {
                self.counts.pop_front();
            }
        }
    }

    /// When there is room for so many units more; `None` if time alone makes none.
    fn room_at(&mut self, now: u64, units: u64) -> Option<u64> {
        self.forget_old(now);
        let mut counted: u64 = self.counts.iter().map(|(_, units)| units).sum();
        if counted + units <= self.units {
            return Some(now);
        }
        for (until, gone) in &self.counts {
            counted -= gone;
            if counted + units <= self.units {
                return Some(*until);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interlock_api::Span;
    use interlock_api::run::RecentUse;

    fn budget(slice: u64, recent: &[(u64, u64)]) -> Budget {
        let recent = recent.iter().map(|(ago, units)| RecentUse {
            ago: Span::from_ms(*ago),
            units: *units,
        });
        let wire = Wire {
            quota: "calls".to_owned(),
            limits: vec![
                Limit::AtOnce(1),
                Limit::Window {
                    units: 3,
                    per: Span::from_ms(1_000),
                },
            ],
            slice,
            recent: vec![recent.collect()],
            paused: Span::default(),
        };
        Budget::new(&wire, 10_000)
    }

    fn news(slice: u64, paused_ms: u64) -> BudgetNews {
        BudgetNews {
            quota: "calls".to_owned(),
            slice,
            paused: Span::from_ms(paused_ms),
        }
    }

    #[test]
    fn units_count_until_one_window_after_they_were_given_back() {
        let mut budget = budget(100, &[]);
        assert_eq!(budget.try_spend(10_000, 3), Spent::Yes);
        assert_eq!(budget.try_spend(10_500, 1), Spent::Held);
        assert_eq!(budget.try_spend(99_000, 1), Spent::Held);
        budget.give_back(99_000, 3);
        assert_eq!(budget.try_spend(99_999, 1), Spent::At(100_000));
        assert_eq!(budget.try_spend(100_000, 1), Spent::Yes);
    }

    #[test]
    fn what_others_used_counts_until_it_is_old() {
        let mut budget = budget(100, &[(400, 2), (100, 1)]);
        assert_eq!(budget.try_spend(10_000, 1), Spent::At(10_600));
        assert_eq!(budget.try_spend(10_000, 3), Spent::At(10_900));
        assert_eq!(budget.try_spend(10_600, 1), Spent::Yes);
        assert_eq!(budget.try_spend(10_600, 4), Spent::Never);
    }

    #[test]
    fn a_slice_ends_until_news_of_more_arrive() {
        let mut budget = budget(1, &[]);
        assert_eq!(budget.try_spend(10_000, 1), Spent::Yes);
        budget.give_back(10_000, 1);
        assert_eq!(budget.try_spend(15_000, 1), Spent::NeedsMore);
        budget.hear(&news(2, 0), 15_000, 1, 15_010);
        assert_eq!(budget.unreported(), 0);
        assert_eq!(budget.try_spend(15_010, 2), Spent::Yes);
        assert_eq!(budget.last_report(), 2);
    }

    #[test]
    fn units_reported_early_count_once_and_from_the_drop_of_their_permit() {
        let mut budget = budget(100, &[]);
        assert_eq!(budget.try_spend(10_000, 2), Spent::Yes);
        budget.give_back(10_000, 2);
        budget.count_again(10_500, 2);
        assert_eq!(budget.try_spend(10_500, 1), Spent::Yes);
        assert_eq!(budget.try_spend(11_499, 1), Spent::At(11_500));
        assert_eq!(budget.used(), 2);
    }

    #[test]
    fn a_pause_holds_and_older_news_are_not_heard() {
        let mut budget = budget(100, &[]);
        budget.hear(&news(100, 700), 12_000, 0, 12_010);
        budget.hear(&news(0, 0), 11_000, 0, 12_020);
        assert_eq!(budget.try_spend(12_020, 1), Spent::At(12_710));
        budget.pause(12_020, 5_000);
        assert_eq!(budget.try_spend(12_020, 1), Spent::At(17_020));
    }
}

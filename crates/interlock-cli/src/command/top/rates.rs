//! Rates: differences between what was counted at one look and at another.

use interlock_api::Time;
use interlock_api::overview::Totals;
use std::collections::VecDeque;

/// Looks that are kept: five minutes of them, one a second.
const LOOKS_MAX: usize = 300;
/// Rates are those of the last few seconds, so that they can be read.
const OVER_MS: u64 = 5_000;

/// How much happened per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PerSecond {
    /// Submissions.
    pub submitted: f64,
    /// Runs that began.
    pub started: f64,
    /// Runs that ended.
    pub ended: f64,
    /// Runs that failed or were lost.
    pub failed: f64,
}

/// What was counted at each look.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    looks: VecDeque<(Time, Totals)>,
}

impl Rates {
    /// Another look.
    pub fn add(&mut self, now: Time, totals: Totals) {
        let restarted = |(at, before): &(Time, Totals)| {
            *at > now || before.started > totals.started || submitted(before) > submitted(&totals)
        };
        if self.looks.back().is_some_and(restarted) {
            // Another server, or the same one from the beginning: nothing to compare with.
            self.looks.clear();
        }
        if self.looks.len() == LOOKS_MAX {
            self.looks.pop_front();
        }
        self.looks.push_back((now, totals));
    }

    /// How much happens now; `None` after the first look.
    pub fn now(&self) -> Option<PerSecond> {
        let (now, last) = self.looks.back()?;
        let since = now.ms().saturating_sub(OVER_MS);
        let (at, first) = (self.looks.iter())
            .find(|(at, _)| at.ms() >= since && at < now)
            .or_else(|| self.looks.iter().rev().nth(1))?;
        Some(between(first, last, now.ms().saturating_sub(at.ms())))
    }

    /// Runs that ended per second between any two looks, the oldest first, times ten.
    pub fn ended(&self) -> Vec<u64> {
        let pairs = self.looks.iter().zip(self.looks.iter().skip(1));
        pairs
            .map(|((at, before), (then, after))| {
                let rate = between(before, after, then.ms().saturating_sub(at.ms()));
                (rate.ended * 10.0).round() as u64
            })
            .collect()
    }
}

fn submitted(totals: &Totals) -> u64 {
    totals.accepted + totals.postponed + totals.coalesced + totals.rejected + totals.refused
}

fn ended(totals: &Totals) -> u64 {
    totals.succeeded + totals.failed + totals.released + totals.lost + totals.stopped
}

fn between(first: &Totals, last: &Totals, ms: u64) -> PerSecond {
    let rate = |count: fn(&Totals) -> u64| {
        let happened = count(last).saturating_sub(count(first));
        happened as f64 * 1_000.0 / ms.max(1) as f64
    };
    PerSecond {
        submitted: rate(submitted),
        started: rate(|totals| totals.started),
        ended: rate(ended),
        failed: rate(|totals| totals.failed + totals.lost),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(accepted: u64, started: u64, succeeded: u64, failed: u64) -> Totals {
        Totals {
            accepted,
            started,
            succeeded,
            failed,
            ..Totals::default()
        }
    }

    #[test]
    fn rates_are_those_of_the_last_seconds() {
        let mut rates = Rates::default();
        assert_eq!(rates.now(), None);
        rates.add(Time::from_ms(0), totals(1_000, 0, 0, 0));
        assert_eq!(rates.now(), None);
        for second in 1..=10 {
            let at = Time::from_ms(second * 1_000);
            let done = second * 4;
            rates.add(at, totals(1_000 + second * 8, done, done / 2, done / 4));
        }
        let now = rates.now().unwrap();
        assert_eq!((now.submitted, now.started), (8.0, 4.0));
        assert_eq!((now.ended, now.failed), (3.0, 1.0));
        assert_eq!(rates.ended(), [30; 10]);
    }

    #[test]
    fn a_server_that_began_anew_is_not_compared_with_what_it_was() {
        let mut rates = Rates::default();
        rates.add(Time::from_ms(1_000), totals(100, 90, 80, 0));
        rates.add(Time::from_ms(2_000), totals(3, 2, 1, 0));
        assert_eq!(rates.now(), None);
        rates.add(Time::from_ms(3_000), totals(4, 2, 1, 0));
        assert_eq!(rates.now().unwrap().submitted, 1.0);
    }

    #[test]
    fn a_long_pause_between_looks_has_a_rate_too() {
        let mut rates = Rates::default();
        rates.add(Time::from_ms(0), totals(0, 0, 0, 0));
        rates.add(Time::from_ms(60_000), totals(600, 0, 0, 0));
        assert_eq!(rates.now().unwrap().submitted, 10.0);
    }
}

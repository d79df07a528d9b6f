//! When a call is repeated, and how long to wait before that.
//!
//! Whether it may be is decided by the error's own word alone ([`Error::is_retryable`],
//! [`Error::had_no_side_effects`]), and by whether the call can be repeated safely.

use crate::error::Error;
use std::time::Duration;

/// How patient a client is. By default a call is tried four times within about a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How often a call is tried at most, with each server of the list.
    pub tries: u32,
    /// The first wait; it doubles each time, and is shortened by up to a half so that callers spread.
    pub first: Duration,
    /// The longest wait. An error that asks for a longer one is given back instead.
    pub most: Duration,
}

impl Retry {
    /// Each call is tried once.
    pub const NONE: Retry = Retry {
        tries: 1,
        first: Duration::ZERO,
        most: Duration::ZERO,
    };
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            tries: 4,
            first: Duration::from_millis(100),
            most: Duration::from_secs(2),
        }
    }
}

/// Waits that double, each shortened at random by up to a half.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    next: Duration,
    most: Duration,
}

impl Backoff {
    pub(crate) fn new(first: Duration, most: Duration) -> Self {
        Self { next: first, most }
    }

    /// The next wait.
    pub(crate) fn next(&mut self) -> Duration {
        let wait = self.next.min(self.most);
        self.next = wait.saturating_mul(2);
        wait.mul_f64(0.5 + 0.5 * chance())
    }
}

/// The wait before the next try, if there shall be one.
pub(crate) fn wait(
    error: &Error,
    repeatable: bool,
    tried: u32,
    (retry, backoff): (&Retry, &mut Backoff),
) -> Option<Duration> {
    let may = error.is_retryable() && (repeatable || error.had_no_side_effects());
    if !may || tried >= retry.tries {
        return None;
    }
    let asked = error.problem().and_then(|problem| problem.more.wait);
    let wait = backoff.next();
    match asked.map(|span| Duration::from_millis(span.ms())) {
        Some(asked) if asked > retry.most => None,
        Some(asked) => Some(asked.max(wait)),
        None => Some(wait),
    }
}

/// A number from 0 to 1, by chance.
fn chance() -> f64 {
    // Without randomness waits don't spread, which harms nobody.
    let drawn = getrandom::u32().unwrap_or(u32::MAX / 2);
    f64::from(drawn) / f64::from(u32::MAX)
}

/// A key that no other request has.
pub(crate) fn new_key() -> Option<String> {
    let (high, low) = (getrandom::u64().ok()?, getrandom::u64().ok()?);
    Some(format!("{high:016x}{low:016x}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use interlock_api::{Code, Problem, Span};

    fn problem(code: Code) -> Error {
        Error::Problem(Problem::new(code, ""))
    }

    fn again(error: &Error, repeatable: bool, tried: u32) -> bool {
        let retry = Retry::default();
        let mut backoff = Backoff::new(retry.first, retry.most);
        wait(error, repeatable, tried, (&retry, &mut backoff)).is_some()
    }

    #[test]
    fn every_code_is_repeated_exactly_as_it_says() {
        for code in Code::ALL {
            let error = problem(*code);
            assert_eq!(again(&error, true, 1), code.is_retryable(), "{code}");
            let harmless = code.is_retryable() && code.had_no_side_effects();
            assert_eq!(again(&error, false, 1), harmless, "{code}");
        }
    }

    #[test]
    fn tries_come_to_an_end() {
        let error = problem(Code::Overloaded);
        assert!(again(&error, true, 3));
        assert!(!again(&error, true, 4));
    }

    #[test]
    fn a_wait_that_the_server_asks_for_is_kept_or_left_to_the_caller() {
        let asking = |ms| {
            let mut problem = Problem::new(Code::NameInUse, "");
            problem.more.wait = Some(Span::from_ms(ms));
            let retry = Retry::default();
            let mut backoff = Backoff::new(retry.first, retry.most);
            wait(&Error::Problem(problem), true, 1, (&retry, &mut backoff))
        };
        assert_eq!(asking(1_500), Some(Duration::from_millis(1_500)));
        assert_eq!(asking(15_000), None);
    }

    #[test]
    fn waits_double_up_to_the_longest_and_are_spread() {
        let (first, most) = (Duration::from_millis(100), Duration::from_millis(300));
        let mut backoff = Backoff::new(first, most);
        for longest in [100, 200, 300, 300] {
            let (wait, longest) = (backoff.next(), Duration::from_millis(longest));
            assert!(wait <= longest && wait >= longest / 2, "{wait:?}");
        }
    }
}

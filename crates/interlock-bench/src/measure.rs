//! How things are timed: by this thread's own CPU time, so that what else the machine does counts as
//! little as can be; in turns; as medians and percentiles.

use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use std::time::Duration;

/// Runs `work` and says how often per second it did its `count` things.
pub(crate) fn rate(count: u64, work: impl FnOnce()) -> f64 {
    let begun = cpu_time();
    work();
    count as f64 / (cpu_time() - begun).as_secs_f64().max(1e-9)
}

/// How long one call took, in microseconds, and what it gave.
pub(crate) fn micros<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begun = cpu_time();
    let given = black_box(work());
    ((cpu_time() - begun).as_secs_f64() * 1e6, given)
}

/// CPU time that this thread has used so far.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("no thread has used less than no time")
}

/// Two rates that were measured in turns.
pub(crate) struct Pair {
    /// Median rate of the first.
    pub(crate) first: f64,
    /// Median of first ÷ second, turn by turn: what slows the machine for a while slows both.
    pub(crate) ratio: f64,
}

/// Measures two rates in turns, A B B A B A A B …, after one turn that is thrown away.
pub(crate) fn in_turns(
    turns: usize,
    mut first: impl FnMut() -> f64,
    mut second: impl FnMut() -> f64,
) -> Pair {
    first();
    second();
    let pairs: Vec<(f64, f64)> = (0..turns)
        .map(|turn| {
            if turn % 2 == 0 {
                let a = first();
                (a, second())
            } else {
                let b = second();
                (first(), b)
            }
        })
        .collect();
    Pair {
        first: median(pairs.iter().map(|pair| pair.0).collect()),
        ratio: median(pairs.iter().map(|pair| pair.0 / pair.1).collect()),
    }
}

/// The middle value; the mean of the two middle ones if their number is even.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    assert!(!values.is_empty(), "a median needs a value");
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        (values[middle - 1] + values[middle]) / 2.0
    }
}

/// The value that `share` (0 to 1) of the sorted values do not exceed.
pub(crate) fn percentile(sorted: &[f64], share: f64) -> f64 {
    assert!(!sorted.is_empty(), "a percentile needs a value");
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_between_the_middle_two() {
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(vec![9.0, 1.0, 3.0]), 3.0);
    }

    #[test]
    fn a_percentile_is_a_value_that_occurred() {
        let sorted: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(percentile(&sorted, 0.5), 50.0);
        assert_eq!(percentile(&sorted, 0.99), 99.0);
        assert_eq!(percentile(&sorted, 1.0), 100.0);
        assert_eq!(percentile(&sorted[..1], 0.99), 1.0);
    }

    #[test]
    fn turns_alternate_and_the_first_is_thrown_away() {
        let order = std::cell::RefCell::new(String::new());
        let log = |who: char, value: f64| {
            order.borrow_mut().push(who);
            value
        };
        let pair = in_turns(2, || log('a', 3.0), || log('b', 2.0));
        assert_eq!(*order.borrow(), "ababba");
        assert_eq!((pair.first, pair.ratio), (3.0, 1.5));
    }
}

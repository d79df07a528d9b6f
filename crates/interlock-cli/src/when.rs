//! Times as people say them.

use interlock_api::Time;
use std::time::{SystemTime, UNIX_EPOCH};

/// The time now, by this machine's clock.
pub fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let ms = since.map_or(0, |since| since.as_millis());
    Time::from_ms(u64::try_from(ms).unwrap_or(u64::MAX))
}

/// `3 min ago`, `just now`, `in 2 h`.
pub fn relative(time: Time, now: Time) -> String {
    let (past, ms) = match now.ms().checked_sub(time.ms()) {
        Some(ms) => (true, ms),
        None => (false, time.ms() - now.ms()),
    };
    match (ms, past) {
        (..1_000, _) => "just now".to_owned(),
        (_, true) => format!("{} ago", rough(ms)),
        (_, false) => format!("in {}", rough(ms)),
    }
}

/// The longest unit of a length of time.
pub fn rough(ms: u64) -> String {
    let (unit, unit_ms) = match ms {
        ..60_000 => ("s", 1_000),
        60_000..3_600_000 => ("min", 60_000),
        3_600_000..172_800_000 => ("h", 3_600_000),
        _ => ("days", 86_400_000),
    };
    format!("{} {unit}", ms / unit_ms)
}

/// `2026-11-15 10:30:00 UTC (3 min ago)`.
pub fn full(time: Time, now: Time) -> String {
    let text = time.to_string();
    let (date, clock) = (&text[..10], &text[11..19]);
    format!("{date} {clock} UTC ({})", relative(time, now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_people_say_them() {
        let now = Time::from_ms(1_000_000_000);
        let said = |ms: i64| {
            relative(
                Time::from_ms(now.ms().checked_add_signed(ms).expect("in range")),
                now,
            )
        };
        assert_eq!(said(0), "just now");
        assert_eq!(said(-999), "just now");
        assert_eq!(said(-59_000), "59 s ago");
        assert_eq!(said(-200_000), "3 min ago");
        assert_eq!(said(7_300_000), "in 2 h");
        assert_eq!(said(-200_000_000), "2 days ago");
    }
}

//! Times: relative, with the exact one on hover; the script keeps them ticking.

use interlock_api::Time;
use maud::{Markup, html};

/// `2026-11-15 10:30:00 UTC`.
pub(crate) fn exact(time: Time) -> String {
    let text = time.to_string();
    format!("{} {} UTC", &text[..10], &text[11..19])
}

/// `3 min ago`, `in 20 s`: relative to now, with the exact time on hover.
pub(crate) fn relative(time: Time, now: Time) -> Markup {
    html! {
        time datetime=(time) title=(exact(time)) data-rel="when" { (when(time, now)) }
    }
}

/// `3 min`: how long ago it was, where the text around it says so.
pub(crate) fn since(time: Time, now: Time) -> Markup {
    html! {
        time datetime=(time) title=(exact(time)) data-rel="since" {
            (coarse(now.ms().saturating_sub(time.ms())))
        }
    }
}

/// `in 3 min`, or `now` once it is over.
pub(crate) fn until(time: Time, now: Time) -> Markup {
    html! {
        time datetime=(time) title=(exact(time)) data-rel="until" { (in_(time, now)) }
    }
}

fn when(time: Time, now: Time) -> String {
    match time.ms().saturating_sub(now.ms()) {
        0 => match now.ms() - time.ms() {
            0..1_000 => "just now".to_owned(),
            past => format!("{} ago", coarse(past)),
        },
        _ => in_(time, now),
    }
}

fn in_(time: Time, now: Time) -> String {
    match time.ms().saturating_sub(now.ms()) {
        0..1_000 => "now".to_owned(),
        ahead => format!("in {}", coarse(ahead)),
    }
}

/// `12 s`, `3 min`, `5 h 12 min`, `3 d 4 h`: no finer than one can follow. The script says the same.
pub(crate) fn coarse(ms: u64) -> String {
    let seconds = ms / 1_000;
    let two = |large: u64, of: u64, unit: &str, rest_of: u64, rest_unit: &str| match large % of
        / rest_of
    {
        0 => format!("{} {unit}", large / of),
        rest => format!("{} {unit} {rest} {rest_unit}", large / of),
    };
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => two(seconds, 3_600, "h", 60, "min"),
        _ => two(seconds, 86_400, "d", 3_600, "h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_no_finer_than_one_can_follow() {
        let cases = [
            (0, "0 s"),
            (59_999, "59 s"),
            (60_000, "1 min"),
            (3_599_999, "59 min"),
            (3_600_000, "1 h"),
            (18_720_000, "5 h 12 min"),
            (86_400_000, "1 d"),
            (273_600_000, "3 d 4 h"),
        ];
        for (ms, text) in cases {
            assert_eq!(coarse(ms), text);
        }
    }

    #[test]
    fn times_are_told_from_now() {
        let now = Time::from_ms(1_000_000_000);
        let at = |ms: u64| relative(Time::from_ms(ms), now).into_string();
        assert!(at(1_000_000_000).contains(">just now<"));
        assert!(at(999_940_000).contains(">1 min ago<"));
        assert!(at(1_000_090_000).contains(">in 1 min<"));
        assert!(at(1_000_090_000).contains("1970-01-12 13:48:10 UTC"));
    }
}

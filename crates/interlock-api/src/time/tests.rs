//! Times: what is read, what is refused and how, and that writing and reading are inverse.

use super::*;
use proptest::prelude::*;

#[test]
fn times_are_read_with_any_offset_and_written_in_utc() {
    let table = [
        ("2026-11-15T10:30:00Z", "2026-11-15T10:30:00.000Z"),
        ("2026-11-15t10:30:00z", "2026-11-15T10:30:00.000Z"),
        ("2026-11-15T10:30:00.5Z", "2026-11-15T10:30:00.500Z"),
        ("2026-11-15T10:30:00.123456789Z", "2026-11-15T10:30:00.123Z"),
        ("2026-11-15T11:30:00+01:00", "2026-11-15T10:30:00.000Z"),
        ("2026-11-15T11:30:00-12:30", "2026-11-16T00:00:00.000Z"),
        ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"),
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"),
        ("1970-01-01T01:00:00+01:00", "1970-01-01T00:00:00.000Z"),
        ("9999-12-30T22:00:00Z", "9999-12-30T22:00:00.000Z"),
    ];
    for (text, shown) in table {
        let time: Time = text.parse().expect(text);
        assert_eq!(time.to_string(), shown);
    }
}

#[test]
fn what_is_not_a_time_is_refused_with_the_reason() {
    let form = "is not a time: RFC 3339 is, such as \"2026-11-15T10:30:00Z\"";
    let range = "is not between the years 1970 and 9999";
    let table = [
        ("", form),
        ("tomorrow", form),
        ("2026-11-15", form),
        ("2026-11-15T10:30Z", form),
        ("2026-11-15T10:30:00", form),
        ("2026-11-15 10:30:00Z", form),
        ("2026-11-15T10:30:00.Z", form),
        ("2026-11-15T10:30:00.1234567890Z", form),
        ("2026-11-15T10:30:00,5Z", form),
        ("2026-11-15T10:30:00+0100", form),
        ("2026-11-15T10:30:00+01", form),
        ("2026-11-15T10:30:00+01:00[Europe/Prague]", form),
        ("2026-13-15T10:30:00Z", form),
        ("2026-02-29T10:30:00Z", form),
        ("2026-11-15T24:00:00Z", form),
        ("2026-11-15T10:60:00Z", form),
        ("2026-11-15T10:30:00+99:00", form),
        ("+002026-11-15T10:30:00Z", form),
        ("1700000000", form),
        ("2026-11-15T10:30:00Z\0", form),
        ("２０26-11-15T10:30:00Z", form),
        ("1969-12-31T23:59:59.999Z", range),
        ("0000-01-01T00:00:00Z", range),
        ("9999-12-30T22:00:01Z", range),
        ("9999-12-31T23:59:59-01:00", range),
    ];
    for (text, message) in table {
        let refused = text.parse::<Time>().expect_err(text);
        assert_eq!(
            refused.to_string(),
            format!("{} {message}", crate::text::echo(text))
        );
    }
}

#[test]
fn the_first_and_the_last_time_can_be_written() {
    for time in [Time::from_ms(0), Time::MAX, Time::from_ms(u64::MAX)] {
        assert_eq!(time.to_string().parse(), Ok(time));
    }
}

#[test]
fn an_instant_of_the_boot_clock_is_shown_by_its_distance_from_now() {
    let clock = Clock {
        wall_now: Wall(1_000_000),
        elapsed_now: Elapsed(5_000),
    };
    let table = [
        (5_000, 1_000_000),
        (6_000, 1_001_000),
        (4_000, 999_000),
        (u64::MAX, MS_MAX),
    ];
    for (elapsed, wall) in table {
        assert_eq!(clock.time(Elapsed(elapsed)).ms(), wall);
    }
    assert_eq!(clock.ago(2_000_000).ms(), 0);
}

proptest! {
    #[test]
    fn writing_and_reading_a_time_is_the_identity(ms in 0..=MS_MAX) {
        let time = Time::from_ms(ms);
        prop_assert_eq!(time.to_string().parse(), Ok(time));
    }

    #[test]
    fn times_sort_as_their_texts(one in 0..=MS_MAX, other in 0..=MS_MAX) {
        let (one, other) = (Time::from_ms(one), Time::from_ms(other));
        prop_assert_eq!(one.cmp(&other), one.to_string().cmp(&other.to_string()));
    }

    #[test]
    fn no_text_makes_it_panic(text in "[-0-9TZ:+.]{0,40}|.{0,40}") {
        let _ = text.parse::<Time>();
    }
}

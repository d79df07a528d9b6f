//! Spans: what is read, what is refused and how, and that writing and reading are inverse.

use super::*;
use proptest::prelude::*;

#[test]
fn spans_are_read_and_written_in_their_shortest_form() {
    let table = [
        ("500ms", 500, "500ms"),
        ("0s", 0, "0s"),
        ("0ms", 0, "0s"),
        ("90s", 90_000, "90s"),
        ("60s", 60_000, "1m"),
        ("3m", 180_000, "3m"),
        ("1h30m", 5_400_000, "90m"),
        ("1h1s", 3_601_000, "1h1s"),
        ("24h", 86_400_000, "1d"),
        ("2d", 172_800_000, "2d"),
        ("7d", 604_800_000, "1w"),
        ("30d", 2_592_000_000, "30d"),
        ("1w", 604_800_000, "1w"),
        ("1w2d3h4m5s6ms", 788_645_006, "788645s6ms"),
        ("1w1ms", 604_800_001, "1w1ms"),
        ("1500ms", 1_500, "1500ms"),
        ("007s", 7_000, "7s"),
        ("3660d", DURATION_MS_MAX, "3660d"),
    ];
    for (text, ms, shown) in table {
        let span: Span = text.parse().expect(text);
        assert_eq!(
            (span.ms(), span.to_string().as_str()),
            (ms, shown),
            "{text}"
        );
    }
}

#[test]
fn what_is_not_a_span_is_refused_with_the_reason() {
    let form = "is not a duration: whole numbers with the units w, d, h, m, s, ms in this order, \
                such as \"1h30m\"";
    let table = [
        (
            "",
            "a duration is written like \"90s\" or \"1h30m\", this one is empty".to_owned(),
        ),
        (
            "90",
            "\"90\" has no unit: a duration is written like \"90s\", \"500ms\" or \"1h30m\""
                .to_owned(),
        ),
        (
            "1h30",
            "\"1h30\" has no unit: a duration is written like \"90s\", \"500ms\" or \"1h30m\""
                .to_owned(),
        ),
        ("1.5h", format!("\"1.5h\" {form}")),
        ("-3s", format!("\"-3s\" {form}")),
        ("+3s", format!("\"+3s\" {form}")),
        ("3 s", format!("\"3 s\" {form}")),
        (" 3s", format!("\" 3s\" {form}")),
        ("s", format!("\"s\" {form}")),
        ("3y", format!("\"3y\" {form}")),
        ("3S", format!("\"3S\" {form}")),
        ("3s1m", format!("\"3s1m\" {form}")),
        ("3s3s", format!("\"3s3s\" {form}")),
        ("٣s", format!("\"٣s\" {form}")),
        ("P3D", format!("\"P3D\" {form}")),
        ("3s\0", format!("\"3s\\0\" {form}")),
        ("3661d", "\"3661d\" is longer than ten years".to_owned()),
        (
            "99999999999999999999w",
            "\"99999999999999999999w\" is longer than ten years".to_owned(),
        ),
        (
            "18446744073709551615w",
            "\"18446744073709551615w\" is longer than ten years".to_owned(),
        ),
    ];
    for (text, message) in table {
        let refused = text.parse::<Span>().expect_err(text);
        assert_eq!(refused.to_string(), message);
    }
}

#[test]
fn a_long_text_is_cut_in_the_message() {
    let message = "9"
        .repeat(5_000)
        .parse::<Span>()
        .expect_err("no unit")
        .to_string();
    assert!(message.len() < 200, "{message}");
}

proptest! {
    #[test]
    fn writing_and_reading_a_span_is_the_identity(ms in 0..=DURATION_MS_MAX) {
        let span = Span::from_ms(ms);
        prop_assert_eq!(span.to_string().parse(), Ok(span));
    }

    #[test]
    fn round_spans_too(number in 0..4_000_u64, unit in 0..UNITS.len()) {
        let span = Span::from_ms(number * UNITS[unit].1);
        let text = span.to_string();
        prop_assert_eq!(text.parse(), Ok(span));
        prop_assert!(text.len() <= format!("{number}{}", UNITS[unit].0).len().max(6), "{}", text);
    }

    #[test]
    fn no_text_makes_it_panic(text in ".{0,40}") {
        let _ = text.parse::<Span>();
    }
}

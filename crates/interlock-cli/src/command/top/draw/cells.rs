//! What stands in a cell: bars, and short times.

use interlock_api::Time;
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};

/// Eighths of a cell.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// A bar of so many cells, filled as far as `done` goes into `total`.
pub fn bar(done: u64, total: u64, width: usize) -> String {
    let total = u128::from(total.max(1));
    let done = u128::from(done).min(total);
    let eighths = usize::try_from(done * width as u128 * 8 / total).unwrap_or(0);
    let (full, part) = (eighths / 8, eighths % 8);
    let rest = width - full - usize::from(part > 0);
    format!("{}{}{}", "█".repeat(full), EIGHTHS[part], " ".repeat(rest))
}

/// A bar in a colour, and a text after it.
pub fn bar_and(
    bar: String,
    colour: Color,
    text: impl Into<std::borrow::Cow<'static, str>>,
) -> Line<'static> {
    let style = Style::new().fg(colour).bg(Color::Indexed(236));
    Line::from(vec![
        Span::styled(bar, style),
        Span::raw(" "),
        Span::raw(text),
    ])
}

/// A length of time in at most five characters: `850ms`, `12s`, `3m20`, `2h05`, `4d`.
pub fn short(ms: u64) -> String {
    let (s, m, h) = (ms / 1_000, ms / 60_000, ms / 3_600_000);
    match ms {
        ..1_000 => format!("{ms}ms"),
        1_000..60_000 => format!("{s}s"),
        60_000..3_600_000 => format!("{m}m{:02}", s % 60),
        3_600_000..86_400_000 => format!("{h}h{:02}", m % 60),
        _ => format!("{}d", h / 24),
    }
}

/// How long ago, in short.
pub fn since(time: Time, now: Time) -> String {
    short(now.ms().saturating_sub(time.ms()))
}

/// In how long, in short.
pub fn until(time: Time, now: Time) -> String {
    short(time.ms().saturating_sub(now.ms()))
}

/// `1.4k` for large numbers.
pub fn number(number: u64) -> String {
    match number {
        ..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{}k", number / 1_000),
        1_000_000..1_000_000_000 => format!("{}M", number / 1_000_000),
        _ => format!("{}G", number / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_they_should_be() {
        assert_eq!(bar(0, 10, 4), "    ");
        assert_eq!(bar(5, 10, 4), "██  ");
        assert_eq!(bar(6, 10, 4), "██▍ ");
        assert_eq!(bar(10, 10, 4), "████");
        assert_eq!(bar(99, 10, 4), "████", "more than there is");
        assert_eq!(bar(1, 0, 2), "██", "of nothing");
        assert_eq!(bar(u64::MAX, u64::MAX, 3), "███");
        assert_eq!(bar(1, 2, 0), "");
    }

    #[test]
    fn times_and_numbers_are_short() {
        let said = [850, 12_000, 200_000, 7_500_000, 400_000_000].map(short);
        assert_eq!(said, ["850ms", "12s", "3m20", "2h05", "4d"]);
        let said = [9_999, 12_345, 2_500_000, 7_000_000_000].map(number);
        assert_eq!(said, ["9999", "12k", "2M", "7G"]);
    }
}

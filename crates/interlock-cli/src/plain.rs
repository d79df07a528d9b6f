//! Texts of strangers, such as messages of workers, as a terminal may see them: nothing in them
//! steers it, and nothing in them changes the direction of what stands around them.

use std::borrow::Cow;

/// How wide a text is at most that shares a row with figures.
const SHORT_WIDTH_MAX: usize = 80;

/// What stands for a character that must not reach the terminal.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// A text of several lines; tabs and line ends stay.
pub fn lines(text: &str) -> String {
    replaced(text, |c| match c {
        '\t' | '\n' => c,
        _ => seen(c),
    })
}

/// A text as one line: line ends become spaces, tabs stay.
pub fn line(text: &str) -> String {
    replaced(text, |c| match c {
        '\t' => c,
        '\n' => ' ',
        _ => seen(c),
    })
}

/// A text as a cell of a table: one line, without tabs, whose width nobody knows.
pub fn cell(text: &str) -> String {
    replaced(text, |c| match c {
        '\t' | '\n' => ' ',
        _ => seen(c),
    })
}

/// The first line of a text, cut if it is long, for a cell with figures to the right of it.
pub fn short(text: &str) -> String {
    let text = text.trim();
    let first = text.lines().next().unwrap_or_default();
    let more = if first.len() < text.len() { "…" } else { "" };
    let shown = cell(&format!("{first}{more}"));
    console::truncate_str(&shown, SHORT_WIDTH_MAX, "…").into_owned()
}

fn replaced(text: &str, by: impl Fn(char) -> char) -> String {
    let text = match text.contains("\r\n") {
        true => Cow::Owned(text.replace("\r\n", "\n")),
        false => Cow::Borrowed(text),
    };
    text.chars().map(by).collect()
}

fn seen(c: char) -> char {
    let turns = matches!(
        c,
        '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    match turns || c.is_control() {
        true => REPLACEMENT,
        false => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        let text = "progress \u{1b}]0;pwned\u{7}\u{1b}[31mred";
        assert_eq!(
            line(text),
            "progress \u{fffd}]0;pwned\u{fffd}\u{fffd}[31mred"
        );
        assert_eq!(
            line("a\u{7f}b\u{9b}c\u{0}d\re"),
            "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}e"
        );
        for turning in "\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}".chars() {
            assert_eq!(line(&format!("a{turning}b")), "a\u{fffd}b", "{turning:?}");
        }
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        for text in [
            "",
            "45 of 100 (45 %): copying",
            "žluťoučký 漢字 👩\u{200d}🚒 └─ …",
        ] {
            assert_eq!([lines(text), line(text), cell(text)], [text; 3]);
            assert_eq!(short(text), text);
        }
    }

    #[test]
    fn line_ends_and_tabs_stay_only_where_there_is_room_for_them() {
        let text = "a\tb\r\nc\nd";
        assert_eq!(lines(text), "a\tb\nc\nd");
        assert_eq!(line(text), "a\tb c d");
        assert_eq!(cell(text), "a b c d");
    }

    #[test]
    fn what_is_short_is_the_first_line_and_not_all_of_a_long_one() {
        assert_eq!(short("refused\n  at line 3\n"), "refused…");
        assert_eq!(short("refused\n"), "refused");
        let full = "x".repeat(SHORT_WIDTH_MAX);
        assert_eq!(short(&full), full);
        let cut = format!("{}…", "x".repeat(SHORT_WIDTH_MAX - 1));
        assert_eq!(short(&format!("{full}x")), cut);
        assert_eq!(short(&format!("{full}\nx")), cut);
    }
}

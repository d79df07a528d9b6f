//! The end of a command's output, in bounded room.

use std::collections::VecDeque;

/// Bytes that are kept: together with the message they fit into an error's detail.
const BYTES_MAX: usize = 12 << 10;
/// Bytes of one line that are kept.
const LINE_BYTES_MAX: usize = 2 << 10;

/// The last lines.
#[derive(Debug, Default)]
pub(super) struct Tail {
    lines: VecDeque<String>,
    bytes: usize,
    left_out: u64,
}

impl Tail {
    pub(super) fn push(&mut self, line: &str) {
        let mut line = line.to_owned();
        line.truncate(line.floor_char_boundary(LINE_BYTES_MAX));
        self.bytes += line.len() + 1;
        self.lines.push_back(line);
        while self.bytes > BYTES_MAX
            && let Some(first) = self.lines.pop_front()
        {
            self.bytes -= first.len() + 1;
            self.left_out += 1;
        }
    }

    /// All that was kept, and how much was not.
    pub(super) fn text(&self) -> String {
        let mut text = match self.left_out {
            0 => String::new(),
            1 => "… 1 line left out\n".to_owned(),
            lines => format!("… {lines} lines left out\n"),
        };
        for line in &self.lines {
            text += line;
            text.push('\n');
        }
        text.truncate(text.trim_end().len());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept_and_it_says_so() {
        let mut tail = Tail::default();
        tail.push("first");
        assert_eq!(tail.text(), "first");
        for number in 0..100_000 {
            tail.push(&format!("line {number} ä"));
        }
        tail.push(&"ä".repeat(1 << 20));
        let text = tail.text();
        assert!(text.len() < 16 << 10, "{}", text.len());
        assert!(text.starts_with("… "));
        assert!(text.contains("line 99999 ä"));
    }
}

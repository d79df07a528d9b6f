//! Why tasks wait, as a picture.

use super::cells::{bar, bar_and, number};
use super::titled;
use crate::command::top::fetch::Seen;
use crate::command::top::rows;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// The longest word for a reason.
const WORD: usize = 10;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, seen: &Seen) {
    let waiting = seen.overview.counts.waiting;
    let block = titled(format!("Waiting ({})", number(waiting)), false);
    let waits = rows::waits(seen);
    let most = waits.iter().map(|stage| stage.tasks).max().unwrap_or(0);
    let width = usize::from(area.width).saturating_sub(WORD + 1 + 6);
    let lines = waits.iter().map(|stage| {
        let bar = bar(stage.tasks, most, width);
        let mut line = bar_and(bar, Color::Yellow, number(stage.tasks));
        let word = format!("{:<WORD$} ", word(&stage.stage));
        line.spans.insert(0, Span::raw(word));
        line
    });
    let lines: Vec<Line<'_>> = match waits.is_empty() {
        true => vec![Line::from("Nothing waits.").style(Style::new().fg(Color::DarkGray))],
        false => lines.collect(),
    };
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

/// As people say it.
fn word(stage: &str) -> &str {
    match stage {
        "in_line" => "in line",
        "no_worker" => "no worker",
        other => other,
    }
}

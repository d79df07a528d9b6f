//! One frame as text, for pipes.

use super::draw;
use super::rows::{self, Pane};
use super::state::State;
use crate::print;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use std::time::Duration;

/// Rates need two looks.
pub const BETWEEN_LOOKS: Duration = Duration::from_secs(1);
/// Rows that a frame has at most: more than anybody reads, and not too much to make.
const ROWS_MAX: usize = 200;

/// Prints the frame, or what it is made of as JSON.
pub fn print(state: &State, json: bool) {
    match (&state.seen, json) {
        (Some(seen), true) => print::json(seen),
        _ => text(state).iter().for_each(print::line),
    }
}

/// The lines of a frame as wide as the terminal, and as high as it needs to be.
pub fn text(state: &State) -> Vec<String> {
    let width = console::Term::stdout()
        .size_checked()
        .map(|(_, width)| width);
    let columns = std::env::var("COLUMNS")
        .ok()
        .and_then(|text| text.parse().ok());
    let width = width.or(columns).unwrap_or(120).clamp(60, 400);
    lines(state, width, height(state))
}

/// High enough for every row of every pane.
fn height(state: &State) -> u16 {
    let Some(seen) = &state.seen else {
        return draw::HEIGHT_MIN;
    };
    let rows = |pane| rows::names(seen, &state.filter, pane).len();
    let middle = rows(Pane::Lines).max(rows::waits(seen).len());
    let bottom = rows(Pane::Workers).max(rows(Pane::Quotas));
    draw::height_for([rows(Pane::Tasks), middle, bottom].map(|rows| rows.min(ROWS_MAX)))
}

/// The lines of a frame of this size.
pub fn lines(state: &State, width: u16, height: u16) -> Vec<String> {
    let terminal = Terminal::new(TestBackend::new(width, height));
    let drawn = terminal.map(|mut terminal| {
        let _infallible = terminal.draw(|frame| draw::frame(frame, state));
        lines_of(terminal.backend().buffer())
    });
    drawn.unwrap_or_default()
}

fn lines_of(buffer: &Buffer) -> Vec<String> {
    let rows = buffer
        .content()
        .chunks(usize::from(buffer.area.width).max(1));
    let mut lines: Vec<String> = rows
        .map(|row| {
            let mut line = String::new();
            let mut skip = 0;
            for cell in row {
                // A wide character covers the cell after it.
                if skip == 0 {
                    line.push_str(cell.symbol());
                    skip = console::measure_text_width(cell.symbol()).max(1);
                }
                skip -= 1;
            }
            line.trim_end().to_owned()
        })
        .collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

//! From the state to a frame. Pure: the same state and size give the same frame, whatever the size.

mod cells;
mod front;
mod header;
mod lines;
mod quotas;
mod tasks;
mod waits;
mod workers;

use super::fetch::Seen;
use super::rows::Pane;
use super::state::State;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Row, Table, TableState};

/// Lower than this only one pane is shown.
pub const HEIGHT_MIN: u16 = 16;
/// Narrower than this panes don't stand side by side.
const WIDTH_MIN: u16 = 72;
/// Rows of the header and the footer.
const HEADER: u16 = 3;
const FOOTER: u16 = 1;
/// A title, and the names of the columns.
const PANE_EXTRA: u16 = 2;

/// Draws everything.
pub fn frame(frame: &mut Frame<'_>, state: &State) {
    let [head, body, foot] = Layout::vertical([
        Constraint::Length(HEADER),
        Constraint::Fill(1),
        Constraint::Length(FOOTER),
    ])
    .areas(frame.area());
    header::draw(frame, head, state);
    if let Some(seen) = &state.seen {
        panes(frame, body, state, seen);
    }
    front::footer(frame, foot, state);
    front::draw(frame, state);
}

/// How high a frame must be for so many rows in each third of it.
pub fn height_for(rows: [usize; 3]) -> u16 {
    let high = |rows: usize| u16::try_from(rows).unwrap_or(u16::MAX / 8).max(1) + PANE_EXTRA;
    // The thirds share the height as three to two to two.
    let [tasks, middle, bottom] = rows.map(high);
    let unit = (tasks.div_ceil(3)).max(middle.max(bottom).div_ceil(2));
    (HEADER + FOOTER + 7 * unit).max(HEIGHT_MIN)
}

fn panes(frame: &mut Frame<'_>, area: Rect, state: &State, seen: &Seen) {
    if area.height + HEADER + FOOTER < HEIGHT_MIN {
        return pane(frame, area, state, seen, state.pane);
    }
    let [top, middle, bottom] = Layout::vertical([3, 2, 2].map(Constraint::Fill)).areas(area);
    tasks::draw(frame, top, state, seen);
    if area.width < WIDTH_MIN {
        lines::draw(frame, middle, state, seen);
        let below = match state.pane {
            Pane::Quotas => Pane::Quotas,
            _ => Pane::Workers,
        };
        return pane(frame, bottom, state, seen, below);
    }
    let waits = match area.width {
        ..110 => Constraint::Length(26),
        _ => Constraint::Fill(2),
    };
    let sides = [waits, Constraint::Length(2), Constraint::Fill(3)];
    let [left, _, right] = Layout::horizontal(sides).areas(middle);
    waits::draw(frame, left, seen);
    lines::draw(frame, right, state, seen);
    let sides = [
        Constraint::Fill(1),
        Constraint::Length(2),
        Constraint::Fill(1),
    ];
    let [left, _, right] = Layout::horizontal(sides).areas(bottom);
    workers::draw(frame, left, state, seen);
    quotas::draw(frame, right, state, seen);
}

fn pane(frame: &mut Frame<'_>, area: Rect, state: &State, seen: &Seen, pane: Pane) {
    match pane {
        Pane::Tasks => tasks::draw(frame, area, state, seen),
        Pane::Lines => lines::draw(frame, area, state, seen),
        Pane::Workers => workers::draw(frame, area, state, seen),
        Pane::Quotas => quotas::draw(frame, area, state, seen),
    }
}

/// A line across with a title.
fn titled(title: String, here: bool) -> Block<'static> {
    let style = match here {
        true => Style::new().fg(Color::Cyan).add_modifier(Modifier::BOLD),
        false => Style::new().add_modifier(Modifier::BOLD),
    };
    let mark = if here { "▶" } else { "─" };
    Block::new()
        .borders(Borders::TOP)
        .border_style(Style::new().fg(if here { Color::Cyan } else { Color::DarkGray }))
        .title(Line::from(Span::styled(format!("{mark} {title} "), style)))
}

/// A table with a title, and the chosen row of the pane.
struct Listed<'a, const N: usize> {
    pane: Pane,
    title: String,
    heads: [&'static str; N],
    widths: [Constraint; N],
    rows: Vec<Row<'a>>,
    /// What is said if there are no rows.
    empty: &'static str,
}

impl<const N: usize> Listed<'_, N> {
    fn draw(self, frame: &mut Frame<'_>, area: Rect, state: &State) {
        let here = state.pane == self.pane;
        let block = titled(self.title, here);
        if self.rows.is_empty() {
            let said = Line::from(self.empty).style(Style::new().fg(Color::DarkGray));
            let inside = block.inner(area);
            frame.render_widget(block, area);
            return frame.render_widget(said, inside);
        }
        let heads = Row::new(self.heads).style(Style::new().fg(Color::DarkGray));
        let highlight = match here {
            true => Style::new().add_modifier(Modifier::REVERSED),
            false => Style::new(),
        };
        let table = Table::new(self.rows, self.widths)
            .block(block)
            .header(heads)
            .column_spacing(1)
            .row_highlight_style(highlight);
        let chosen = state.chosen(self.pane).row;
        let mut at = TableState::default().with_selected(Some(chosen));
        frame.render_stateful_widget(table, area, &mut at);
    }
}

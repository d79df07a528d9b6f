//! The busiest lines: who holds the resource, how many wait, and why the first of them does.

use super::Listed;
use super::cells::number;
use crate::command::top::fetch::Seen;
use crate::command::top::rows::{self, Pane};
use crate::command::top::state::State;
use crate::plain;
use interlock_api::overview::Line;
use interlock_api::reason::Brief;
use interlock_api::resource::ResourceState;
use ratatui::Frame;
use ratatui::layout::{Constraint, Rect};
use ratatui::style::{Color, Style};
use ratatui::widgets::{Cell, Row};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &State, seen: &Seen) {
    let lines = rows::lines(seen, &state.filter);
    let (title, empty) = ("Busiest lines".to_owned(), "Nobody waits in line.");
    let pane = Pane::Lines;
    if area.width < 70 {
        // The reason mostly names the holder too.
        let listed = Listed {
            pane,
            title,
            heads: ["RESOURCE", "WAIT", "WHY THE FIRST WAITS"],
            widths: [
                Constraint::Length(16),
                Constraint::Length(4),
                Constraint::Fill(1),
            ],
            rows: lines.iter().map(|line| row(line, false)).collect(),
            empty,
        };
        return listed.draw(frame, area, state);
    }
    let listed = Listed {
        pane,
        title,
        heads: ["RESOURCE", "WAIT", "HELD BY", "WHY THE FIRST WAITS"],
        widths: [
            Constraint::Length(20),
            Constraint::Length(4),
            Constraint::Length(18),
            Constraint::Fill(1),
        ],
        rows: lines.iter().map(|line| row(line, true)).collect(),
        empty,
    };
    listed.draw(frame, area, state);
}

fn row(line: &Line, wide: bool) -> Row<'static> {
    let name = match line.state {
        ResourceState::Held => Style::new().fg(Color::Yellow),
        ResourceState::Failing => Style::new().fg(Color::Red),
        _ => Style::new(),
    };
    let mut cells = vec![
        Cell::from(plain::cell(&line.resource)).style(name),
        Cell::from(number(line.waiting)),
    ];
    if wide {
        cells.push(Cell::from(plain::cell(&holder(line))));
    }
    cells.push(Cell::from(plain::cell(&why(line))));
    Row::new(cells)
}

/// `sync 45%`, and how many more.
fn holder(line: &Line) -> String {
    let Some(holder) = &line.holder else {
        return match line.state {
            ResourceState::Held => "an operator".to_owned(),
            _ => String::new(),
        };
    };
    let more = match line.running {
        ..=1 => String::new(),
        running => format!(" +{}", running - 1),
    };
    format!("{}{}{more}", holder.kind, far(holder))
}

fn far(holder: &Brief) -> String {
    let percent = holder
        .progress
        .as_ref()
        .and_then(|progress| progress.percent);
    percent.map_or_else(String::new, |percent| format!(" {percent}%"))
}

fn why(line: &Line) -> String {
    let Some(first) = &line.first else {
        return String::new();
    };
    let reason = first.reasons.first().map(|reason| reason.sentence.as_str());
    format!("{} {}: {}", first.kind, first.task, reason.unwrap_or(""))
}

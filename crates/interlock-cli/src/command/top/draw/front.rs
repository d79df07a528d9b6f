//! The footer, and what is in front of everything: explanations, questions, help.

use crate::command::top::keys::HELP;
use crate::command::top::state::{Front, State};
use crate::plain;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Clear, Paragraph, Wrap};

const KEYS: &str = "? help  q quit  / filter  e explain  c cancel  h hold  w waiting  p pause";

/// The last line: what is typed, what is wrong, what was said, or which keys there are.
pub(super) fn footer(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let dim = Style::new().fg(Color::DarkGray);
    let line = match (&state.front, &state.message, &state.lost) {
        (Front::Typing(text), _, _) => {
            let typed = u16::try_from(console::measure_text_width(text)).unwrap_or(u16::MAX);
            let x = area.x.saturating_add(8).saturating_add(typed);
            if !area.is_empty() {
                let x = x.min(area.right().saturating_sub(1));
                frame.set_cursor_position(Position::new(x, area.y));
            }
            Line::from(format!("filter: {text}"))
        }
        (_, Some(message), _) => {
            let colour = if message.good {
                Color::Green
            } else {
                Color::Red
            };
            Line::from(plain::cell(&message.text)).style(Style::new().fg(colour))
        }
        (_, None, Some(lost)) => {
            let text = format!("{lost}; trying again");
            Line::from(plain::cell(&text)).style(Style::new().fg(Color::Red))
        }
        (_, None, None) => Line::from(KEYS).style(dim),
    };
    frame.render_widget(line, area);
}

/// What is in front.
pub(super) fn draw(frame: &mut Frame<'_>, state: &State) {
    match &state.front {
        Front::Nothing | Front::Typing(_) => {}
        Front::Asking { task, what, .. } => {
            let question = format!("Cancel task {task}?");
            let lines = vec![
                Line::from(plain::cell(what)),
                Line::default(),
                Line::from("y cancels it, any other key does not."),
            ];
            popup(frame, &question, lines, 0);
        }
        Front::Explained {
            task,
            lines,
            scroll,
        } => {
            let title = format!("Why task {task} is not done");
            let lines = lines.iter().map(|line| Line::from(plain::cell(line)));
            popup(frame, &title, lines.collect(), *scroll);
        }
        Front::Help => popup(frame, "Keys", help(), 0),
    }
}

fn help() -> Vec<Line<'static>> {
    let bold = Style::new().add_modifier(Modifier::BOLD);
    HELP.iter()
        .map(|(keys, what)| {
            Line::from(vec![
                Span::styled(format!("{keys:<20} "), bold),
                Span::raw(*what),
            ])
        })
        .collect()
}

/// A box in the middle, as large as its text needs.
fn popup(frame: &mut Frame<'_>, title: &str, lines: Vec<Line<'_>>, scroll: u16) {
    let all = frame.area();
    let widest = lines
        .iter()
        .map(Line::width)
        .max()
        .unwrap_or(0)
        .max(title.len() + 4);
    let width = (widest + 4).min(usize::from(all.width.saturating_sub(2)));
    let inside = width.saturating_sub(4).max(1);
    let high: usize = lines
        .iter()
        .map(|line| line.width().div_ceil(inside).max(1))
        .sum();
    // Words are not broken, so that text which does not fit may take more lines than it could.
    let wrapped = widest > inside;
    let high = high + if wrapped { high / 4 } else { 0 } + 2;
    let height = high.min(usize::from(all.height.saturating_sub(2)));
    let area = centred(all, width as u16, height as u16);
    let block = Block::new()
        .borders(Borders::ALL)
        .border_style(Style::new().fg(Color::Cyan))
        .padding(ratatui::widgets::Padding::horizontal(1))
        .title(format!(" {title} "));
    let text = Paragraph::new(lines)
        .wrap(Wrap { trim: false })
        .scroll((scroll.min(high as u16), 0))
        .block(block);
    frame.render_widget(Clear, area);
    frame.render_widget(text, area);
}

fn centred(all: Rect, width: u16, height: u16) -> Rect {
    Rect {
        x: all.x + all.width.saturating_sub(width) / 2,
        y: all.y + all.height.saturating_sub(height) / 2,
        width: width.min(all.width),
        height: height.min(all.height),
    }
}

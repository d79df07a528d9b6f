//! The header: which server, how much goes on there, and whether it can be reached.

use super::cells::number;
use crate::command::top::state::State;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Sparkline;

/// How wide the picture of the last minutes is at most.
const PICTURE: u16 = 60;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let [first, second, third] = Layout::vertical([1, 1, 1].map(Constraint::Length)).areas(area);
    frame.render_widget(whose(state), first);
    frame.render_widget(how(state).right_aligned(), first);
    let counts = counts(state);
    let width = u16::try_from(counts.width()).unwrap_or(u16::MAX);
    let parts = [Constraint::Length(width + 2), Constraint::Fill(1)];
    let [left, right] = Layout::horizontal(parts).areas(second);
    frame.render_widget(counts, left);
    picture(frame, right, state);
    frame.render_widget(rates(state), third);
}

/// Which server.
fn whose(state: &State) -> Line<'static> {
    let mut parts = vec![bold("Interlock".to_owned())];
    if let Some(seen) = &state.seen {
        let overview = &seen.overview;
        parts.push(Span::raw(format!(" {}  ", overview.version)));
        parts.push(Span::raw(state.server.clone()));
        parts.push(Span::raw(format!("  namespace {}", overview.namespace)));
        if overview.held {
            parts.push(Span::styled("  HELD", Style::new().fg(Color::Yellow)));
        }
    }
    Line::from(parts)
}

/// Whether what is shown is what is.
fn how(state: &State) -> Line<'static> {
    let (text, colour) = match (&state.lost, state.paused) {
        (Some(_), _) => ("no connection", Color::Red),
        (None, true) => ("paused", Color::Yellow),
        (None, false) => ("live", Color::Green),
    };
    // Something moves as long as somebody looks.
    let mark = ["●", "○"][(state.ticks % 2) as usize];
    let style = Style::new().fg(colour).add_modifier(Modifier::BOLD);
    Line::from(Span::styled(format!(" {mark} {text}"), style))
}

fn counts(state: &State) -> Line<'static> {
    let counts = state.seen.as_ref().map(|seen| seen.overview.counts);
    let counts = counts.unwrap_or_default();
    Line::from(vec![
        bold(number(counts.running)),
        Span::raw(" running  "),
        bold(number(counts.waiting)),
        Span::raw(" waiting  "),
        bold(number(counts.resources)),
        Span::raw(" resources  "),
        bold(number(counts.sessions)),
        Span::raw(" workers"),
    ])
}

fn rates(state: &State) -> Line<'static> {
    let Some(now) = state.rates.now() else {
        return Line::from("per second: wait for the second look");
    };
    let failed = match now.failed > 0.0 {
        true => Style::new().fg(Color::Red),
        false => Style::new(),
    };
    let per_second = |rate: f64| match rate {
        100.0.. => format!("{rate:.0}"),
        _ => format!("{rate:.1}"),
    };
    Line::from(vec![
        Span::raw("per second: "),
        bold(per_second(now.submitted)),
        Span::raw(" submitted  "),
        bold(per_second(now.started)),
        Span::raw(" started  "),
        bold(per_second(now.ended)),
        Span::raw(" ended  "),
        Span::styled(format!("{} failed", per_second(now.failed)), failed),
    ])
}

/// The runs that ended, from the last minutes to now.
fn picture(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let ended = state.rates.ended();
    let width = usize::from(area.width.min(PICTURE));
    let last = &ended[ended.len().saturating_sub(width)..];
    let shown = Rect {
        x: area
            .right()
            .saturating_sub(u16::try_from(last.len()).unwrap_or(0)),
        width: u16::try_from(last.len()).unwrap_or(0),
        ..area
    };
    let most = last.iter().copied().max().unwrap_or(0).max(1);
    let picture = Sparkline::default()
        .data(last)
        .max(most)
        .style(Style::new().fg(Color::Green));
    frame.render_widget(picture, shown);
}

fn bold(text: String) -> Span<'static> {
    Span::styled(text, Style::new().add_modifier(Modifier::BOLD))
}

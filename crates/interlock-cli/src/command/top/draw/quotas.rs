//! Quotas: what is used and left of each limit, and when units come free.

use super::Listed;
use super::cells::{bar, bar_and, number, until};
use crate::command::top::fetch::Seen;
use crate::command::top::rows::{self, Pane};
use crate::command::top::state::State;
use crate::plain;
use interlock_api::Time;
use interlock_api::quota::{LimitCount, QuotaCount};
use ratatui::Frame;
use ratatui::layout::{Constraint, Rect};
use ratatui::style::Color;
use ratatui::widgets::{Cell, Row};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &State, seen: &Seen) {
    let quotas = rows::quotas(seen);
    let width = if area.width < 60 { 3 } else { 6 };
    Listed {
        pane: Pane::Quotas,
        title: "Quotas".to_owned(),
        heads: ["QUOTA", "LIMIT", "LEFT", "FREES"],
        widths: [
            Constraint::Fill(3),
            Constraint::Length(10),
            Constraint::Fill(2),
            Constraint::Length(6),
        ],
        rows: (quotas.iter())
            .map(|(count, limit)| row(count, limit, seen.overview.now, width))
            .collect(),
        empty: "No quota is in use.",
    }
    .draw(frame, area, state);
}

fn row(count: &QuotaCount, limit: &LimitCount, now: Time, width: usize) -> Row<'static> {
    let name = match &count.resource {
        Some(resource) => format!("{resource} {}", count.quota),
        None => count.quota.clone(),
    };
    let all = limit.used.saturating_add(limit.left);
    let colour = match (limit.left, limit.left <= all / 4) {
        (0, _) => Color::Red,
        (_, true) => Color::Yellow,
        _ => Color::Green,
    };
    let frees = match (count.paused_until, limit.frees) {
        (Some(paused), _) => format!("‖{}", until(paused, now)),
        (None, Some(frees)) => until(frees, now),
        (None, None) => String::new(),
    };
    let waiting = match count.waiting {
        0 => String::new(),
        waiting => format!(", {} wait", number(waiting)),
    };
    Row::new([
        Cell::from(plain::cell(&name)),
        Cell::from(limit.limit.to_string()),
        Cell::from(bar_and(
            bar(limit.left, all, width),
            colour,
            format!("{}{waiting}", number(limit.left)),
        )),
        Cell::from(frees),
    ])
}

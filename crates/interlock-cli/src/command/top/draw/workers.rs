//! Workers: how much they do at once, and when they were last heard of.

use super::Listed;
use super::cells::{bar, bar_and, since};
use crate::command::top::fetch::Seen;
use crate::command::top::rows::{self, Pane};
use crate::command::top::state::State;
use crate::{plain, word};
use interlock_api::Time;
use interlock_api::worker::{Worker, WorkerState};
use ratatui::Frame;
use ratatui::layout::{Constraint, Rect};
use ratatui::style::{Color, Style};
use ratatui::widgets::{Cell, Row};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &State, seen: &Seen) {
    let workers = rows::workers(seen);
    Listed {
        pane: Pane::Workers,
        title: format!("Workers ({})", workers.len()),
        heads: ["NAME", "STATE", "RUNS", "HEARD"],
        widths: [
            Constraint::Fill(2),
            Constraint::Length(8),
            Constraint::Fill(2),
            Constraint::Length(6),
        ],
        rows: (workers.iter())
            .map(|worker| row(worker, seen.overview.now))
            .collect(),
        empty: "There are no workers.",
    }
    .draw(frame, area, state);
}

fn row(worker: &Worker, now: Time) -> Row<'static> {
    let colour = match worker.state {
        WorkerState::Lost => Color::Red,
        WorkerState::Draining | WorkerState::Quiet => Color::Yellow,
        WorkerState::Busy | WorkerState::Idle => Color::Green,
    };
    let running = worker.running.len() as u64;
    // One that does not ask for more has as much as it can do.
    let at_once = worker.at_once.unwrap_or(running).max(running);
    let heard = match (worker.at_once, worker.heard) {
        // It waits on the line right now.
        (Some(_), _) => "now".to_owned(),
        (None, Some(heard)) => since(heard, now),
        (None, None) => String::new(),
    };
    Row::new([
        Cell::from(plain::cell(&worker.name)),
        Cell::from(word::text(&worker.state)).style(Style::new().fg(colour)),
        Cell::from(bar_and(
            bar(running, at_once, 6),
            Color::Green,
            format!("{running}/{at_once}"),
        )),
        Cell::from(heard),
    ])
}

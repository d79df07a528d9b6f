//! Tasks: how far those that run are, why the others don't.

use super::Listed;
use super::cells::{bar, bar_and, short, since};
use crate::command::top::fetch::Seen;
use crate::command::top::rows::{self, Pane};
use crate::command::top::state::State;
use crate::plain;
use interlock_api::Time;
use interlock_api::task::{self, Run, Task};
use ratatui::Frame;
use ratatui::layout::{Constraint, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::Line;
use ratatui::widgets::{Cell, Row};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &State, seen: &Seen) {
    let tasks = rows::tasks(seen, &state.filter);
    let wide = area.width >= 110;
    let shown = |task: &&Task| row(task, seen.overview.now, if wide { 20 } else { 10 });
    Listed {
        pane: Pane::Tasks,
        title: title(state, seen, tasks.len()),
        heads: ["TASK", "KIND", "RESOURCES", "WORKER", "TIME", "PROGRESS"],
        widths: widths(wide),
        rows: tasks.iter().map(shown).collect(),
        empty: match state.filter.is_empty() {
            true => "Nothing runs.",
            false => "Nothing fits the filter.",
        },
    }
    .draw(frame, area, state);
}

fn widths(wide: bool) -> [Constraint; 6] {
    let [task, kind, resources, worker, time] = match wide {
        true => [8, 16, 32, 14, 5].map(Constraint::Length),
        false => [6, 9, 17, 9, 5].map(Constraint::Length),
    };
    [task, kind, resources, worker, time, Constraint::Fill(1)]
}

fn title(state: &State, seen: &Seen, shown: usize) -> String {
    let more = match seen.more_tasks {
        true => " newest",
        false => "",
    };
    let filter = match state.filter.is_empty() {
        true => String::new(),
        false => format!(", filter: {}", state.filter.text()),
    };
    format!("Tasks {} ({shown}{more}){filter}", state.filter.states())
}

fn row(task: &Task, now: Time, width: usize) -> Row<'static> {
    let time = match (&task.run, task.ended, task.submitted) {
        (Some(run), _, _) => short(run.running.ms()),
        (None, Some(ended), _) => since(ended, now),
        (None, None, Some(submitted)) => since(submitted, now),
        (None, None, None) => String::new(),
    };
    let worker = (task.run.as_ref().map(|run| run.worker.clone())).or_else(|| task.worker.clone());
    Row::new([
        Cell::from(task.task.to_string()),
        Cell::from(plain::cell(task.kind.as_deref().unwrap_or_default())),
        Cell::from(plain::cell(&touched(task))),
        Cell::from(plain::cell(&worker.unwrap_or_default())),
        Cell::from(time),
        Cell::from(last(task, width)),
    ])
}

/// The resources, without what is done to them.
fn touched(task: &Task) -> String {
    let names = task.resources.iter().map(|claim| claim.resource.as_str());
    names.collect::<Vec<_>>().join(", ")
}

/// How far it is, why it waits, or how it ended.
fn last(task: &Task, width: usize) -> Line<'static> {
    match &task.run {
        Some(run) => progress(run, width),
        None => {
            let reason = task.reasons.first().map(|reason| reason.sentence.clone());
            let end = task.end.as_ref().map(|end| end.sentence.clone());
            let colour = match task.state {
                task::State::Failed => Color::Red,
                task::State::Succeeded => Color::Green,
                _ => Color::Yellow,
            };
            let said = reason.or(end).unwrap_or_default();
            Line::from(plain::cell(&said)).style(Style::new().fg(colour))
        }
    }
}

fn progress(run: &Run, width: usize) -> Line<'static> {
    if run.stopping {
        return Line::from("is being stopped").style(Style::new().fg(Color::Yellow));
    }
    let Some(progress) = &run.progress else {
        return Line::default();
    };
    let message = plain::cell(&progress.message);
    match (progress.total, progress.percent) {
        (Some(total), Some(percent)) => {
            let text = format!("{percent:>3}% {message}");
            bar_and(bar(progress.done, total, width), Color::Green, text)
        }
        _ => {
            let unit = match progress.unit.is_empty() {
                true => String::new(),
                false => format!(" {}", plain::cell(&progress.unit)),
            };
            Line::from(format!("{}{unit} {message}", progress.done))
        }
    }
}

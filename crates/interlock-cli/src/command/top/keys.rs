//! What a key means: by what is in front, then by where the user is.

use super::act::{Action, Target};
use super::rows::{self, Pane};
use super::state::{Front, State};
use interlock_api::overview::Line;
use interlock_api::reason::{HoldTarget, Why};
use interlock_api::resource::ResourceState;
use interlock_api::task::Task;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Rows that a page is taken to have.
const PAGE: usize = 10;

/// Every key, and what it does.
pub const HELP: [(&str, &str); 12] = [
    ("Tab, Shift-Tab, ← →", "go to another pane"),
    ("↑ ↓, j k", "go to another row; PgUp, PgDn, Home, End too"),
    ("Enter, e", "explain a task, or who is next in a line"),
    ("c", "cancel a task, or who is next in a line"),
    ("h", "hold or release a task that waits, or a resource"),
    ("/", "filter: a state, a kind, shop:42, or a part of a name"),
    ("w", "show the tasks that wait, or again those that run"),
    ("Esc", "clear the filter; close what is in front"),
    ("p, Space", "let the view stand still, or go on"),
    ("r", "look now"),
    ("?", "this"),
    ("q, Ctrl-C", "quit"),
];

impl State {
    /// A key was pressed; gives back what shall be done.
    pub fn key(&mut self, key: KeyEvent) -> Option<Action> {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return (key.code == KeyCode::Char('c')).then_some(Action::Quit);
        }
        match &mut self.front {
            Front::Nothing => self.plain(key.code),
            Front::Typing(_) => self.typing(key.code),
            Front::Asking { .. } => self.answered(key.code),
            Front::Explained { scroll, .. } => {
                match key.code {
                    KeyCode::Up | KeyCode::Char('k') => *scroll = scroll.saturating_sub(1),
                    KeyCode::Down | KeyCode::Char('j') => *scroll = scroll.saturating_add(1),
                    KeyCode::Char('q') => return Some(Action::Quit),
                    _ => self.front = Front::Nothing,
                }
                None
            }
            Front::Help => {
                self.front = Front::Nothing;
                (key.code == KeyCode::Char('q')).then_some(Action::Quit)
            }
        }
    }

    /// Nothing is in front.
    fn plain(&mut self, key: KeyCode) -> Option<Action> {
        let row = self.chosen(self.pane).row;
        match key {
            KeyCode::Char('q') => return Some(Action::Quit),
            KeyCode::Char('r') => return Some(Action::Look),
            KeyCode::Tab | KeyCode::Right | KeyCode::Char('l') => self.pane = self.pane.further(1),
            KeyCode::BackTab | KeyCode::Left => self.pane = self.pane.further(Pane::ALL.len() - 1),
            KeyCode::Up | KeyCode::Char('k') => self.choose(self.pane, row.saturating_sub(1)),
            KeyCode::Down | KeyCode::Char('j') => self.choose(self.pane, row + 1),
            KeyCode::PageUp => self.choose(self.pane, row.saturating_sub(PAGE)),
            KeyCode::PageDown => self.choose(self.pane, row + PAGE),
            KeyCode::Home => self.choose(self.pane, 0),
            KeyCode::End => self.choose(self.pane, usize::MAX),
            KeyCode::Char('/') => self.front = Front::Typing(self.filter.text().to_owned()),
            KeyCode::Char('?') => self.front = Front::Help,
            KeyCode::Char('p' | ' ') => {
                self.paused = !self.paused;
                return (!self.paused).then_some(Action::Look);
            }
            KeyCode::Char('w') => return self.other_tasks(),
            KeyCode::Esc if !self.filter.is_empty() => {
                self.set_filter("");
                return Some(Action::Look);
            }
            KeyCode::Enter | KeyCode::Char('e') => return self.explain(),
            KeyCode::Char('c') => self.ask_to_cancel(),
            KeyCode::Char('h') => return self.hold_or_release(),
            _ => {}
        }
        None
    }

    fn typing(&mut self, key: KeyCode) -> Option<Action> {
        let Front::Typing(text) = &mut self.front else {
            return None;
        };
        match key {
            KeyCode::Char(c) if text.len() < 400 => text.push(c),
            KeyCode::Backspace => _ = text.pop(),
            KeyCode::Esc => self.front = Front::Nothing,
            KeyCode::Enter => {
                let text = std::mem::take(text);
                self.front = Front::Nothing;
                self.set_filter(&text);
                return Some(Action::Look);
            }
            _ => {}
        }
        None
    }

    fn answered(&mut self, key: KeyCode) -> Option<Action> {
        let front = std::mem::take(&mut self.front);
        match (front, key) {
            (Front::Asking { task, all, .. }, KeyCode::Char('y')) => {
                Some(Action::Cancel { task, all })
            }
            _ => {
                self.say("Nothing was cancelled.", true);
                None
            }
        }
    }

    /// From those that run to those that wait, and back; what else is filtered stays.
    fn other_tasks(&mut self) -> Option<Action> {
        let words = self.filter.text().split_whitespace();
        let (waiting, others): (Vec<&str>, Vec<&str>) = words.partition(|word| *word == "waiting");
        let mut text = others.join(" ");
        if waiting.is_empty() {
            text = format!("waiting {text}");
        }
        self.set_filter(&text);
        Some(Action::Look)
    }

    fn explain(&mut self) -> Option<Action> {
        let task = match self.pane {
            Pane::Tasks => self.chosen_task().map(|task| task.task),
            Pane::Lines => self.next_in_line().map(|(task, _)| task),
            Pane::Workers | Pane::Quotas => None,
        };
        if task.is_none() {
            self.say(
                "Choose a task or a line first: Tab goes to another pane.",
                false,
            );
        }
        task.map(Action::Explain)
    }

    fn ask_to_cancel(&mut self) {
        let found = match self.pane {
            Pane::Tasks => self.chosen_task().map(|task| (task.task, described(task))),
            Pane::Lines => self.next_in_line(),
            Pane::Workers | Pane::Quotas => None,
        };
        let Some((task, what)) = found else {
            return self.say(
                "Choose a task or a line first: Tab goes to another pane.",
                false,
            );
        };
        let tasks = self.seen.iter().flat_map(|seen| &seen.tasks);
        let known = tasks.into_iter().find(|other| other.task == task);
        let stands_for = known.and_then(|task| task.stands_for).unwrap_or(1);
        let what = match stands_for {
            1 => what,
            many => format!("{what}; it stands for {many} submissions"),
        };
        let all = stands_for > 1;
        self.front = Front::Asking { task, what, all };
    }

    fn hold_or_release(&mut self) -> Option<Action> {
        match self.pane {
            Pane::Tasks => {
                let task = self.chosen_task()?;
                let target = Target::Task(task.task);
                let held = (task.reasons.iter()).any(|reason| is_own_hold(&reason.why));
                Some(hold(held, target))
            }
            Pane::Lines => {
                let line = self.chosen_line()?;
                let held = line.state == ResourceState::Held;
                Some(hold(held, Target::Resource(line.resource.clone())))
            }
            Pane::Workers | Pane::Quotas => {
                self.say("Choose a task that waits, or a line, to hold it.", false);
                None
            }
        }
    }

    fn chosen_task(&self) -> Option<&Task> {
        let tasks = rows::tasks(self.seen.as_ref()?, &self.filter);
        tasks.into_iter().nth(self.chosen(Pane::Tasks).row)
    }

    fn chosen_line(&self) -> Option<&Line> {
        let lines = rows::lines(self.seen.as_ref()?, &self.filter);
        lines.into_iter().nth(self.chosen(Pane::Lines).row)
    }

    fn next_in_line(&self) -> Option<(u64, String)> {
        let line = self.chosen_line()?;
        let first = line.first.as_ref()?;
        let what = format!("{} of {}", first.kind, line.resource);
        Some((first.task, what))
    }
}

fn hold(held: bool, target: Target) -> Action {
    match held {
        true => Action::Release(target),
        false => Action::Hold(target),
    }
}

/// Whether the task itself is held, and not what it claims.
fn is_own_hold(why: &Why) -> bool {
    let task = |what: &HoldTarget| matches!(what, HoldTarget::Task(_));
    matches!(why, Why::Held { what } if task(what))
}

/// `sync of repository:f16`.
pub fn described(task: &Task) -> String {
    let kind = task.kind.as_deref().unwrap_or("a task");
    match task.resources.first() {
        Some(claim) => format!("{kind} of {}", claim.resource),
        None => kind.to_owned(),
    }
}

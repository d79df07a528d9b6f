//! Frames as a person sees them, at several sizes, and what keys do to them.

use super::act::{Action, Said, Target};
use super::fetch::Seen;
use super::keys::described;
use super::once;
use super::rows::Pane;
use super::state::{Front, State};
use interlock_client::Error;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::time::Duration;

/// A namespace in the middle of its work.
fn seen() -> Seen {
    let text = include_str!("tests/seen.json");
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    let part = |name: &str| value[name].clone();
    Seen {
        overview: serde_json::from_value(part("overview")).unwrap(),
        tasks: serde_json::from_value(part("tasks")).unwrap(),
        more_tasks: false,
        workers: serde_json::from_value(part("workers")).unwrap(),
    }
}

/// The same, a second later.
fn later() -> Seen {
    let mut seen = seen();
    let now = seen.overview.now.ms() + 1_000;
    seen.overview.now = interlock_api::Time::from_ms(now);
    seen.overview.totals.accepted += 9;
    seen.overview.totals.started += 7;
    seen.overview.totals.succeeded += 5;
    seen.overview.totals.failed += 1;
    seen
}

fn state() -> State {
    let mut state = State::new("http://127.0.0.1:7420", "");
    state.see(seen());
    state.see(later());
    state
}

fn shown(state: &State, width: u16, height: u16) -> String {
    once::lines(state, width, height).join("\n")
}

fn press(state: &mut State, keys: &str) -> Vec<Action> {
    let code = |c| match c {
        '\t' => KeyCode::Tab,
        '\n' => KeyCode::Enter,
        '⎋' => KeyCode::Esc,
        '⌫' => KeyCode::Backspace,
        '↓' => KeyCode::Down,
        '↑' => KeyCode::Up,
        c => KeyCode::Char(c),
    };
    let keys = keys
        .chars()
        .map(|c| KeyEvent::new(code(c), KeyModifiers::NONE));
    keys.filter_map(|key| state.key(key)).collect()
}

#[test]
fn a_frame_of_a_small_terminal() {
    insta::assert_snapshot!(shown(&state(), 80, 24));
}

#[test]
fn a_frame_of_a_large_terminal() {
    insta::assert_snapshot!(shown(&state(), 140, 45));
}

#[test]
fn a_frame_before_anything_is_known_and_one_of_an_empty_namespace() {
    let mut empty = seen();
    empty.tasks.clear();
    empty.workers.clear();
    empty.overview.counts = Default::default();
    empty.overview.stages.clear();
    empty.overview.lines.clear();
    empty.overview.quotas.clear();
    let mut state = State::new("http://127.0.0.1:7420", "");
    let before = shown(&state, 80, 16);
    state.see(empty);
    insta::assert_snapshot!(format!("{before}\n=====\n{}", shown(&state, 80, 16)));
}

#[test]
fn no_size_of_a_terminal_is_too_small_or_too_large() {
    let mut states = vec![state(), State::new("http://127.0.0.1:7420", "")];
    for (pane, keys) in ["?", "\tc", "c", "/shop", "\t\t", "\t\t\t"]
        .iter()
        .enumerate()
    {
        let mut other = state();
        press(&mut other, keys);
        other.choose(Pane::ALL[pane % 4], 3);
        states.push(other);
    }
    let mut explained = state();
    explained.hear(Said::Explained {
        task: 1,
        lines: vec!["Task 1 waits for 𝄞 wide 漢字 and\u{1b}[31m colours.".repeat(9); 30],
    });
    press(&mut explained, "↓↓↓↓");
    explained.lose(&lost());
    states.push(explained);
    for state in &states {
        let sizes = (1..=200).map(|width| (width, 1 + width * 7 % 60));
        let small = (1..=12).flat_map(|width| (1..=12).map(move |height| (width, height)));
        for (width, height) in sizes.chain(small) {
            let text = shown(state, width, height);
            assert!(!text.contains('\u{1b}'));
        }
    }
}

#[test]
fn what_is_in_front_is_drawn_in_front() {
    let mut state = state();
    press(&mut state, "?");
    let help = shown(&state, 80, 24);
    press(&mut state, "⎋↓c");
    let asking = shown(&state, 80, 24);
    press(&mut state, "n");
    state.hear(Said::Explained {
        task: 17,
        lines: [
            "Task 17 waits for task 12.",
            "",
            "task 17: waiting",
            "└─ Task 12 holds it.",
        ]
        .map(ToOwned::to_owned)
        .to_vec(),
    });
    let explained = shown(&state, 80, 24);
    insta::assert_snapshot!(format!("{help}\n=====\n{asking}\n=====\n{explained}"));
}

#[test]
fn keys_move_between_panes_and_rows() {
    let mut state = state();
    assert_eq!(
        (state.pane, state.chosen(Pane::Tasks).row),
        (Pane::Tasks, 0)
    );
    press(&mut state, "↓↓j");
    assert_eq!(state.chosen(Pane::Tasks).row, 3);
    press(&mut state, "↑k");
    assert_eq!(state.chosen(Pane::Tasks).row, 1);
    press(&mut state, "\t");
    assert_eq!(state.pane, Pane::Lines);
    press(&mut state, "↓↓↓↓↓↓↓↓↓");
    let last = state.seen.as_ref().unwrap().overview.lines.len() - 1;
    assert_eq!(
        state.chosen(Pane::Lines).row,
        last,
        "there is nothing below"
    );
    press(&mut state, "\t\t\t");
    assert_eq!(state.pane, Pane::Tasks, "around");
    state.key(KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT));
    assert_eq!(state.pane, Pane::Quotas);
}

#[test]
fn the_choice_stays_on_what_was_chosen() {
    let mut state = state();
    press(&mut state, "↓↓");
    let chosen = state.chosen(Pane::Tasks).name.clone();
    let mut next = later();
    let gone = state
        .seen
        .as_ref()
        .unwrap()
        .tasks
        .iter()
        .map(|task| task.task)
        .min();
    let before = next.tasks.len();
    next.tasks.retain(|task| Some(task.task) != gone);
    assert_eq!(next.tasks.len(), before - 1);
    state.see(next);
    assert_eq!(state.chosen(Pane::Tasks).name, chosen);
    assert_eq!(state.chosen(Pane::Tasks).row, 1, "one above it has gone");
}

#[test]
fn cancelling_asks_first() {
    let mut state = state();
    press(&mut state, "c");
    let Front::Asking { what, all, .. } = &state.front else {
        panic!("{:?}", state.front);
    };
    assert!(*all && what.contains("3 submissions"), "{what}");
    press(&mut state, "n↓");
    assert_eq!(press(&mut state, "c"), []);
    assert!(matches!(state.front, Front::Asking { all: false, .. }));
    assert_eq!(press(&mut state, "n"), []);
    assert_eq!(state.front, Front::Nothing);
    let task = state.chosen(Pane::Tasks).name.parse().unwrap();
    assert_eq!(
        press(&mut state, "cy"),
        [Action::Cancel { task, all: false }]
    );
    state.hear(Said::Several {
        task,
        text: "It stands for 3 submissions.".to_owned(),
    });
    assert_eq!(press(&mut state, "y"), [Action::Cancel { task, all: true }]);
    press(&mut state, "\t\tc");
    assert_eq!(state.front, Front::Nothing, "no worker can be cancelled");
    assert!(!state.message.as_ref().unwrap().good);
}

#[test]
fn explaining_and_holding() {
    let mut state = state();
    let task = state.chosen(Pane::Tasks).name.parse().unwrap();
    assert_eq!(
        press(&mut state, "e\n"),
        [Action::Explain(task), Action::Explain(task)]
    );
    press(&mut state, "\t");
    let line = state.seen.as_ref().unwrap().overview.lines[0].clone();
    let first = line.first.unwrap().task;
    assert_eq!(press(&mut state, "e"), [Action::Explain(first)]);
    let resource = Target::Resource(line.resource);
    assert_eq!(press(&mut state, "h"), [Action::Hold(resource)]);
    let lines = &state.seen.as_ref().unwrap().overview.lines;
    let vault = lines
        .iter()
        .position(|line| line.resource == "repository:vault");
    state.choose(Pane::Lines, vault.unwrap());
    let vault = Target::Resource("repository:vault".to_owned());
    assert_eq!(press(&mut state, "h"), [Action::Release(vault)]);
}

#[test]
fn a_filter_is_typed_and_cleared() {
    let mut state = state();
    assert_eq!(press(&mut state, "/shqp⌫⌫op:q"), []);
    assert_eq!(
        state.front,
        Front::Typing("shop:q".to_owned()),
        "q is a letter here"
    );
    assert_eq!(press(&mut state, "⌫42\n"), [Action::Look]);
    assert_eq!(state.wanted().resource.as_deref(), Some("shop:42"));
    assert_eq!(state.wanted().state, "running");
    press(&mut state, "⎋");
    assert!(state.filter.is_empty());
    press(&mut state, "/waiting sync\n");
    assert_eq!(state.wanted().state, "waiting");
    assert_eq!(
        state.wanted().kind.as_deref(),
        Some("sync"),
        "a kind that is known"
    );
    press(&mut state, "w");
    assert_eq!(state.filter.text(), "sync");
    press(&mut state, "w");
    assert_eq!(state.filter.text(), "waiting sync");
    press(&mut state, "/⎋");
    assert_eq!(
        state.filter.text(),
        "waiting sync",
        "Esc leaves the old one"
    );
}

#[test]
fn a_filter_hides_what_does_not_fit() {
    let mut state = state();
    press(&mut state, "/SHOP\n");
    let text = shown(&state, 140, 45);
    assert!(text.contains("shop:42"), "{text}");
    assert!(!text.contains("repository:f1"), "{text}");
}

#[test]
fn a_view_that_stands_still_shows_what_it_showed() {
    let mut state = state();
    press(&mut state, "p");
    let before = shown(&state, 140, 45);
    assert!(before.contains("paused"));
    let mut next = later();
    next.tasks.clear();
    state.see(next.clone());
    assert!(
        state
            .seen
            .as_ref()
            .is_some_and(|seen| !seen.tasks.is_empty())
    );
    assert_eq!(press(&mut state, "p"), [Action::Look]);
    state.see(next);
    assert!(shown(&state, 140, 45).contains("Nothing runs."));
}

fn lost() -> Error {
    Error::Timeout {
        server: "http://127.0.0.1:7420".to_owned(),
        after: Duration::from_secs(10),
    }
}

#[test]
fn a_lost_connection_is_shown_and_heals() {
    let mut state = state();
    state.lose(&lost());
    let text = shown(&state, 100, 30);
    assert!(text.contains("no connection"), "{text}");
    assert!(text.contains("trying again"), "{text}");
    assert!(
        text.contains("repository:f12"),
        "what was seen stays: {text}"
    );
    state.see(later());
    let text = shown(&state, 100, 30);
    assert!(
        text.contains("live") && !text.contains("trying again"),
        "{text}"
    );
}

#[test]
fn a_message_goes_away() {
    let mut state = state();
    state.hear(Said::Done("Task 1 is cancelled.".to_owned()));
    assert!(shown(&state, 100, 30).contains("Task 1 is cancelled."));
    (0..10).for_each(|_| state.tick());
    assert!(!shown(&state, 100, 30).contains("Task 1 is cancelled."));
}

#[test]
fn what_strangers_write_does_not_steer_the_terminal() {
    let mut state = state();
    let text = "\u{1b}]0;pwned\u{7}\u{202e}turned".to_owned();
    state.hear(Said::Failed(text));
    let text = shown(&state, 100, 30);
    let expected = "\u{fffd}]0;pwned\u{fffd}\u{fffd}turned";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn quitting() {
    for keys in ["q", "?q"] {
        assert_eq!(press(&mut state(), keys), [Action::Quit]);
    }
    let mut state = state();
    press(&mut state, "/");
    let key = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(state.key(key), Some(Action::Quit));
}

#[test]
fn a_task_in_a_few_words() {
    let seen = seen();
    assert_eq!(described(&seen.tasks[0]), "sync of repository:f12");
}

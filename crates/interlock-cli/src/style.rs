//! Colours: only on a terminal, and never with `NO_COLOR`.

use console::{StyledObject, style};
use interlock_api::task::State;
use std::io::IsTerminal;

/// Looks once whether colours are wanted.
pub fn start() {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    console::set_colors_enabled(wanted && std::io::stdout().is_terminal());
    console::set_colors_enabled_stderr(wanted && std::io::stderr().is_terminal());
}

/// Something went wrong.
pub fn error(text: &str) -> StyledObject<&str> {
    style(text).for_stderr().red().bold()
}

/// Something may go wrong.
pub fn warning(text: &str) -> StyledObject<&str> {
    style(text).for_stderr().yellow().bold()
}

/// Something may help.
pub fn hint(text: &str) -> StyledObject<&str> {
    style(text).for_stderr().cyan()
}

/// A heading.
pub fn heading(text: &str) -> StyledObject<&str> {
    style(text).bold()
}

/// A verdict that is good.
pub fn good(text: &str) -> StyledObject<&str> {
    style(text).green()
}

/// A verdict that means waiting.
pub fn waiting(text: &str) -> StyledObject<&str> {
    style(text).yellow()
}

/// A verdict that is bad.
pub fn bad(text: &str) -> StyledObject<&str> {
    style(text).red()
}

/// The state of a task.
pub fn state(state: State) -> String {
    let text = crate::word::text(&state);
    let shown = match state {
        State::Waiting => waiting(&text),
        State::Running => style(text.as_str()).cyan(),
        State::Succeeded => good(&text),
        State::Failed => bad(&text),
        State::Cancelled => style(text.as_str()).dim(),
    };
    shown.to_string()
}

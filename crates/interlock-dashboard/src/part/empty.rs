//! What is said where there is nothing: why, and what to do about it.

use super::command;
use crate::viewer::Viewer;
use maud::{Markup, html};

/// Nothing is there, and these commands would change that.
pub(crate) fn empty(viewer: &Viewer, title: &str, text: &str, commands: &[&str]) -> Markup {
    html! {
        div.empty {
            p.empty-title { (title) }
            p.muted { (text) }
            @if !commands.is_empty() { (command::lines(viewer, commands)) }
        }
    }
}

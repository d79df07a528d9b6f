//! A button that asks first. It opens in place, so it works without a script.

use super::button;
use crate::viewer::Viewer;
use maud::{Markup, html};

/// What is about to be done.
pub(crate) struct Confirm<'a> {
    /// The button that asks.
    pub(crate) label: &'a str,
    /// What is asked.
    pub(crate) question: &'a str,
    /// The button that does it.
    pub(crate) yes: &'a str,
    /// Where the form goes.
    pub(crate) action: &'a str,
    /// What goes along.
    pub(crate) fields: &'a [(&'a str, &'a str)],
}

/// A button that asks first.
pub(crate) fn confirm(viewer: &Viewer, confirm: &Confirm<'_>) -> Markup {
    html! {
        details.confirm {
            summary.button { (confirm.label) }
            div.question {
                p { (confirm.question) }
                (button::button(viewer, confirm.action, confirm.yes, "danger", confirm.fields))
            }
        }
    }
}

//! Buttons that change something: a form each, so that they work without a script.

use crate::viewer::Viewer;
use maud::{Markup, html};

/// One button. `fields` go along; it comes back to the page that it is on.
pub(crate) fn button(
    viewer: &Viewer,
    action: &str,
    label: &str,
    tone: &str,
    fields: &[(&str, &str)],
) -> Markup {
    html! {
        form.inline method="post" action=(viewer.to(action)) {
            (back(viewer))
            @for (name, value) in fields {
                input type="hidden" name=(name) value=(value);
            }
            button class=[(!tone.is_empty()).then_some(tone)] type="submit" { (label) }
        }
    }
}

/// The field that says where to come back to.
pub(crate) fn back(viewer: &Viewer) -> Markup {
    html! { input type="hidden" name="back" value=(viewer.here()); }
}

//! The way to the next page of a list.

use crate::url;
use crate::viewer::Viewer;
use maud::{Markup, html};

/// Links to the first and the next page; `filters` are kept.
pub(crate) fn more(
    viewer: &Viewer,
    path: &str,
    filters: &[(&str, &str)],
    first: bool,
    next: Option<&str>,
) -> Markup {
    let to = |cursor: &str| {
        let pairs = filters.iter().copied().chain([("cursor", cursor)]);
        viewer.to(path) + &url::query(pairs)
    };
    html! {
        @if !first || next.is_some() {
            nav.more aria-label="Pages of this list" {
                @if !first { a.button href=(to("")) { "First page" } }
                @if let Some(next) = next { a.button rel="next" href=(to(next)) { "Next page" } }
            }
        }
    }
}

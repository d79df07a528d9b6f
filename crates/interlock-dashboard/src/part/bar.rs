//! Progress: a bar, a number, and when it will be done.

use super::number::grouped;
use super::time;
use interlock_api::Time;
use interlock_api::progress::ShownProgress;
use maud::{Markup, html};

/// A bar of so much of so much. Its width is an attribute, since a page may have no style of its own.
pub(crate) fn meter(tone: &str, part: u64, of: u64, label: &str) -> Markup {
    let width = match of {
        0 => 0.0,
        of => (part.min(of) as f64) / (of as f64) * 100.0,
    };
    html! {
        svg.bar.(tone) viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label=(label) {
            rect.bar-ground width="100" height="6" {}
            rect.bar-fill width=(format!("{width:.2}")) height="6" {}
        }
    }
}

/// How far a run is.
pub(crate) fn progress(progress: Option<&ShownProgress>, now: Time) -> Markup {
    let Some(progress) = progress else {
        return html! { span.muted { "no progress told" } };
    };
    let done = match progress.total {
        Some(total) => format!("{} of {}", grouped(progress.done), grouped(total)),
        None => grouped(progress.done),
    };
    let done = format!("{done} {}", progress.unit);
    let done = done.trim();
    html! {
        div.progress {
            @if let Some(percent) = progress.percent {
                (meter("run", percent.into(), 100, &format!("{percent} percent")))
                span.percent { (percent) " %" }
            }
            span.muted.done { (done) }
            @if let Some(end) = progress.estimated_end {
                span.muted.eta { "done " (time::until(end, now)) }
            }
            @if !progress.message.is_empty() {
                span.muted.said { (progress.message) }
            }
        }
    }
}

//! Why a task waits, as a drawing: each cause below what it keeps waiting, down to what runs.

use crate::part::{badge, bar, link};
use crate::viewer::Viewer;
use interlock_api::explain::{Cause, Explanation, Link, Place};
use interlock_api::reason::{Brief, Why};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Causes of one task that are drawn; the rest is counted.
const WIDE: usize = 8;

/// The chain of causes of a task. Whoever stands in the way twice is drawn once.
pub(crate) fn draw(viewer: &Viewer, explanation: &Explanation) -> Markup {
    let mut drawn = BTreeSet::from([explanation.task]);
    html! {
        div.chain {
            (causes(viewer, &explanation.causes, &mut drawn))
            (places(viewer, &explanation.places))
        }
    }
}

fn causes(viewer: &Viewer, causes: &[Cause], drawn: &mut BTreeSet<u64>) -> Markup {
    drawn.extend(
        causes
            .iter()
            .filter_map(|cause| Some(culprit(&cause.why)?.task)),
    );
    html! {
        ol.causes {
            @for (at, one) in causes.iter().take(WIDE).enumerate() {
                li data-key={ "cause-" (at) } { (cause(viewer, one, drawn)) }
            }
            @if causes.len() > WIDE {
                li.muted data-key="more" { "and " (causes.len() - WIDE) " more" }
            }
        }
    }
}

fn cause(viewer: &Viewer, cause: &Cause, drawn: &mut BTreeSet<u64>) -> Markup {
    let brief = culprit(&cause.why);
    html! {
        div.cause {
            div.cause-head {
                (badge::why(&cause.why))
                @if let Some(brief) = brief {
                    " " (how(&cause.why)) " " (link::task(viewer, brief.task)) " " strong { (brief.kind) }
                }
                @if let Some(resource) = resource(&cause.why) { " on " (link::resource(viewer, resource)) }
            }
            p.cause-said { (cause.sentence) }
            @if let Some(brief) = brief.filter(|brief| brief.progress.is_some()) {
                (bar::progress(brief.progress.as_ref(), viewer.now))
            }
        }
        @if let Some(then) = &cause.then { (next(viewer, then, drawn)) }
    }
}

/// What keeps the task behind a cause from being done: in full what is new, the rest by number.
fn next(viewer: &Viewer, then: &Link, drawn: &mut BTreeSet<u64>) -> Markup {
    let is_known =
        |cause: &&Cause| culprit(&cause.why).is_some_and(|brief| drawn.contains(&brief.task));
    let (known, fresh): (Vec<&Cause>, Vec<&Cause>) = then.causes.iter().partition(is_known);
    let known: BTreeSet<u64> = (known.iter())
        .filter_map(|cause| Some(culprit(&cause.why)?.task))
        .collect();
    let fresh: Vec<Cause> = fresh.into_iter().cloned().collect();
    html! {
        @if !known.is_empty() {
            p.because {
                "Task " (then.task) " waits for "
                @for (at, task) in known.iter().enumerate() {
                    @if at > 0 { ", " }
                    (link::task(viewer, *task))
                }
                " too."
            }
        }
        @if !fresh.is_empty() {
            p.because { "Task " (then.task) " itself waits, because" }
            (causes(viewer, &fresh, drawn))
        }
    }
}

fn places(viewer: &Viewer, places: &[Place]) -> Markup {
    html! {
        @for place in places {
            p.muted {
                @match (place.ahead, place.at_least) {
                    (0, _) => { "First in the line of " },
                    (1, false) => { "One task goes first in the line of " },
                    (ahead, false) => { (ahead) " tasks go first in the line of " },
                    (ahead, true) => { "At least " (ahead) " tasks go first in the line of " },
                }
                (link::resource(viewer, &place.resource)) "."
            }
        }
    }
}

/// How the task that a cause names stands in the way.
fn how(why: &Why) -> &'static str {
    match why {
        Why::Ahead { .. } | Why::Behind { .. } => "behind",
        Why::Dependent { .. } => "on",
        _ => "by",
    }
}

/// The task that a cause names.
fn culprit(why: &Why) -> Option<&Brief> {
    match why {
        Why::HeldBy { by, .. }
        | Why::Ahead { by, .. }
        | Why::Behind { by, .. }
        | Why::Doomed { by, .. }
        | Why::FutureDecided { by, .. } => Some(by),
        Why::Dependent { on } => Some(on),
        _ => None,
    }
}

/// The resource that a cause is about.
fn resource(why: &Why) -> Option<&str> {
    match why {
        Why::HeldBy { resource, .. }
        | Why::Ahead { resource, .. }
        | Why::Behind { resource, .. }
        | Why::Doomed { resource, .. }
        | Why::FutureDecided { resource, .. }
        | Why::EarlierItem { resource, .. } => Some(resource),
        Why::Throttled { resource, .. } => resource.as_deref(),
        _ => None,
    }
}

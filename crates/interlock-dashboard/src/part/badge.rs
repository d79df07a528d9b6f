//! States as a word with a shape: never by colour alone.

use super::icon;
use interlock_api::reason::Why;
use interlock_api::resource::ResourceState;
use interlock_api::task::State;
use maud::{Markup, html};

/// A word with the shape and colour of its tone: `run`, `wait`, `good`, `bad`, `hold` or `off`.
pub(crate) fn badge(tone: &str, word: &str) -> Markup {
    html! { span.badge.(tone) { (icon::shape(tone)) (word) } }
}

/// The state of a task.
pub(crate) fn state(state: State) -> Markup {
    match state {
        State::Waiting => badge("wait", "waiting"),
        State::Running => badge("run", "running"),
        State::Succeeded => badge("good", "succeeded"),
        State::Failed => badge("bad", "failed"),
        State::Cancelled => badge("off", "cancelled"),
    }
}

/// The state of a resource.
pub(crate) fn resource(state: ResourceState) -> Markup {
    match state {
        ResourceState::Idle => badge("off", "idle"),
        ResourceState::Busy => badge("run", "busy"),
        ResourceState::Queued => badge("wait", "queued"),
        ResourceState::Failing => badge("bad", "failing"),
        ResourceState::Held => badge("hold", "held"),
    }
}

/// Why a task waits, in one or two words.
pub(crate) fn why(why: &Why) -> Markup {
    let (tone, word) = match why {
        Why::Scheduled { .. } => ("wait", "scheduled"),
        Why::Gathering { .. } => ("wait", "gathering"),
        Why::Retrying { .. } => ("bad", "retrying"),
        Why::HeldBy { .. } => ("wait", "blocked"),
        Why::Ahead { .. } => ("wait", "in line"),
        Why::Behind { .. } => ("wait", "outside"),
        Why::Doomed { .. } => ("bad", "doomed"),
        Why::FutureDecided { .. } | Why::EarlierItem { .. } => ("bad", "impossible"),
        Why::Throttled { .. } => ("wait", "throttled"),
        Why::Dependent { .. } => ("wait", "dependent"),
        Why::DependencyFailed { .. } => ("bad", "dependency failed"),
        Why::Held { .. } => ("hold", "held"),
        Why::NoWorker { .. } => ("bad", "no worker"),
        Why::Ready => ("run", "ready"),
    };
    badge(tone, word)
}

//! The kinds of the story.

use crate::args::Speed;
use interlock_api::Span;
use interlock_api::kind::{Coalesce, KindPolicy, PayloadRule, Retry, Waits};

/// All of them, by name.
pub fn all(speed: Speed) -> [(&'static str, KindPolicy); 4] {
    [
        ("applicability", applicability(speed)),
        ("import", import(speed)),
        ("queue-removal", queue_removal(speed)),
        ("register", register(speed)),
    ]
}

/// How long the first event of a flurry waits for more.
pub fn gather(speed: Speed) -> Span {
    speed.of_seconds(3)
}

/// Which updates apply to a host. Events are lists of numbers, and become one list.
pub fn applicability(speed: Speed) -> KindPolicy {
    KindPolicy {
        coalesce: Some(Coalesce {
            payload: PayloadRule::Append,
            gather: gather(speed),
        }),
        ..kind(speed)
    }
}

/// How long a host that went away keeps its queue.
pub fn removal_after(speed: Speed) -> Span {
    speed.of_minutes(10)
}

/// Removes the queue of a host; submitted to be due later.
pub fn queue_removal(speed: Speed) -> KindPolicy {
    kind(speed)
}

/// A host registers: the removal of its queue is off.
pub fn register(speed: Speed) -> KindPolicy {
    KindPolicy {
        cancels: vec!["queue-removal".to_owned()],
        ..kind(speed)
    }
}

/// How long a failed import waits for its next try.
pub fn import_wait(speed: Speed) -> Span {
    speed.of_minutes(5)
}

/// For how long an import is tried at all.
pub fn import_window(speed: Speed) -> Span {
    speed.of_minutes(6 * 60)
}

/// Imports what a host has installed, from a service that is not always there.
pub fn import(speed: Speed) -> KindPolicy {
    KindPolicy {
        retry: Some(Retry {
            waits: Some(Waits::Ladder(vec![import_wait(speed)])),
            window: Some(import_window(speed)),
            tries: None,
        }),
        ..kind(speed)
    }
}

fn kind(speed: Speed) -> KindPolicy {
    KindPolicy {
        lease: Some(speed.lease()),
        ..KindPolicy::default()
    }
}

//! How many of what there are.

use crate::status::Counts;
use interlock_core::view;

/// How many of what there are.
pub fn counts(counts: &view::Counts) -> Counts {
    Counts {
        waiting: counts.waiting,
        running: counts.running,
        resources: counts.resources,
        sessions: counts.sessions,
        idle_workers: counts.parked_takes,
    }
}

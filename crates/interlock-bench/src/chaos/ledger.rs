//! What was acknowledged and what ran, as seen from outside, and how long nobody answered.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Default)]
pub(super) struct Ledger {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    acknowledged: BTreeSet<u64>,
    /// Who works on a resource right now.
    working: BTreeMap<String, u64>,
    ran: BTreeSet<u64>,
    /// By trouble, how long nobody answered.
    away: BTreeMap<&'static str, Vec<Duration>>,
    violations: Vec<String>,
}

impl Ledger {
    /// A server says that this is a task.
    pub(super) fn submitted(&self, task: u64) {
        self.lock().acknowledged.insert(task);
    }

    /// A run begins.
    pub(super) fn begins(&self, task: u64, resource: &str) {
        let mut inner = self.lock();
        if let Some(other) = inner.working.insert(resource.to_owned(), task) {
            let violation = format!("tasks {other} and {task} run on {resource} at the same time");
            inner.violations.push(violation);
        }
    }

    /// A run is over, whichever way.
    pub(super) fn stops(&self, task: u64, resource: &str) {
        let mut inner = self.lock();
        inner.working.remove(resource);
        inner.ran.insert(task);
    }

    /// Nobody answered for so long, where so much is allowed.
    pub(super) fn note(&self, trouble: &'static str, away: Duration, allowed: Duration) {
        self.lock().away.entry(trouble).or_default().push(away);
        if away > allowed {
            self.violation(format!(
                "{trouble}: nobody answered for {:.1} s",
                away.as_secs_f64()
            ));
        }
    }

    /// Something that must not be.
    pub(super) fn violation(&self, what: String) {
        self.lock().violations.push(what);
    }

    pub(super) fn acknowledged(&self) -> Vec<u64> {
        self.lock().acknowledged.iter().copied().collect()
    }

    pub(super) fn has_run(&self, task: u64) -> bool {
        self.lock().ran.contains(&task)
    }

    pub(super) fn violations(&self) -> Vec<String> {
        self.lock().violations.clone()
    }

    /// Prints what happened.
    pub(super) fn show(&self) {
        let inner = self.lock();
        println!("{:<58} rounds   p50 s   max s", "seconds without an answer");
        for (trouble, away) in &inner.away {
            let mut away = away.clone();
            away.sort_unstable();
            let (half, most) = (away[away.len() / 2], away[away.len() - 1]);
            println!(
                "  {trouble:<56} {:>6} {:>7.2} {:>7.2}",
                away.len(),
                half.as_secs_f64(),
                most.as_secs_f64()
            );
        }
        for violation in &inner.violations {
            println!("VIOLATION: {violation}");
        }
        println!(
            "submissions acknowledged: {}, tasks run: {}, violations: {}",
            inner.acknowledged.len(),
            inner.ran.len(),
            inner.violations.len()
        );
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

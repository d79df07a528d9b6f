//! What was acknowledged, as seen from outside.

use crate::wire::{Connection, get};
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Mutex;

#[derive(Default)]
pub(super) struct Ledger {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Tasks that the server acknowledged, and whether their success was.
    tasks: BTreeMap<u64, bool>,
    /// Who works on a resource right now: the token of the run.
    working: BTreeMap<String, String>,
    runs: u64,
    violations: Vec<String>,
}

impl Ledger {
    /// The server says that this is a task.
    pub(super) fn submitted(&self, task: u64) {
        self.lock().tasks.entry(task).or_insert(false);
    }

    /// A worker begins with a run.
    pub(super) fn begins(&self, task: u64, token: &str, resource: &str) {
        let mut inner = self.lock();
        inner.runs += 1;
        if inner.tasks.get(&task) == Some(&true) {
            let violation = format!("task {task} runs again after its success was acknowledged");
            inner.violations.push(violation);
        }
        let other = inner.working.insert(resource.to_owned(), token.to_owned());
        if let Some(other) = other {
            let violation = format!("runs {other} and {token} work on {resource} at the same time");
            inner.violations.push(violation);
        }
    }

    /// A worker has stopped working on a run.
    pub(super) fn stops(&self, resource: &str) {
        self.lock().working.remove(resource);
    }

    /// The server says that the task has succeeded.
    pub(super) fn succeeded(&self, task: u64) {
        self.lock().tasks.insert(task, true);
    }

    /// Something that must not be.
    pub(super) fn violation(&self, what: String) {
        self.lock().violations.push(what);
    }

    pub(super) fn is_drained(&self) -> bool {
        self.lock().tasks.values().all(|succeeded| *succeeded)
    }

    pub(super) fn acknowledged(&self) -> usize {
        self.lock().tasks.len()
    }

    pub(super) fn runs(&self) -> u64 {
        self.lock().runs
    }

    pub(super) fn violations(&self) -> Vec<String> {
        self.lock().violations.clone()
    }

    /// Asks the server for every task that it acknowledged.
    pub(super) async fn compare(&self, address: SocketAddr) -> anyhow::Result<()> {
        let tasks: Vec<(u64, bool)> = self.lock().tasks.clone().into_iter().collect();
        let mut connection = Connection::open(address).await?;
        for (task, succeeded) in tasks {
            let (status, body) = connection.ask(&get(&format!("/v1/tasks/{task}"))).await?;
            let shown: Value = serde_json::from_slice(body)?;
            let state = shown["state"].as_str().unwrap_or("nothing").to_owned();
            if status != 200 || state != "succeeded" || !succeeded {
                self.violation(format!(
                    "task {task} was acknowledged (its success: {succeeded}); the server says {status}, {state}"
                ));
            }
        }
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

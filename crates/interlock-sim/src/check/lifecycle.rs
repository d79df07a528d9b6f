//! What the end of a lifecycle task does to others: a delete that succeeds cancels what waits, but for a
//! queued create and what came after that; a create that does not succeed cancels what came after it.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step, TaskRow};
use interlock_core::event::{EndWhy, Event, Then};
use interlock_core::words::{Op, Outcome, ResourceName, TaskId};
use std::collections::{BTreeMap, BTreeSet};

/// Watches the ends of lifecycle tasks.
#[derive(Default)]
pub struct Lifecycle {
    /// What must end, by the lifecycle task that decided it and the resource.
    doomed: BTreeMap<(TaskId, ResourceName), BTreeSet<TaskId>>,
    /// Not yet swept.
    pending: BTreeSet<(TaskId, ResourceName)>,
}

impl Checker for Lifecycle {
    fn name(&self) -> &'static str {
        "lifecycle"
    }

    fn event(&mut self, ledger: &Ledger, _: &Step, _: u64, event: &Event, found: &mut Findings) {
        match event {
            Event::RunEnded(ended) => {
                let task = ledger
                    .run(ended.token)
                    .and_then(|run| ledger.tasks.get(&run.task));
                if let (Some(task), Then::Done { outcome, .. }) = (task, &ended.then) {
                    self.task_ends(ledger, task, *outcome);
                }
            }
            Event::Ended {
                task, outcome, why, ..
            } => {
                if let Some(task) = ledger.tasks.get(task) {
                    self.task_ends(ledger, task, *outcome);
                }
                self.is_meant(*task, why, found);
            }
            Event::Started(started) => {
                let doomed = self
                    .pending
                    .iter()
                    .find(|key| self.doomed[*key].contains(&started.task));
                found.expect(doomed.is_none(), || {
                    format!(
                        "task {} starts though {doomed:?} cancelled it",
                        started.task
                    )
                });
            }
            _ => {}
        }
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        if self.pending.is_empty() || step.more || !ledger.is_settled() {
            return;
        }
        for key in std::mem::take(&mut self.pending) {
            let left = self.doomed[&key]
                .iter()
                .find(|id| ledger.tasks.contains_key(id));
            found.expect(left.is_none(), || {
                format!("task {left:?} waits on though {key:?} should have cancelled it")
            });
        }
    }
}

impl Lifecycle {
    fn task_ends(&mut self, ledger: &Ledger, task: &TaskRow, outcome: Outcome) {
        for (resource, op) in &task.claims {
            let success = outcome == Outcome::Succeeded;
            let doomed = match op {
                Op::Delete if success => deleted(ledger, task, resource),
                Op::Create if !success && task.arrived => not_created(ledger, task, resource),
                _ => continue,
            };
            let key = (task.id, resource.clone());
            self.pending.insert(key.clone());
            self.doomed.insert(key, doomed);
        }
    }

    fn is_meant(&self, task: TaskId, why: &EndWhy, found: &mut Findings) {
        let (EndWhy::ResourceDeleted { resource, by }
        | EndWhy::ResourceNotCreated { resource, by }) = why
        else {
            return;
        };
        let meant = self.doomed.get(&(*by, resource.clone()));
        found.expect(meant.is_some_and(|doomed| doomed.contains(&task)), || {
            format!("task {task} was cancelled by {why:?}, which does not concern it")
        });
    }
}

fn waiting<'a>(
    ledger: &'a Ledger,
    task: &TaskRow,
    resource: &ResourceName,
) -> impl Iterator<Item = &'a TaskRow> {
    let ids = ledger.resources.get(resource).map(|row| &row.tasks);
    let own = task.id;
    ids.into_iter()
        .flatten()
        .filter_map(|id| ledger.tasks.get(id))
        .filter(move |other| other.id != own && !other.is_running())
}

fn deleted(ledger: &Ledger, task: &TaskRow, resource: &ResourceName) -> BTreeSet<TaskId> {
    let chain = ledger
        .resources
        .get(resource)
        .map_or(&[][..], |row| &row.chain);
    let creates = |id: &&TaskId| ledger.tasks[*id].op_on(resource) == Some(Op::Create);
    let queued = chain.iter().filter(|id| **id != task.id).find(creates);
    let submitted = ledger.resources.get(resource).and_then(|row| {
        row.tasks
            .range(task.id..)
            .filter(|id| **id != task.id)
            .find(creates)
    });
    let create = queued.into_iter().chain(submitted).min();
    waiting(ledger, task, resource)
        .filter(|other| other.op_on(resource) != Some(Op::Create))
        .filter(|other| create.is_none_or(|create| other.id < *create))
        .map(|other| other.id)
        .collect()
}

fn not_created(ledger: &Ledger, task: &TaskRow, resource: &ResourceName) -> BTreeSet<TaskId> {
    let chain = ledger
        .resources
        .get(resource)
        .map_or(&[][..], |row| &row.chain);
    let at = chain.iter().position(|id| *id == task.id);
    let later = at.map_or(&[][..], |at| &chain[at + 1..]);
    let next = later.iter().find(|id| **id > task.id);
    waiting(ledger, task, resource)
        .filter(|other| other.id > task.id && next.is_none_or(|next| other.id < *next))
        .map(|other| other.id)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::{Story, done, ended, success};
    use crate::scenery::resource;

    fn delete_succeeds(story: &mut Story) {
        story
            .admit(1, &[("a:1", Op::Delete)])
            .admit(2, &[("a:1", Op::Update)]);
        let token = story.start(1, 2);
        story.end(token, success(), done(Outcome::Succeeded, EndWhy::Success));
    }

    #[test]
    fn nobody_waits_on_for_what_was_deleted() {
        let mut story = Story::new(Lifecycle::default());
        delete_succeeds(&mut story);
        story.caught("should have cancelled it");
    }

    #[test]
    fn what_came_after_a_queued_create_stays() {
        let mut story = Story::new(Lifecycle::default());
        story
            .admit(1, &[("a:1", Op::Delete)])
            .admit(2, &[("a:1", Op::Create)]);
        story.admit(3, &[("a:1", Op::Update)]);
        let token = story.start(1, 2);
        story
            .end(token, success(), done(Outcome::Succeeded, EndWhy::Success))
            .fine();
        let why = EndWhy::ResourceDeleted {
            resource: resource("a:1"),
            by: TaskId(1),
        };
        story.events(vec![ended(3, Outcome::Cancelled, why)]);
        story.caught("does not concern it");
    }
}

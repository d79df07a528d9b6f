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
    /// What ran when a create ended, and would have had to end if it had waited. If such a run is
    /// given up before the sweep has come by, its task waits and is swept as well.
    running: BTreeMap<(TaskId, ResourceName), BTreeSet<TaskId>>,
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
            let key = (task.id, resource.clone());
            let doomed = match op {
                Op::Delete if success => deleted(ledger, task, resource),
                Op::Create if !success && task.arrived => {
                    let (running, waiting) = not_created(ledger, task, resource);
                    self.running.insert(key.clone(), running);
                    waiting
                }
                _ => continue,
            };
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
        let key = (*by, resource.clone());
        let mut meant = [&self.doomed, &self.running].into_iter();
        let meant = meant.any(|by_end| by_end.get(&key).is_some_and(|ids| ids.contains(&task)));
        found.expect(meant, || {
            format!("task {task} was cancelled by {why:?}, which does not concern it")
        });
    }
}

fn others<'a>(
    ledger: &'a Ledger,
    task: &TaskRow,
    resource: &ResourceName,
) -> impl Iterator<Item = &'a TaskRow> {
    let ids = ledger.resources.get(resource).map(|row| &row.tasks);
    let own = task.id;
    ids.into_iter()
        .flatten()
        .filter_map(|id| ledger.tasks.get(id))
        .filter(move |other| other.id != own)
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
    others(ledger, task, resource)
        .filter(|other| !other.is_running())
        .filter(|other| other.op_on(resource) != Some(Op::Create))
        .filter(|other| create.is_none_or(|create| other.id < *create))
        .map(|other| other.id)
        .collect()
}

/// What came after a create: first what runs, then what waits.
fn not_created(
    ledger: &Ledger,
    task: &TaskRow,
    resource: &ResourceName,
) -> (BTreeSet<TaskId>, BTreeSet<TaskId>) {
    let chain = ledger
        .resources
        .get(resource)
        .map_or(&[][..], |row| &row.chain);
    let at = chain.iter().position(|id| *id == task.id);
    let later = at.map_or(&[][..], |at| &chain[at + 1..]);
    let next = later.iter().find(|id| **id > task.id);
    others(ledger, task, resource)
        .filter(|other| other.id > task.id && next.is_none_or(|next| other.id < *next))
        .map(|other| other.id)
        .partition(|id| ledger.tasks[id].is_running())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::{Story, done, ended, spot, success, wait};
    use crate::scenery::resource;
    use interlock_core::event::{RunEnd, Stage};

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
    fn only_what_ran_then_may_end_for_a_create_later() {
        let mut story = Story::new(Lifecycle::default());
        story
            .admit_with(1, &[("a:1", Op::Create)], |task| {
                task.to = Stage::Outside(Default::default());
            })
            .admit(2, &[("a:1", Op::Read)]);
        let token = story.start(2, 2);
        story.events(vec![ended(1, Outcome::Cancelled, EndWhy::NotStartedInTime)]);
        story.end(token, RunEnd::Lost, wait(Stage::InLine, spot(2)));
        story.admit(3, &[("a:1", Op::Read)]);
        let why = EndWhy::ResourceNotCreated {
            resource: resource("a:1"),
            by: TaskId(1),
        };
        story.events(vec![ended(2, Outcome::Cancelled, why.clone())]);
        story.fine();
        story.events(vec![ended(3, Outcome::Cancelled, why)]);
        story.caught("does not concern it");
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

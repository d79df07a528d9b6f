//! Who claims a resource: derived from the tasks, and kept up as they move.

use super::ledger::Ledger;
use super::rows::TaskRow;
use interlock_core::event::Stage;
use interlock_core::words::{Op, ResourceName, TaskId};
use std::collections::{BTreeMap, BTreeSet};

/// A resource.
#[derive(Clone, Debug, Default)]
pub struct ResourceRow {
    /// Live tasks that claim it.
    pub tasks: BTreeSet<TaskId>,
    /// Those in line, best first, with what they do.
    pub line: BTreeMap<(i64, u64), (TaskId, Op)>,
    /// Those that run.
    pub holders: Vec<(TaskId, Op)>,
    /// Pending lifecycle tasks, in order of arrival.
    pub chain: Vec<TaskId>,
}

impl ResourceRow {
    fn holder_against(&self, task: TaskId, op: Op) -> Option<TaskId> {
        let conflicts = |(id, held): &&(TaskId, Op)| *id != task && held.conflicts(op);
        self.holders.iter().find(conflicts).map(|(id, _)| *id)
    }

    fn ahead_of(&self, task: TaskId, op: Op, order: (i64, u64)) -> Option<TaskId> {
        self.line
            .range(..order)
            .map(|(_, ahead)| *ahead)
            .find(|(id, ahead)| *id != task && ahead.conflicts(op))
            .map(|(id, _)| id)
    }
}

/// What keeps a task in line from being ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A run holds a resource.
    Holder(TaskId),
    /// A task is ahead.
    Ahead(TaskId),
}

impl Ledger {
    /// What keeps a task from being ready, if it stood in line with its present spot.
    pub fn obstacle(&self, task: &TaskRow) -> Option<Obstacle> {
        self.obstacle_to(task.id, &task.claims, task.order())
    }

    /// What would keep a task with these claims and this place in the order from being ready.
    pub fn obstacle_to(
        &self,
        task: TaskId,
        claims: &[(ResourceName, Op)],
        order: (i64, u64),
    ) -> Option<Obstacle> {
        claims.iter().find_map(|(resource, op)| {
            let row = self.resources.get(resource)?;
            row.holder_against(task, *op)
                .map(Obstacle::Holder)
                .or_else(|| row.ahead_of(task, *op, order).map(Obstacle::Ahead))
        })
    }

    /// Takes a task out of the indexes that its stage puts it in.
    pub(super) fn unlist(&mut self, task: &TaskRow) {
        match task.stage {
            Stage::InLine => {
                self.kind_line(task).remove(&task.order());
                for (resource, _) in &task.claims {
                    self.row(resource).line.remove(&task.order());
                }
            }
            Stage::Running { .. } => {
                for (resource, _) in &task.claims {
                    self.row(resource).holders.retain(|(id, _)| *id != task.id);
                }
            }
            Stage::Throttled { ref instance } => {
                if let Some(queue) = self.queues.get_mut(instance) {
                    queue.remove(&task.order());
                }
            }
            _ => {}
        }
    }

    /// Puts a task into the indexes that its stage asks for. False if its spot is taken.
    pub(super) fn list(&mut self, task: &TaskRow) -> bool {
        match task.stage {
            Stage::InLine => {
                let mut alone = self.kind_line(task).insert(task.order(), task.id).is_none();
                for (resource, op) in &task.claims {
                    let spot = self.row(resource).line.insert(task.order(), (task.id, *op));
                    alone &= spot.is_none();
                }
                alone
            }
            Stage::Running { .. } => {
                for (resource, op) in &task.claims {
                    self.row(resource).holders.push((task.id, *op));
                }
                true
            }
            Stage::Throttled { ref instance } => {
                let queue = self.queues.entry(instance.clone()).or_default();
                queue.insert(task.order(), task.id).is_none()
            }
            _ => true,
        }
    }

    /// Notes that a task arrived: a lifecycle task joins the chains of the resources it decides.
    pub(super) fn arrive(&mut self, task: &mut TaskRow) {
        let here = matches!(
            task.stage,
            Stage::InLine | Stage::Outside(_) | Stage::Running { .. }
        );
        task.tested |= !matches!(task.stage, Stage::Dependent | Stage::Scheduled { .. });
        task.stood |= matches!(task.stage, Stage::InLine | Stage::Running { .. });
        let comes = here && !task.visiting && !(task.arrived && task.is_lifecycle());
        if comes {
            task.came = vec![task.spot.place; task.claims.len()];
            task.let_in.clone_from(&task.came);
        }
        task.visiting = here;
        note_behind(task);
        if !here || task.arrived {
            return;
        }
        task.arrived = true;
        for (resource, op) in &task.claims {
            if op.is_lifecycle() {
                self.row(resource).chain.push(task.id);
            }
        }
    }

    /// Forgets a task that is no more.
    pub(super) fn forget(&mut self, task: &TaskRow) {
        for (resource, _) in &task.claims {
            let row = self.row(resource);
            row.tasks.remove(&task.id);
            row.chain.retain(|id| *id != task.id);
        }
    }

    pub(super) fn row(&mut self, resource: &ResourceName) -> &mut ResourceRow {
        if !self.resources.contains_key(resource) {
            self.resources
                .insert(resource.clone(), ResourceRow::default());
        }
        self.resources
            .get_mut(resource)
            .expect("it was just put there")
    }

    fn kind_line(&mut self, task: &TaskRow) -> &mut BTreeMap<(i64, u64), TaskId> {
        let row = self.kinds.get_mut(&task.kind);
        &mut row.expect("a task's kind stays known while it lives").line
    }
}

/// Who is behind something that came after him has come anew to that resource, and is let in right
/// behind it if it dooms him. A lifecycle task keeps its position, whatever it waits for.
fn note_behind(task: &mut TaskRow) {
    let Stage::Outside(behind) = &task.stage else {
        return;
    };
    if task.is_lifecycle() {
        return;
    }
    for behind in behind {
        let claim = usize::from(behind.claim);
        let known = task
            .came
            .get(claim)
            .is_none_or(|came| *came > behind.arrival);
        if claim >= task.came.len() || (known && !behind.doomed) {
            continue;
        }
        task.let_in[claim] = if behind.doomed {
            behind.arrival
        } else {
            task.spot.place
        };
        if !known {
            task.came[claim] = task.spot.place;
        }
    }
}

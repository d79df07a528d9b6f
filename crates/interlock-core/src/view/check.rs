//! Checks the state by full scans: every index against what it is derived from.

use crate::Core;
use crate::event::Stage;
use crate::state::State;
use crate::state::resource::Resource;
use crate::state::task::{ResourceIx, Task};
use crate::words::TaskId;
use std::collections::BTreeMap;

type Checked = Result<(), String>;

macro_rules! ensure {
    ($holds:expr, $($what:tt)+) => {
        if !$holds {
            return Err(format!($($what)+));
        }
    };
}

impl Core {
    /// Checks every invariant of the state by full scans. For tests and `verify`.
    pub fn check(&self) -> Result<(), String> {
        self.state.check_tasks()?;
        self.state.check_runs()?;
        self.state.check_counts()?;
        let crowds = self.state.resources.are_crowds_right();
        ensure!(
            crowds,
            "the crowded resources are not those with many tasks"
        );
        for (index, resource) in self.state.resources.iter() {
            self.state.check_resource(index, resource)?;
        }
        if self.state.dirty.resources.is_empty() && self.state.dirty.joined.is_empty() {
            self.check_ready()?;
        }
        for token in self.state.runs.keys() {
            let known = self.soft.runs.contains_key(token) || self.soft.runs.is_empty();
            ensure!(known, "run {token} has no lease");
        }
        Ok(())
    }

    /// Every task that could be handed out is found by takers, or the one before it is.
    fn check_ready(&self) -> Checked {
        for (id, kind) in self.state.kinds.iter() {
            for task in kind.tasks.iter().map(|task| self.state.task(*task)) {
                if task.stage != Stage::InLine || self.first_blocked(task).is_some() {
                    continue;
                }
                let behind = kind.ready.first().is_some_and(|first| *first <= task.key());
                ensure!(
                    behind,
                    "task {} of kind {id} is ready, and nobody can see it",
                    task.id
                );
            }
        }
        Ok(())
    }
}

impl State {
    fn check_tasks(&self) -> Checked {
        let mut all = 0;
        let mut running = 0;
        for (id, kind) in self.kinds.iter() {
            for task in &kind.tasks {
                let task = self.tasks.get(*task);
                ensure!(task.is_some(), "kind {id} has a task that is not there");
                self.check_task(task.expect("just checked"))?;
            }
            all += kind.tasks.len();
            running += kind.running;
        }
        ensure!(
            all == self.tasks.len(),
            "{all} tasks by kind, {} in all",
            self.tasks.len()
        );
        let (stages, by_stage) = (self.stages, self.stages.iter().sum::<u64>());
        ensure!(
            by_stage == all as u64 && stages[9] == self.running,
            "{stages:?} tasks by stage, {all} in all"
        );
        ensure!(
            running == self.running,
            "{running} running by kind, {} in all",
            self.running
        );
        Ok(())
    }

    /// A task is exactly where its stage says.
    fn check_task(&self, task: &Task) -> Checked {
        let (id, key) = (task.id, task.key());
        for (at, claim) in task.claims.iter().enumerate() {
            let resource = self.resources.get(claim.resource);
            let name = &resource.name;
            ensure!(
                resource.tasks.contains(&(task.kind, id)),
                "{name} does not know task {id}"
            );
            let (same, other) = if claim.op.is_shared() {
                (resource.readers(), &resource.writers)
            } else {
                (&resource.writers, resource.readers())
            };
            let in_line = task.stage == Stage::InLine;
            ensure!(same.contains(&key) == in_line, "task {id}: line of {name}");
            ensure!(!other.contains(&key), "task {id}: wrong line of {name}");
            let holds = resource.holders.contains(&key);
            ensure!(holds == task.is_running(), "task {id}: holder of {name}");
            let outside = match &task.stage {
                Stage::Outside(behind) => behind.iter().any(|b| b.claim as usize == at),
                _ => false,
            };
            let room = resource.barrier.as_ref().map(|barrier| &barrier.room);
            let found = room.is_some_and(|room| room.iter().any(|key| key.task == id));
            ensure!(found == outside, "task {id}: room of {name}");
            let chained = (resource.barrier.as_ref())
                .is_some_and(|barrier| barrier.chain.contains_key(&task.arrival));
            let lifecycle = claim.op.is_lifecycle() && task.arrival != 0;
            ensure!(!lifecycle || chained, "task {id}: chain of {name}");
        }
        if let Stage::Throttled { instance } = &task.stage {
            let count = self.quotas.instances.get(instance);
            let queued = count.is_some_and(|count| count.queue.contains(&key));
            ensure!(queued, "task {id} is not in the queue of {instance:?}");
        }
        let dependent = task.stage == Stage::Dependent;
        ensure!(
            dependent != task.extra().after.is_empty(),
            "task {id}: dependencies"
        );
        let ready = self.kinds.get(task.kind).ready.contains(&key);
        ensure!(ready == task.exposed, "task {id}: ready set");
        ensure!(
            !ready || task.stage == Stage::InLine,
            "task {id} is ready but not in line"
        );
        Ok(())
    }

    fn check_runs(&self) -> Checked {
        for (token, run) in &self.runs {
            let task = self.tasks.get(run.task);
            let stage = task.map(|task| &task.stage);
            let named = matches!(stage, Some(Stage::Running { token: named }) if named == token);
            ensure!(named, "run {token}: its task is {stage:?}");
        }
        ensure!(
            self.runs.len() as u64 == self.running,
            "{} runs, {} running tasks",
            self.runs.len(),
            self.running
        );
        Ok(())
    }

    fn check_resource(&self, index: ResourceIx, resource: &Resource) -> Checked {
        let name = &resource.name;
        let held_by = |key: &crate::state::task::Key| {
            let claims = &self.task(key.task).claims;
            claims
                .iter()
                .find(|claim| claim.resource == index)
                .map(|claim| claim.op)
        };
        let ops: Vec<_> = resource.holders.iter().filter_map(held_by).collect();
        let exclusive = ops.iter().any(|op| !op.is_shared());
        ensure!(
            exclusive == resource.held_exclusively,
            "{name}: held exclusively"
        );
        ensure!(
            !exclusive || ops.len() == 1,
            "{name}: conflicting runs {ops:?}"
        );
        for (kind, task) in resource.tasks.iter() {
            let found = self.tasks.get(*task);
            let claims = found.is_some_and(|task| {
                task.kind == *kind && task.claims.iter().any(|claim| claim.resource == index)
            });
            ensure!(claims, "{name}: task {task} does not claim it");
        }
        for (kind, key) in resource.watched().iter() {
            let task = self.task(key.task);
            let watched = task.watch.map(|at| task.claims[at as usize].resource);
            ensure!(
                watched == Some(index) && task.kind == *kind && task.key() == *key,
                "{name}: watched task {}",
                key.task
            );
        }
        Ok(())
    }

    /// Units out, set aside and live are those of the tasks and runs.
    fn check_counts(&self) -> Checked {
        let mut sums: BTreeMap<_, (u64, u64, u64)> = BTreeMap::new();
        for run in self.runs.values() {
            for (name, cost) in &run.charges {
                sums.entry(name.clone()).or_default().0 += u64::from(*cost);
            }
            for (name, units) in run.budgets.iter().chain(&run.permits) {
                sums.entry(name.clone()).or_default().1 += units;
            }
        }
        for (_, kind) in self.kinds.iter() {
            for task in kind.tasks.iter().map(|id: &TaskId| self.task(*id)) {
                for (name, cost) in &task.extra().set_aside {
                    sums.entry(name.clone()).or_default().2 += u64::from(*cost);
                }
            }
        }
        for (name, count) in self.quotas.instances.sorted() {
            let (live, out, set_aside) = sums.remove(name).unwrap_or_default();
            ensure!(
                (live, out, set_aside) == (count.live, count.out, count.set_aside),
                "{name:?}: ({live}, {out}, {set_aside}) by runs and tasks, {count:?}"
            );
        }
        let left = sums.into_iter().find(|(_, sums)| *sums != (0, 0, 0));
        ensure!(left.is_none(), "no such count: {left:?}");
        Ok(())
    }
}

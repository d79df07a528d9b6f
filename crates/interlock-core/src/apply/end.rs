//! A task ends: it leaves every index, and its outcome stays known for a while.

use crate::event::EndWhy;
use crate::row::{EndedTask, PastRun, RowKey};
use crate::state::State;
use crate::state::table::TaskTable;
use crate::state::task::Task;
use crate::state::timers::WallTimer;
use crate::words::{Claim, Outcome, Payload, TaskId};

/// How a task ends.
pub(crate) struct Ending<'a> {
    pub(crate) outcome: Outcome,
    pub(crate) why: &'a EndWhy,
    pub(crate) keep_ms: u64,
    /// The run that ended it, and what that left.
    pub(crate) run: Option<(PastRun, Payload)>,
}

impl State {
    pub(crate) fn end_task(&mut self, id: TaskId, ending: &Ending<'_>) {
        let outcome = ending.outcome;
        self.keep_for_cut(id);
        if self.touched.on {
            let ended = self.ended_task(self.task(id), ending);
            self.touched.ended.push(ended);
        }
        self.leave(id);
        self.return_set_aside(id);
        self.forget_task(id);
        let now = self.now.elapsed;
        let task = self.tasks.end(id, outcome, now);
        let page = TaskTable::page_of(id);
        self.touched.touch(|| RowKey::Outcomes(page));
        if task.stored {
            self.touched.gone.push(id);
        }
        let Some(extra) = task.extra else {
            return;
        };
        for alias in extra.aliases {
            self.aliases.remove(&alias);
            self.tasks.note_outcome(alias, outcome, now);
            let page = TaskTable::page_of(alias);
            self.touched.touch(|| RowKey::Outcomes(page));
        }
        for group in extra.groups {
            let Some(state) = self.group_mut(group) else {
                continue;
            };
            state.live.remove(&id);
            for entry in state.tasks.iter_mut().filter(|entry| entry.0 == id) {
                entry.1 = Some(outcome);
            }
            if state.live.is_empty() {
                self.groups.remove(&group);
            }
        }
    }

    /// What the history keeps of a task.
    fn ended_task(&self, task: &Task, ending: &Ending<'_>) -> EndedTask {
        let extra = task.extra();
        let (run, result) = ending.run.clone().unzip();
        EndedTask {
            task: task.id,
            aliases: extra.aliases.clone(),
            kind: self.kinds.get(task.kind).kind.name.clone(),
            claims: (task.claims.iter())
                .map(|claim| Claim::new(self.resources.get(claim.resource).name.clone(), claim.op))
                .collect(),
            payload: task.payload.clone(),
            priority: task.priority,
            key: extra.key.clone(),
            tags: extra.tags.clone(),
            groups: extra.groups.clone(),
            parent: extra.parent,
            schedule: extra.schedule.clone(),
            retry_of: extra.retry_of,
            trace: extra.trace.clone(),
            stands_for: u64::from(task.stands_for),
            tries: task.tries,
            losses: task.losses,
            submitted: task.submitted,
            ended: self.now.wall,
            outcome: ending.outcome,
            why: ending.why.clone(),
            result: result.unwrap_or_default(),
            runs: extra.runs.iter().cloned().chain(run).collect(),
            keep_ms: ending.keep_ms,
        }
    }

    /// Takes a task out of everything that does not depend on its stage.
    pub(crate) fn forget_task(&mut self, id: TaskId) {
        let task = self.task(id);
        let (kind, arrival, claims) = (task.kind, task.arrival, task.claims.clone());
        let after = task.extra().after.clone();
        let start_by = task.extra().start_by;
        for on in after {
            self.drop_dependent(id, on);
        }
        if let Some(start_by) = start_by {
            self.timers.wall.remove(&(start_by, WallTimer::StartBy(id)));
        }
        self.kinds.get_mut(kind).tasks.remove(&id);
        for claim in claims {
            self.resources.remove_task(claim.resource, (kind, id));
            let resource = self.resources.get_mut(claim.resource);
            if let Some(barrier) = &mut resource.barrier
                && claim.op.is_lifecycle()
            {
                barrier.chain.remove(&arrival);
                barrier.creates.remove(&id);
            }
            self.mark(claim.resource);
        }
    }
}

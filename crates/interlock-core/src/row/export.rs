//! The state as rows.

use super::{Change, NamespaceRow, RowKey, Shown, Table};
use crate::event::Stage;
use crate::state::State;
use crate::state::task::{Extra, Task};
use crate::state::touched::Since;
use crate::words::{KindId, Op, Payload, ResourceName, TaskId, Wall};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// A task as a row.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TaskRow {
    pub(super) kind: KindId,
    pub(super) priority: u8,
    pub(super) coalesces: bool,
    pub(super) hold: bool,
    pub(super) arrived: bool,
    pub(super) joined: bool,
    pub(super) last_run: Option<TaskId>,
    pub(super) claims: SmallVec<[(ResourceName, Op); 2]>,
    pub(super) payload: Payload,
    pub(super) payload_seq: TaskId,
    pub(super) stage: Stage,
    pub(super) spot: crate::event::Spot,
    pub(super) accepted: u64,
    pub(super) arrival: u64,
    pub(super) stands_for: u32,
    pub(super) tries: u32,
    pub(super) losses: u32,
    pub(super) submitted: Wall,
    pub(super) extra: Option<Box<Extra>>,
}

impl State {
    pub(super) fn namespace_change(&self) -> Change {
        let row = NamespaceRow {
            now: self.now,
            position: self.position,
            generation: self.generation,
            next_task: self.next_task,
            next_place: self.next_place,
            next_sweep: self.next_sweep,
            next_kind: self.kinds.next_id().0,
            next_quota: self.quotas.next_id().0,
            namespace: self.namespace,
            hold: self.hold,
        };
        change(Table::Namespace, Vec::new(), Some(encode(&row)))
    }

    /// The row of a task, which has one from now on.
    pub(super) fn task_change(&mut self, id: TaskId) -> Change {
        let task = self.task_derived_mut(id);
        task.touched = Since::Never;
        task.stored = true;
        let task = self.task(id);
        Change {
            table: Table::Task,
            key: task_key(id),
            body: Some(encode_in(
                TASK_BYTES + task.payload.len(),
                &self.task_row(task),
            )),
            shown: Some(self.shown(task)),
        }
    }

    fn task_row(&self, task: &Task) -> TaskRow {
        TaskRow {
            kind: task.kind,
            priority: task.priority,
            coalesces: task.coalesces,
            hold: task.hold,
            arrived: task.arrived,
            joined: task.joined,
            last_run: task.last_run,
            claims: (task.claims.iter())
                .map(|claim| (self.resources.get(claim.resource).name.clone(), claim.op))
                .collect(),
            payload: task.payload.clone(),
            payload_seq: task.payload_seq,
            stage: task.stage.clone(),
            spot: task.spot,
            accepted: task.accepted,
            arrival: task.arrival,
            stands_for: task.stands_for,
            tries: task.tries,
            losses: task.losses,
            submitted: task.submitted,
            extra: task.extra.clone(),
        }
    }

    fn shown(&self, task: &Task) -> Shown {
        Shown {
            kind: self.kinds.get(task.kind).kind.name.clone(),
            resources: (task.claims.iter())
                .map(|claim| self.resources.get(claim.resource).name.clone())
                .collect(),
            stage: task.stage.word(),
            priority: task.priority,
            submitted: task.submitted,
        }
    }

    /// What a row other than a task's says now.
    pub(super) fn change(&mut self, key: &RowKey) -> Change {
        let body = match key {
            RowKey::Kind(id) => {
                let kind = self.kinds.try_get(*id);
                kind.map(|kind| encode(&(&kind.kind, kind.hold, kind.staffed)))
            }
            RowKey::Quota(id) => self.quotas.get(*id).map(encode),
            RowKey::Count(name) => {
                let count = self.quotas.instances.get(name).map(|count| &**count);
                let worth = count.filter(|count| !count.is_forgettable(self.now.elapsed));
                worth.map(encode)
            }
            RowKey::Run(token) => self.runs.get(token).map(|run| {
                self.touched.stored_runs.insert(*token);
                encode(run)
            }),
            RowKey::Session(id) => self.sessions.get(id).map(encode),
            RowKey::Schedule(name) => self.schedules.get(name).map(encode),
            RowKey::Group(id) => self.groups.get(id).map(encode),
            RowKey::Sweep(id) => self.sweeps.get(id).map(encode),
            RowKey::Remembered(name) => self.remembered.get(name).map(encode),
            RowKey::Resource(name) => {
                let index = self.resources.find(name);
                let held = index.is_some_and(|index| self.resources.get(index).hold);
                held.then(Vec::new)
            }
            RowKey::Outcomes(page) => {
                let outcomes = self.tasks.outcomes(*page);
                outcomes.as_ref().map(encode)
            }
        };
        change(key.table(), encode(key), body)
    }
}

/// The row of a task that is no more.
pub(super) fn task_is_gone(id: TaskId) -> Change {
    change(Table::Task, task_key(id), None)
}

/// Keys of tasks sort as their ids do.
fn task_key(id: TaskId) -> Vec<u8> {
    id.0.to_be_bytes().to_vec()
}

fn change(table: Table, key: Vec<u8>, body: Option<Vec<u8>>) -> Change {
    let shown = None;
    Change {
        table,
        key,
        body,
        shown,
    }
}

/// About what a task takes as a row besides its payload.
const TASK_BYTES: usize = 96;

fn encode(value: &impl Serialize) -> Vec<u8> {
    encode_in(0, value)
}

/// The same with room made for what it will probably take.
fn encode_in(bytes: usize, value: &impl Serialize) -> Vec<u8> {
    postcard::to_extend(value, Vec::with_capacity(bytes))
        .expect("rows are plain data, and memory is not bounded")
}

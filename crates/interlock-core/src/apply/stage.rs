//! Moves a task from one place to another: out of the indexes of the old one, into those of the new.

use crate::event::{Behind, InstanceName, Spot, Stage};
use crate::state::State;
use crate::state::resource::RoomKey;
use crate::state::task::Key;
use crate::state::timers::{ElapsedTimer, WallTimer};
use crate::words::{Op, TaskId};

impl State {
    /// Moves a task to another stage.
    pub(crate) fn restage(&mut self, id: TaskId, stage: Stage, spot: Spot) {
        self.leave(id);
        let task = self.task_mut(id);
        task.stage = stage;
        task.spot = spot;
        self.enter(id);
    }

    /// Gives a task another rank where it stands.
    pub(crate) fn rerank(&mut self, id: TaskId, rank: i64) {
        let task = self.task(id);
        if task.spot.rank != rank {
            let (stage, spot) = (task.stage.clone(), task.spot);
            self.restage(id, stage, Spot { rank, ..spot });
        }
    }

    /// Takes a task out of the indexes of its stage.
    pub(crate) fn leave(&mut self, id: TaskId) {
        self.same_out(id);
        let task = self.task_mut(id);
        let key = task.key();
        let kind = task.kind;
        let claims = task.claims.clone();
        let stage = task.stage.clone();
        self.stages[stage.number()] -= 1;
        match stage {
            Stage::Dependent | Stage::Held | Stage::NoWorker => {}
            Stage::Scheduled { until } | Stage::Retrying { until } => {
                self.timers.wall.remove(&(until, WallTimer::Due(id)));
            }
            Stage::Gathering { until } => {
                let timer = ElapsedTimer::Gathered(id);
                self.timers.elapsed.remove(&(until, timer));
            }
            Stage::Outside(behind) => {
                for behind in behind {
                    let claim = &claims[behind.claim as usize];
                    let index = claim.resource;
                    let barrier = self.resources.get_mut(index).barrier.as_mut();
                    let barrier = barrier.expect("somebody waits behind it");
                    barrier.room.remove(&room_key(behind, claim.op, key));
                    self.mark(index);
                }
            }
            Stage::InLine => {
                self.unexpose(id);
                self.unwatch(id);
                for claim in claims {
                    let resource = self.resources.get_mut(claim.resource);
                    let was_there = resource.leave(claim.op, &key);
                    debug_assert!(was_there, "task {id} stood in line");
                    self.mark(claim.resource);
                }
            }
            Stage::Throttled { instance } => self.leave_queue(&instance, key),
            Stage::Running { .. } => {
                self.kinds.get_mut(kind).running -= 1;
                self.running -= 1;
                for claim in claims {
                    let resource = self.resources.get_mut(claim.resource);
                    resource.holders.remove(&key);
                    resource.held_exclusively = false;
                    self.mark(claim.resource);
                }
            }
        }
    }

    /// Puts a task into the indexes of its stage.
    pub(crate) fn enter(&mut self, id: TaskId) {
        let task = self.task_mut(id);
        let key = task.key();
        let claims = task.claims.clone();
        let stage = task.stage.clone();
        if is_past_futures(&stage) && !task.arrived {
            task.arrived = true;
            task.accepted = key.place;
        }
        if !matches!(stage, Stage::InLine | Stage::Running { .. }) {
            self.return_set_aside(id);
        }
        self.stages[stage.number()] += 1;
        match stage {
            Stage::Dependent | Stage::Held | Stage::NoWorker => {}
            Stage::Scheduled { until } | Stage::Retrying { until } => {
                self.timers.wall.insert((until, WallTimer::Due(id)));
            }
            Stage::Gathering { until } => {
                let timer = ElapsedTimer::Gathered(id);
                self.timers.elapsed.insert((until, timer));
            }
            Stage::Outside(behind) => {
                self.next_place = self.next_place.max(key.place + 1);
                self.enter_chain(id);
                for behind in behind {
                    let claim = &claims[behind.claim as usize];
                    let index = claim.resource;
                    let barrier = self
                        .resources
                        .get_mut(index)
                        .barrier
                        .get_or_insert_default();
                    barrier.room.insert(room_key(behind, claim.op, key));
                    self.mark(index);
                }
            }
            Stage::InLine => {
                self.next_place = self.next_place.max(key.place + 1);
                self.enter_chain(id);
                self.task_mut(id).joined = true;
                if claims.is_empty() || claims.iter().any(|claim| claim.op.is_shared()) {
                    self.dirty.joined.push_back(id);
                }
                for claim in claims {
                    let resource = self.resources.get_mut(claim.resource);
                    resource.join(claim.op, key);
                    self.mark(claim.resource);
                }
            }
            Stage::Throttled { instance } => self.enter_queue(instance, key),
            Stage::Running { .. } => {
                let kind = self.task(id).kind;
                self.kinds.get_mut(kind).running += 1;
                self.running += 1;
                for claim in claims {
                    let resource = self.resources.get_mut(claim.resource);
                    resource.holders.insert(key);
                    resource.held_exclusively = !claim.op.is_shared();
                    self.mark(claim.resource);
                }
            }
        }
        self.same_in(id);
    }

    /// A lifecycle task that comes to its resources for the first time decides their future.
    fn enter_chain(&mut self, id: TaskId) {
        let task = self.task_mut(id);
        if !task.is_lifecycle() || task.arrival != 0 {
            return;
        }
        task.arrival = task.spot.place;
        let arrival = task.arrival;
        for claim in task.claims.clone() {
            if claim.op.is_lifecycle() {
                let resource = self.resources.get_mut(claim.resource);
                let barrier = resource.barrier.get_or_insert_default();
                barrier.chain.insert(arrival, (id, claim.op));
            }
        }
    }

    fn enter_queue(&mut self, instance: InstanceName, key: Key) {
        self.count_mut(&instance).queue.insert(key);
        self.quotas.queues.insert(instance.clone());
        self.dirty.instances.insert(instance);
    }

    fn leave_queue(&mut self, instance: &InstanceName, key: Key) {
        let queue = &mut self.count_mut(instance).queue;
        queue.remove(&key);
        if queue.is_empty() {
            self.quotas.queues.remove(instance);
        }
        self.dirty.instances.insert(instance.clone());
    }

    /// Takes a task out of the ready set of its kind.
    pub(crate) fn unexpose(&mut self, id: TaskId) {
        let task = self.task_derived_mut(id);
        if std::mem::take(&mut task.exposed) {
            let (kind, key) = (task.kind, task.key());
            self.kinds.get_mut(kind).ready.remove(&key);
        }
    }

    /// Stops watching a shared claim of a task.
    pub(crate) fn unwatch(&mut self, id: TaskId) {
        let task = self.task_derived_mut(id);
        if let Some(at) = task.watch.take() {
            let index = task.claims[at as usize].resource;
            let entry = (task.kind, task.key());
            self.resources.get_mut(index).unwatch(&entry);
            self.mark(index);
        }
    }

    /// Takes a task out of the index of those that submissions may join.
    pub(crate) fn same_out(&mut self, id: TaskId) {
        let task = self.task(id);
        if !task.is_open_to_merge() {
            return;
        }
        let key = State::same_key(task);
        if let Some(ids) = self.same.get_mut(&key) {
            ids.retain(|other| *other != id);
            if ids.is_empty() {
                self.same.remove(&key);
            }
        }
    }

    /// Puts a task into that index, if submissions may join it.
    pub(crate) fn same_in(&mut self, id: TaskId) {
        let task = self.task(id);
        if !task.is_open_to_merge() {
            return;
        }
        let ids = self
            .same
            .get_or_insert_with(State::same_key(task), Default::default);
        let at = ids.partition_point(|other| *other < id);
        ids.insert(at, id);
    }
}

/// Whether a task comes to this stage only after the test against the futures of its resources.
fn is_past_futures(stage: &Stage) -> bool {
    !matches!(
        stage,
        Stage::Dependent | Stage::Scheduled { .. } | Stage::Retrying { .. }
    )
}

fn room_key(behind: Behind, op: Op, key: Key) -> RoomKey {
    RoomKey {
        behind: behind.arrival,
        not_doomed: !behind.doomed,
        doomed_barrier: behind.doomed && op.is_lifecycle(),
        place: key.place,
        task: key.task,
    }
}

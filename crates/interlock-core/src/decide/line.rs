//! The line: which of the tasks that stand in it may be handed out.
//!
//! A task is ready when all its claims are free. To find the ready ones without looking at the
//! whole line, only these are looked at when a resource changes: its first writer, and the first
//! watched reader of each kind. A task with shared claims is *watched* at one of them: the one
//! that blocks it, or any if none does; the first one watched of a kind is *exposed* to takers, and
//! the next one after it has gone. So nobody ever has to expose or hide a crowd.

use crate::Core;
use crate::bugs::Bug;
use crate::state::task::{Key, ResourceIx, Task};
use crate::words::{KindId, Op, TaskId};

impl Core {
    /// Whether nothing conflicting holds the resource or is ahead of this spot.
    pub(crate) fn is_free(&self, index: ResourceIx, op: Op, key: &Key) -> bool {
        let resource = self.state.resources.get(index);
        if op.is_shared() && self.bug(Bug::ReadersPassWriters) {
            return !resource.held_exclusively;
        }
        if !op.is_shared() && self.bug(Bug::WriterBesideReaders) {
            return !resource.held_exclusively && resource.writers.first().is_none_or(|w| w >= key);
        }
        resource.is_free_for(op, key)
    }

    /// The first claim of a task in line that is not free.
    pub(crate) fn first_blocked(&self, task: &Task) -> Option<usize> {
        let key = task.key();
        (task.claims.iter()).position(|claim| !self.is_free(claim.resource, claim.op, &key))
    }

    /// Looks at a resource that changed: who may go now?
    pub(crate) fn refresh(&mut self, index: ResourceIx) {
        let writers = &self.state.resources.get(index).writers;
        let (first, second) = (writers.first().copied(), writers.iter().nth(1).copied());
        if let Some(first) = first
            && (self.is_free(index, Op::Update, &first) || self.state.task(first.task).exposed)
        {
            self.look_at(first.task);
        }
        // A writer that was exposed and is first no more must be hidden.
        if let Some(second) = second
            && self.state.task(second.task).exposed
        {
            self.look_at(second.task);
        }
        let mut kind = self.first_watched(index, None);
        while let Some(id) = kind {
            self.expose_first(index, id);
            kind = self.first_watched(index, Some(id));
        }
    }

    /// Watches and exposes a task as it now deserves.
    pub(crate) fn look_at(&mut self, id: TaskId) {
        let task = self.state.task(id);
        match self.first_blocked(task) {
            None => match task.claims.iter().position(|claim| claim.op.is_shared()) {
                None => self.expose(id),
                Some(shared) => {
                    if task.watch.is_none() {
                        self.watch(id, shared);
                    }
                    let task = self.state.task(id);
                    let at = task.watch.expect("it was just set");
                    let (index, kind) = (task.claims[at as usize].resource, task.kind);
                    self.expose_first(index, kind);
                }
            },
            Some(at) => {
                let shared = task.claims[at].op.is_shared();
                self.state.unexpose(id);
                if self.state.task(id).watch != Some(at as u8) || !shared {
                    self.state.unwatch(id);
                    if shared {
                        self.watch(id, at);
                    }
                }
            }
        }
    }

    /// Exposes the first task of a kind that is watched here, if it may go. Those that turn out to
    /// be blocked elsewhere are watched there from now on.
    fn expose_first(&mut self, index: ResourceIx, kind: KindId) {
        while self.looks > 0 {
            let resource = self.state.resources.get(index);
            let from = (kind, FIRST_KEY);
            let Some(&(found, key)) = resource.watched().from(from).next() else {
                return;
            };
            if found != kind {
                return;
            }
            let task = self.state.task(key.task);
            if !self.is_free(index, Op::Read, &key) {
                // Nobody behind the first one is free either.
                return self.state.unexpose(key.task);
            }
            if self.first_blocked(task).is_none() {
                return self.expose(key.task);
            }
            self.looks -= 1;
            self.look_at(key.task);
        }
        self.state.mark(index);
    }

    fn expose(&mut self, id: TaskId) {
        let task = self.state.task_derived_mut(id);
        if !std::mem::replace(&mut task.exposed, true) {
            let (kind, key) = (task.kind, task.key());
            self.state.kinds.get_mut(kind).ready.insert(key);
            self.state.dirty.kinds.insert(kind);
        }
    }

    fn watch(&mut self, id: TaskId, at: usize) {
        let task = self.state.task_derived_mut(id);
        task.watch = Some(at as u8);
        let (index, entry) = (task.claims[at].resource, (task.kind, task.key()));
        self.state.resources.get_mut(index).watch(entry);
        // Whoever was first of its kind here may not be any more.
        self.hide_passed_reader(index, entry);
    }

    /// Only the first of a kind is exposed: hide the one that a newcomer goes before.
    fn hide_passed_reader(&mut self, index: ResourceIx, newcomer: (KindId, Key)) {
        let watched = self.state.resources.get(index).watched();
        let next = watched.after(newcomer).next();
        if let Some(&(kind, key)) = next
            && kind == newcomer.0
        {
            self.state.unexpose(key.task);
        }
    }

    fn first_watched(&self, index: ResourceIx, after: Option<KindId>) -> Option<KindId> {
        let watched = self.state.resources.get(index).watched();
        let from = after.map_or(KindId(0), |kind| KindId(kind.0 + 1));
        let first = watched.from((from, FIRST_KEY)).next();
        first.map(|(kind, _)| *kind)
    }
}

const FIRST_KEY: Key = Key {
    rank: i64::MIN,
    place: 0,
    task: TaskId(0),
};

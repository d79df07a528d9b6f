//! A resource: its line, the runs that hold it, and its barriers.
//!
//! Who holds a resource is derived from the live runs, and who stands in line from the stages of
//! the tasks; `State::check` compares both by a full scan.

use super::map::Map;
use super::set::Set;
use super::slab::Slab;
use super::task::{Key, ResourceIx};
use crate::words::{KindId, Op, ResourceName, TaskId};
use std::collections::{BTreeMap, BTreeSet};

/// One resource that is claimed, held or swept.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) name: ResourceName,
    /// Exclusive claims in line.
    pub(crate) writers: Set<Key>,
    /// Shared claims in line, if there are any.
    shared: Option<Box<Shared>>,
    /// The runs that hold it, by the spots of their tasks; all shared or one exclusive.
    pub(crate) holders: Set<Key>,
    pub(crate) held_exclusively: bool,
    /// All live tasks that claim it.
    pub(crate) tasks: Set<(KindId, TaskId)>,
    pub(crate) barrier: Option<Box<Barrier>>,
    /// An operator holds it.
    pub(crate) hold: bool,
    /// Derived: it is on the list of resources to look at.
    pub(crate) dirty: bool,
}

/// Shared claims in line: most resources have none, and need no room for them.
#[derive(Debug)]
struct Shared {
    readers: Set<Key>,
    /// Derived: those whose claim is watched on this resource, by kind. Only the first of each kind
    /// is exposed, so that one event never has to expose a crowd.
    watched: Set<(KindId, Key)>,
}

impl Shared {
    const NONE: Self = Self {
        readers: Set::Empty,
        watched: Set::Empty,
    };
}

/// Pending lifecycle tasks of a resource, and who waits outside behind them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Barrier {
    /// By arrival.
    pub(crate) chain: BTreeMap<u64, (TaskId, Op)>,
    pub(crate) room: BTreeSet<RoomKey>,
    /// All live tasks that create the resource, wherever they wait.
    pub(crate) creates: BTreeSet<TaskId>,
}

/// The order of those who wait outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RoomKey {
    /// Arrival of the lifecycle task it is behind.
    pub(crate) behind: u64,
    /// The doomed came first: if the delete fails they go on before whoever came after it.
    pub(crate) not_doomed: bool,
    /// Of the doomed, those who bar others go last: the others were accepted before they came.
    pub(crate) doomed_barrier: bool,
    pub(crate) place: u64,
    pub(crate) task: TaskId,
}

impl Resource {
    fn new(name: ResourceName) -> Self {
        Self {
            name,
            writers: Set::new(),
            shared: None,
            holders: Set::new(),
            held_exclusively: false,
            tasks: Set::new(),
            barrier: None,
            hold: false,
            dirty: false,
        }
    }

    /// Whether nothing conflicting holds the resource or is ahead of this spot.
    pub(crate) fn is_free_for(&self, op: Op, key: &Key) -> bool {
        let first_writer = self.writers.first();
        if op.is_shared() {
            !self.held_exclusively && first_writer.is_none_or(|writer| writer > key)
        } else {
            self.holders.is_empty()
                && first_writer.is_none_or(|writer| writer >= key)
                && self.readers().first().is_none_or(|reader| reader > key)
        }
    }

    /// Conflicting tasks ahead of this spot, nearest first.
    pub(crate) fn ahead(&self, op: Op, key: Key) -> impl Iterator<Item = Key> + '_ {
        let mut writers = self.writers.before(key).rev().copied().peekable();
        let readers = self.readers().before(key).rev().copied();
        let mut readers = readers
            .take(if op.is_shared() { 0 } else { usize::MAX })
            .peekable();
        std::iter::from_fn(move || match (writers.peek(), readers.peek()) {
            (Some(writer), Some(reader)) if writer > reader => writers.next(),
            (_, Some(_)) => readers.next(),
            (Some(_), None) => writers.next(),
            (None, None) => None,
        })
    }

    /// The worst rank of anyone in line or holding it.
    pub(crate) fn last_rank(&self) -> Option<i64> {
        [&self.writers, self.readers(), &self.holders]
            .into_iter()
            .filter_map(|set| set.last().map(|key| key.rank))
            .max()
    }

    /// Shared claims in line.
    pub(crate) fn readers(&self) -> &Set<Key> {
        &self.shared().readers
    }

    /// Derived: those of them that are watched on this resource, by kind.
    pub(crate) fn watched(&self) -> &Set<(KindId, Key)> {
        &self.shared().watched
    }

    /// A task joins the line.
    pub(crate) fn join(&mut self, op: Op, key: Key) {
        if op.is_shared() {
            self.change_shared(|shared| shared.readers.insert(key));
        } else {
            self.writers.insert(key);
        }
    }

    /// A task leaves the line. Whether it stood there.
    pub(crate) fn leave(&mut self, op: Op, key: &Key) -> bool {
        if op.is_shared() {
            self.change_shared(|shared| shared.readers.remove(key))
        } else {
            self.writers.remove(key)
        }
    }

    pub(crate) fn watch(&mut self, entry: (KindId, Key)) {
        self.change_shared(|shared| shared.watched.insert(entry));
    }

    pub(crate) fn unwatch(&mut self, entry: &(KindId, Key)) {
        self.change_shared(|shared| shared.watched.remove(entry));
    }

    fn shared(&self) -> &Shared {
        self.shared.as_deref().unwrap_or(&Shared::NONE)
    }

    fn change_shared<T>(&mut self, change: impl FnOnce(&mut Shared) -> T) -> T {
        let shared = (self.shared).get_or_insert_with(|| Box::new(Shared::NONE));
        let changed = change(shared);
        if shared.readers.is_empty() && shared.watched.is_empty() {
            self.shared = None;
        }
        changed
    }

    /// The last of the pending lifecycle tasks: it decides the future.
    pub(crate) fn future(&self) -> Option<(TaskId, Op)> {
        self.barrier.as_ref()?.chain.values().next_back().copied()
    }

    /// Tasks in line and outside.
    pub(crate) fn line_length(&self) -> u64 {
        let outside = self
            .barrier
            .as_ref()
            .map_or(0, |barrier| barrier.room.len());
        (self.writers.len() + self.readers().len() + outside) as u64
    }

    /// All tasks that wait and claim it.
    pub(crate) fn waiting(&self) -> u64 {
        (self.tasks.len() - self.holders.len()) as u64
    }

    fn is_unused(&self) -> bool {
        self.tasks.is_empty() && !self.hold && !self.dirty
    }
}

impl Barrier {
    pub(crate) fn is_unused(&self) -> bool {
        self.chain.is_empty() && self.room.is_empty() && self.creates.is_empty()
    }

    /// What the last of the others outside is behind who came before this arrival.
    pub(crate) fn last_before(&self, arrival: u64, but: Option<TaskId>) -> Option<u64> {
        let end = RoomKey {
            behind: arrival,
            not_doomed: false,
            doomed_barrier: false,
            place: 0,
            task: TaskId(0),
        };
        let mut others = self.room.range(..end).rev();
        let last = others.find(|key| Some(key.task) != but);
        last.map(|key| key.behind)
    }

    /// The first of those outside, if everything it is behind has ended.
    pub(crate) fn next_to_release(&self) -> Option<RoomKey> {
        let first = *self.room.first()?;
        let blocked = self
            .chain
            .first_key_value()
            .is_some_and(|(&arrival, &(task, _))| arrival <= first.behind && task != first.task);
        (!blocked).then_some(first)
    }
}

/// All resources in use, by number and by name.
pub(crate) struct Resources {
    slab: Slab<Box<Resource>>,
    by_name: Map<ResourceName, ResourceIx>,
    /// Derived: those with more than one task, by how many of them there are, about.
    crowded: BTreeSet<(u32, ResourceIx)>,
}

/// How crowded a resource with so many tasks is: each step is twice as many, so that most tasks
/// come and go without a change; 0 for those that nobody waits for.
fn crowd(tasks: usize) -> u32 {
    tasks.max(1).ilog2()
}

impl Resources {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            slab: Slab::new(),
            by_name: Map::new(seed),
            crowded: BTreeSet::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.slab.len()
    }

    pub(crate) fn find(&self, name: &ResourceName) -> Option<ResourceIx> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn find_or_add(&mut self, name: &ResourceName) -> ResourceIx {
        if let Some(found) = self.find(name) {
            return found;
        }
        let index = ResourceIx(self.slab.insert(Box::new(Resource::new(name.clone()))));
        self.by_name.insert(name.clone(), index);
        index
    }

    /// Whether a resource has this number now.
    pub(crate) fn contains(&self, index: ResourceIx) -> bool {
        self.slab.contains(index.0)
    }

    pub(crate) fn get(&self, index: ResourceIx) -> &Resource {
        self.slab.get(index.0)
    }

    pub(crate) fn get_mut(&mut self, index: ResourceIx) -> &mut Resource {
        self.slab.get_mut(index.0)
    }

    /// A task claims a resource.
    pub(crate) fn add_task(&mut self, index: ResourceIx, task: (KindId, TaskId)) {
        let resource = self.slab.get_mut(index.0);
        let before = crowd(resource.tasks.len());
        resource.tasks.insert(task);
        let after = crowd(resource.tasks.len());
        self.crowd_changed(index, before, after);
    }

    /// A task that claimed a resource has ended.
    pub(crate) fn remove_task(&mut self, index: ResourceIx, task: (KindId, TaskId)) {
        let resource = self.slab.get_mut(index.0);
        let before = crowd(resource.tasks.len());
        resource.tasks.remove(&task);
        let after = crowd(resource.tasks.len());
        self.crowd_changed(index, before, after);
    }

    fn crowd_changed(&mut self, index: ResourceIx, before: u32, after: u32) {
        if before == after {
            return;
        }
        if before > 0 {
            self.crowded.remove(&(before, index));
        }
        if after > 0 {
            self.crowded.insert((after, index));
        }
    }

    /// Those with more than one task, the most crowded first: none is followed by one with more than
    /// twice as many.
    pub(crate) fn crowded(&self) -> impl Iterator<Item = (ResourceIx, &Resource)> {
        let crowded = self.crowded.iter().rev();
        crowded.map(|(_, index)| (*index, self.get(*index)))
    }

    /// Whether exactly the right ones are among the crowded, by a full scan.
    pub(crate) fn are_crowds_right(&self) -> bool {
        let crowds = self
            .iter()
            .map(|(index, resource)| (crowd(resource.tasks.len()), index));
        let crowds = crowds.filter(|(crowd, _)| *crowd > 0);
        crowds.collect::<BTreeSet<_>>() == self.crowded
    }

    /// Lets a resource go that nothing refers to any more.
    pub(crate) fn drop_if_unused(&mut self, index: ResourceIx) {
        if self.get(index).is_unused() {
            let resource = self.slab.remove(index.0);
            self.by_name.remove(&resource.name);
        }
    }

    /// Those from this number on.
    pub(crate) fn from(&self, from: ResourceIx) -> impl Iterator<Item = (ResourceIx, &Resource)> {
        (self.slab.from(from.0)).map(|(index, resource)| (ResourceIx(index), &**resource))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ResourceIx, &Resource)> {
        self.slab
            .iter()
            .map(|(index, resource)| (ResourceIx(index), &**resource))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_with_one_task_is_small() {
        // There may be millions of them: 128 bytes is what an allocator has a size for.
        assert!(size_of::<Resource>() <= 128, "{}", size_of::<Resource>());
    }
}

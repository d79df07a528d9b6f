//! Kinds as they are kept.

use super::task::Key;
use crate::words::{Kind, KindId, Name, TaskId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A kind and its tasks.
#[derive(Debug)]
pub(crate) struct KindState {
    pub(crate) kind: Arc<Kind>,
    /// All live tasks of it.
    pub(crate) tasks: BTreeSet<TaskId>,
    pub(crate) running: u64,
    pub(crate) hold: bool,
    /// A live worker handles it, or did within a lease.
    pub(crate) staffed: bool,
    /// Derived: tasks that a worker may have, best first.
    pub(crate) ready: BTreeSet<Key>,
}

/// All kinds, by number and by name.
#[derive(Default)]
pub(crate) struct Kinds {
    by_id: Vec<Option<KindState>>,
    by_name: BTreeMap<Name, KindId>,
}

impl Kinds {
    pub(crate) fn find(&self, name: &Name) -> Option<KindId> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn get(&self, id: KindId) -> &KindState {
        self.try_get(id).expect("a kind lives as long as its tasks")
    }

    pub(crate) fn try_get(&self, id: KindId) -> Option<&KindState> {
        self.by_id.get(id.0 as usize)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, id: KindId) -> &mut KindState {
        self.by_id[id.0 as usize]
            .as_mut()
            .expect("a kind lives as long as its tasks")
    }

    /// The number that a new kind gets.
    pub(crate) fn next_id(&self) -> KindId {
        KindId(self.by_id.len() as u32)
    }

    pub(crate) fn set(&mut self, id: KindId, kind: Arc<Kind>) {
        self.by_name.insert(kind.name.clone(), id);
        let at = id.0 as usize;
        if at == self.by_id.len() {
            self.by_id.push(None);
        }
        match &mut self.by_id[at] {
            Some(state) => state.kind = kind,
            empty => {
                *empty = Some(KindState {
                    kind,
                    tasks: BTreeSet::new(),
                    running: 0,
                    hold: false,
                    staffed: true,
                    ready: BTreeSet::new(),
                });
            }
        }
    }

    pub(crate) fn remove(&mut self, id: KindId) {
        if let Some(state) = self.by_id[id.0 as usize].take() {
            self.by_name.remove(&state.kind.name);
        }
    }

    /// Numbers below this one were given to kinds, whether or not they still exist.
    pub(crate) fn restore_next_id(&mut self, next: u32) {
        self.by_id.resize_with(next as usize, || None);
    }

    pub(crate) fn len(&self) -> usize {
        self.by_name.len()
    }

    pub(crate) fn names(&self) -> Vec<Name> {
        self.by_name.keys().cloned().collect()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (KindId, &KindState)> {
        (self.by_id.iter().enumerate())
            .filter_map(|(at, state)| Some((KindId(at as u32), state.as_ref()?)))
    }
}

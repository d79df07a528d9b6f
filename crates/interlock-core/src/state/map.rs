//! Hash tables that cannot be iterated, so that no decision can depend on hash order, and that
//! grow shard by shard, so that no single decision pays for a rehash of everything.

#![allow(
    clippy::disallowed_types,
    reason = "this is the seeded map that everybody else has to use"
)]

use foldhash::quality::FixedState;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

const SHARDS: usize = 256;

/// A hash table without iteration.
pub(crate) struct Map<K, V> {
    shards: Vec<HashMap<K, V, FixedState>>,
    hasher: FixedState,
}

impl<K: Hash + Eq, V> Map<K, V> {
    pub(crate) fn new(seed: u64) -> Self {
        let hasher = FixedState::with_seed(seed);
        Self {
            shards: (0..SHARDS)
                .map(|_| HashMap::with_hasher(hasher.clone()))
                .collect(),
            hasher,
        }
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.shards[self.shard(key)].get(key)
    }

    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let shard = self.shard(key);
        self.shards[shard].get_mut(key)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let shard = self.shard(&key);
        self.shards[shard].insert(key, value)
    }

    pub(crate) fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let shard = self.shard(&key);
        self.shards[shard].entry(key).or_insert_with(make)
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let shard = self.shard(key);
        self.shards[shard].remove(key)
    }

    /// Everything, in order of the keys. For comparison and checks: it sorts.
    pub(crate) fn sorted(&self) -> Vec<(&K, &V)>
    where
        K: Ord,
    {
        let mut all: Vec<(&K, &V)> = self.shards.iter().flatten().collect();
        all.sort_by_key(|&(key, _)| key);
        all
    }

    fn shard(&self, key: &K) -> usize {
        // The table below uses the other end of the hash.
        (self.hasher.hash_one(key) >> 40) as usize % SHARDS
    }
}

//! An ordered set that is small when it has few members: most resources have one or two tasks.

use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};

/// From this many members on a tree is better than a sorted list.
const MANY: usize = 24;
/// A tree that shrank to this many becomes a list again.
const FEW: usize = 8;

/// An ordered set of small values. One member stands in the set itself.
#[derive(Clone, Debug)]
pub(crate) enum Set<K> {
    Empty,
    One(K),
    Few(Vec<K>),
    #[expect(
        clippy::box_collection,
        reason = "few sets are that large, and every resource has several"
    )]
    Many(Box<BTreeSet<K>>),
}

impl<K: Ord + Copy> Set<K> {
    pub(crate) fn new() -> Self {
        Set::Empty
    }

    pub(crate) fn len(&self) -> usize {
        match self.members() {
            Either::One(list) => list.len(),
            Either::Other(tree) => tree.len(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn contains(&self, key: &K) -> bool {
        match self.members() {
            Either::One(list) => list.binary_search(key).is_ok(),
            Either::Other(tree) => tree.contains(key),
        }
    }

    pub(crate) fn first(&self) -> Option<&K> {
        match self.members() {
            Either::One(list) => list.first(),
            Either::Other(tree) => tree.first(),
        }
    }

    pub(crate) fn last(&self) -> Option<&K> {
        match self.members() {
            Either::One(list) => list.last(),
            Either::Other(tree) => tree.last(),
        }
    }

    pub(crate) fn insert(&mut self, key: K) {
        match self {
            Set::Empty => *self = Set::One(key),
            Set::One(only) if *only == key => {}
            Set::One(only) => {
                *self = Set::Few(vec![key.min(*only), key.max(*only)]);
            }
            Set::Few(list) => {
                if let Err(at) = list.binary_search(&key) {
                    list.insert(at, key);
                }
                if list.len() > MANY {
                    *self = Set::Many(Box::new(list.iter().copied().collect()));
                }
            }
            Set::Many(tree) => {
                tree.insert(key);
            }
        }
    }

    /// Whether it was there.
    pub(crate) fn remove(&mut self, key: &K) -> bool {
        match self {
            Set::Empty => false,
            Set::One(only) => {
                let was_there = only == key;
                if was_there {
                    *self = Set::Empty;
                }
                was_there
            }
            Set::Few(list) => {
                let found = list.binary_search(key);
                if let Ok(at) = found {
                    list.remove(at);
                }
                if list.is_empty() {
                    *self = Set::Empty;
                }
                found.is_ok()
            }
            Set::Many(tree) => {
                let was_there = tree.remove(key);
                if tree.len() <= FEW {
                    *self = Set::Few(tree.iter().copied().collect());
                }
                was_there
            }
        }
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &K> {
        match self.members() {
            Either::One(list) => Either::One(list.iter()),
            Either::Other(tree) => Either::Other(tree.iter()),
        }
    }

    /// Members from this one on.
    pub(crate) fn from(&self, key: K) -> impl DoubleEndedIterator<Item = &K> {
        match self.members() {
            Either::One(list) => {
                let at = list.partition_point(|other| *other < key);
                Either::One(list[at..].iter())
            }
            Either::Other(tree) => Either::Other(tree.range(key..)),
        }
    }

    /// Members after this one.
    pub(crate) fn after(&self, key: K) -> impl DoubleEndedIterator<Item = &K> {
        match self.members() {
            Either::One(list) => {
                let at = list.partition_point(|other| *other <= key);
                Either::One(list[at..].iter())
            }
            Either::Other(tree) => Either::Other(tree.range((Excluded(key), Unbounded))),
        }
    }

    /// Members before this one.
    pub(crate) fn before(&self, key: K) -> impl DoubleEndedIterator<Item = &K> {
        match self.members() {
            Either::One(list) => {
                let at = list.partition_point(|other| *other < key);
                Either::One(list[..at].iter())
            }
            Either::Other(tree) => Either::Other(tree.range(..key)),
        }
    }

    /// The members as a sorted list, or as a tree if they are many.
    fn members(&self) -> Either<&[K], &BTreeSet<K>> {
        match self {
            Set::Empty => Either::One(&[]),
            Set::One(only) => Either::One(std::slice::from_ref(only)),
            Set::Few(list) => Either::One(list),
            Set::Many(tree) => Either::Other(tree),
        }
    }
}

/// One of two, such as two iterators over the same.
enum Either<A, B> {
    One(A),
    Other(B),
}

impl<T, A: Iterator<Item = T>, B: Iterator<Item = T>> Iterator for Either<A, B> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        match self {
            Either::One(iter) => iter.next(),
            Either::Other(iter) => iter.next(),
        }
    }
}

impl<T, A, B> DoubleEndedIterator for Either<A, B>
where
    A: DoubleEndedIterator<Item = T>,
    B: DoubleEndedIterator<Item = T>,
{
    fn next_back(&mut self) -> Option<T> {
        match self {
            Either::One(iter) => iter.next_back(),
            Either::Other(iter) => iter.next_back(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_behaves_like_a_tree_whatever_its_size() {
        let mut set = Set::new();
        let mut tree = BTreeSet::new();
        for step in 0..2_000_u64 {
            let key = step * 7_919 % 61;
            if step % 5 < 3 && step % 400 < 300 {
                set.insert(key);
                tree.insert(key);
            } else {
                assert_eq!(set.remove(&key), tree.remove(&key));
            }
            assert!(set.iter().eq(tree.iter()));
            assert_eq!(set.first(), tree.first());
            assert_eq!(set.last(), tree.last());
            assert_eq!(set.len(), tree.len());
            assert_eq!(set.contains(&key), tree.contains(&key));
            assert!(set.from(key).eq(tree.range(key..)));
            assert!(set.after(key).eq(tree.range(key + 1..)));
            assert!(set.before(key).rev().eq(tree.range(..key).rev()));
        }
    }

    #[test]
    fn one_member_is_not_taken_for_another() {
        let mut set = Set::new();
        set.insert(5_u64);
        set.insert(5);
        assert!(set.iter().eq(&[5]), "{set:?}");
        assert!(!set.remove(&4) && !set.remove(&6));
        assert!(set.iter().eq(&[5]), "{set:?}");
        assert!(set.remove(&5) && !set.remove(&5));
        assert!(set.is_empty());
    }
}

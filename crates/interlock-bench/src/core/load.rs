//! The measured load: submit, take, finish, over and over, walking through many resources.

use super::world::{KIND, World, submission};
use interlock_core::reply::Verdict;
use interlock_core::words::Submission;
use std::fmt::Write;

/// What each task carries: a small JSON document.
const PAYLOAD: &str = r#"{"remote":"https://example.org/f16/","policy":"on_demand","checks":true}"#;
/// Tasks per take of a busy worker.
pub(crate) const BATCH: u64 = 64;

/// How a worker loops.
#[derive(Clone, Copy)]
pub(crate) enum Loop {
    /// Takes so many at a time; finishes ride along with the next take.
    Batch(u64),
    /// Takes one and reports it before it takes the next.
    Separate,
}

/// Cycles over many resources.
pub(crate) struct Load {
    resources: usize,
    next: usize,
    priority: Option<u8>,
    /// The name of the next resource; written here anew each time, since a table of all names would
    /// cost more cache than the core does.
    name: String,
}

impl Load {
    /// Walks through so many resources, never near one that it used lately.
    pub(crate) fn new(resources: usize) -> Self {
        Self {
            resources,
            next: 0,
            priority: None,
            name: String::new(),
        }
    }

    /// Submits with this priority instead of the kind's.
    pub(crate) fn with_priority(mut self, priority: u8) -> Self {
        self.priority = Some(priority);
        self
    }

    /// What is submitted next.
    pub(crate) fn next(&mut self) -> Submission {
        // A stride without a common divisor with the number of resources reaches every one of them.
        self.next = (self.next + 61_803) % self.resources;
        self.name.clear();
        write!(self.name, "repository:{:06}", self.next).expect("a string takes everything");
        let mut submission = submission(KIND, &self.name, PAYLOAD);
        submission.priority = self.priority;
        submission
    }

    /// Runs so many cycles.
    pub(crate) fn run(&mut self, world: &mut World, looping: Loop, cycles: u64) {
        match looping {
            Loop::Batch(batch) => {
                for _ in 0..cycles.div_ceil(batch) {
                    self.batch(world, batch);
                }
            }
            Loop::Separate => {
                for _ in 0..cycles {
                    self.batch(world, 1);
                    world.finish();
                }
            }
        }
    }

    fn batch(&mut self, world: &mut World, batch: u64) {
        for _ in 0..batch {
            let verdict = world.submit(self.next());
            assert_eq!(verdict, Verdict::Accepted, "its resource is free");
        }
        world.take(batch as usize);
        world.pass(batch);
    }
}

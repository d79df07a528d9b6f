//! Numbers that name things. All are drawn in order within a namespace and never reused.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

id!(
    /// A task, in order of submission.
    TaskId(u64)
);
id!(
    /// A kind, in order of first registration.
    KindId(u32)
);
id!(
    /// A quota, in order of first definition.
    QuotaId(u32)
);
id!(
    /// One start of a worker: the log position of its registration.
    SessionId(u64)
);
id!(
    /// A group of tasks submitted together.
    GroupId(u64)
);

/// Names a run and fences it: the generation of the store and the log position of the hand-out.
///
/// Ordered, and only ever growing over the namespace, so a third system can refuse a stale writer
/// by remembering the highest one it has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Token {
    /// Raised by every restore of the store.
    pub generation: u32,
    /// Log position of the hand-out.
    pub position: u64,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.generation, self.position)
    }
}

/// How a task ended. Persisted numbers, never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Outcome {
    /// A run reported success.
    Succeeded = 1,
    /// It will not be tried again.
    Failed = 2,
    /// It was called off, by a person or by a rule.
    Cancelled = 3,
}

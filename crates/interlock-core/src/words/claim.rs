//! Claims: which resource a task touches, and how.

use super::ResourceName;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a task does to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Op {
    /// Shared: readers run side by side.
    Read = 1,
    /// Exclusive.
    Update = 2,
    /// Exclusive, and begins the resource's life: a barrier.
    Create = 3,
    /// Exclusive, and ends the resource's life: a barrier.
    Delete = 4,
}

impl Op {
    /// Whether two holders of this operation may run side by side.
    pub fn is_shared(self) -> bool {
        self == Op::Read
    }

    /// Whether the operation decides the future of the resource.
    pub fn is_lifecycle(self) -> bool {
        matches!(self, Op::Create | Op::Delete)
    }

    /// Whether two claims on one resource exclude each other.
    pub fn conflicts(self, other: Op) -> bool {
        !(self.is_shared() && other.is_shared())
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Op::Read => "read",
            Op::Update => "update",
            Op::Create => "create",
            Op::Delete => "delete",
        })
    }
}

/// A resource and an operation on it. Without an operation the kind's own applies.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Claim {
    /// The resource.
    pub resource: ResourceName,
    /// The operation; `None` means the kind's.
    pub op: Option<Op>,
}

impl Claim {
    /// A claim with an explicit operation.
    pub fn new(resource: ResourceName, op: Op) -> Self {
        Self {
            resource,
            op: Some(op),
        }
    }
}

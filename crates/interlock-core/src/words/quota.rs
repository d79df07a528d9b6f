//! Quotas: how much may be started or spent, and when.

use super::Name;
use serde::{Deserialize, Serialize};

/// A quota: a name, what it is counted over, and any number of limits that hold at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quota {
    /// Its name.
    pub name: Name,
    /// What it is counted over.
    pub scope: Scope,
    /// All of them hold at once.
    pub limits: Vec<Limit>,
}

/// What a quota is counted over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// One count for the namespace.
    Namespace,
    /// One count per resource of this type.
    Per(Name),
}

/// One limit of a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Limit {
    /// At most `units` in any span of `per_ms`.
    Window {
        /// Units.
        units: u64,
        /// The span.
        per_ms: u64,
    },
    /// At most so many units held by live runs.
    AtOnce(u64),
}

impl Limit {
    /// The units that it allows.
    pub fn units(&self) -> u64 {
        match self {
            Limit::Window { units, .. } | Limit::AtOnce(units) => *units,
        }
    }
}

//! Settings of a namespace.

use crate::limits;
use serde::{Deserialize, Serialize};

/// Settings of a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Namespace {
    /// The head start that one level of priority gives. It bounds how long a task can be passed by
    /// later ones: nine steps.
    pub step_ms: u64,
    /// At most so many waiting tasks.
    pub waiting_max: u64,
    /// At most so many waiting tasks on one resource.
    pub waiting_per_resource_max: u64,
}

impl Default for Namespace {
    fn default() -> Self {
        Self {
            step_ms: limits::STEP_MS_DEFAULT,
            waiting_max: limits::WAITING_MAX_DEFAULT,
            waiting_per_resource_max: limits::WAITING_MAX_DEFAULT,
        }
    }
}

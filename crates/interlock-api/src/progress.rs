//! Progress: as a worker reports it, and as it is shown.

use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How far a run is, as its worker reports it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"done": 450, "total": 1000, "unit": "packages", "message": "fetching"}))]
pub struct Progress {
    /// Units done.
    pub done: u64,
    /// Units in all, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// What is counted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(max_length = 1000)]
    pub unit: String,
    /// What it is doing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(max_length = 1000)]
    pub message: String,
}

/// How far a run is, and what follows from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ShownProgress {
    /// Units done.
    pub done: u64,
    /// Units in all, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// What is counted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// What it is doing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Done of the total, in percent, rounded down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 100)]
    pub percent: Option<u8>,
    /// Units per second since the run began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// When it will be done if it goes on at this rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_end: Option<Time>,
}

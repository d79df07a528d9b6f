//! Namespaces: worlds of their own.

use crate::span::Span;
use crate::status::Counts;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Settings of a namespace. Everything has a default; what is left out goes back to it. When read,
/// all of it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"step": "1h", "waiting_max": 10000000}))]
pub struct NamespacePolicy {
    /// Its name. Not needed where the path has it; if given, it must be the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, example = "default")]
    pub name: Option<String>,
    /// The head start that one level of priority gives, at most a week; `1h` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Span>,
    /// At most so many waiting tasks; 10,000,000 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_max: Option<u64>,
    /// At most so many waiting tasks on one resource; 10,000,000 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_per_resource_max: Option<u64>,
}

/// A namespace as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Namespace {
    /// Its name.
    #[schema(example = "default")]
    pub name: String,
    /// Its settings, in full; they can be sent back as they are.
    pub policy: NamespacePolicy,
    /// Whether an operator holds it: no task starts.
    pub held: bool,
    /// When it was created.
    pub created: Time,
    /// How many of what there are.
    pub counts: Counts,
}

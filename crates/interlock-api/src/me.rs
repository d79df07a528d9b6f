//! Who the caller is, and what they may do.

use crate::token::Scope;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The caller, as the server sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Me {
    /// The name of the token; none if no token is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "nightly job")]
    pub name: Option<String>,
    /// The only namespace that it may use; any if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "default")]
    pub namespace: Option<String>,
    /// What it allows.
    pub scopes: Vec<Scope>,
    /// The namespaces that it may use, by name.
    pub namespaces: Vec<String>,
    /// The server's version.
    #[schema(example = "0.1.0")]
    pub version: String,
}

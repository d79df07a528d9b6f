//! Tokens: who may do what in which namespace. The secret is shown once.

use crate::time::Time;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// What a token allows.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// To submit tasks.
    Submit,
    /// To be a worker.
    Work,
    /// To look at everything in the namespace.
    Read,
    /// To cancel, retry, bump, hold, release, drain and purge.
    Operate,
    /// To change kinds, schedules, quotas, namespaces and tokens.
    Admin,
}

/// Creates a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "nightly job", "scopes": ["submit", "read"]}))]
pub struct CreateToken {
    /// What it is for.
    #[schema(min_length = 1, max_length = 200)]
    pub name: String,
    /// The namespace it is good for; all of them if none, which only a token for all may create.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200)]
    pub namespace: Option<String>,
    /// What it allows.
    #[schema(min_items = 1)]
    pub scopes: Vec<Scope>,
}

/// A new token, with its secret. It is not kept and can't be shown again.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TokenCreated {
    /// The token.
    pub token: Token,
    /// To be sent as `Authorization: Bearer …`.
    pub secret: String,
}

/// Without the secret, so that it reaches no log.
impl std::fmt::Debug for TokenCreated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenCreated")
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}

/// How to revoke a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RevokeQuery {
    /// Also the last token that can create others: from then on nobody can come in with more than
    /// the tokens that are left allow.
    #[serde(default)]
    #[param(required = false)]
    pub force: bool,
}

/// A token without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Token {
    /// Names it when it is to be revoked.
    #[schema(example = "7")]
    pub id: String,
    /// What it is for.
    pub name: String,
    /// The namespace it is good for; all of them if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// What it allows.
    pub scopes: Vec<Scope>,
    /// When it was created.
    pub created: Time,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<Time>,
}

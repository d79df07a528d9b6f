//! Access tokens, of which only a hash is kept.

use super::NamespaceId;

/// A token to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// What people call it.
    pub name: String,
    /// SHA-256 of the secret. The secret itself is never stored.
    pub hash: [u8; 32],
    /// A few last letters of the secret, by which people tell tokens apart.
    pub hint: String,
    /// For which namespace; none for all.
    pub namespace: Option<NamespaceId>,
    /// What it allows, in the caller's words.
    pub scopes: String,
    /// When it was created.
    pub created_ms: u64,
}

/// A token that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its number, never used again.
    pub id: u64,
    /// What it was created with.
    pub made: NewToken,
    /// When it was revoked.
    pub revoked_ms: Option<u64>,
}

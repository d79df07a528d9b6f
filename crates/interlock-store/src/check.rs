//! What every store refuses, so that all of them refuse the same: they differ in where they keep
//! things, not in what they take.

use crate::error::StoreError;
use crate::limits;
use crate::store::Result;
use crate::types::{Append, Checkpoint, HistoryRow, NamespaceId, RowChange};

/// The position that an empty log begins with.
pub(crate) const FIRST_POSITION: u64 = 1;

/// Numbers are kept in signed columns.
const NUMBER_MAX: u64 = i64::MAX as u64;

pub(crate) fn name(field: &'static str, name: &str) -> Result<()> {
    let bad = |why| Err(StoreError::BadValue { field, why });
    match name.len() {
        0 => bad("it is empty"),
        1..=limits::NAME_BYTES_MAX => Ok(()),
        _ => bad("it is too long"),
    }
}

pub(crate) fn number(field: &'static str, number: u64) -> Result<()> {
    if number <= NUMBER_MAX {
        return Ok(());
    }
    let why = "it is 2^63 or more";
    Err(StoreError::BadValue { field, why })
}

/// Each record begins where the log of its namespace ends, or where the one before it ended.
/// Returns the new ends, which count when the append is committed.
pub(crate) fn append(
    records: &[Append<'_>],
    end: impl Fn(NamespaceId) -> Option<u64>,
) -> Result<Vec<(NamespaceId, u64)>> {
    let mut ends: Vec<(NamespaceId, u64)> = Vec::with_capacity(1);
    for record in records {
        let namespace = record.namespace;
        let known = ends.iter_mut().find(|(of, _)| *of == namespace);
        let expected = match &known {
            Some((_, end)) => *end,
            None => end(namespace).ok_or(StoreError::UnknownNamespace(namespace))?,
        };
        if record.position != expected {
            let got = record.position;
            return Err(StoreError::Gap {
                namespace,
                expected,
                got,
            });
        }
        let only_consumes = record.next == record.position
            && record.bytes.is_empty()
            && !record.consumed.is_empty();
        if record.next <= record.position && !only_consumes {
            let (field, why) = ("next", "a record has one event at least");
            return Err(StoreError::BadValue { field, why });
        }
        number("next", record.next)?;
        number("at_ms", record.at_ms)?;
        match known {
            Some((_, end)) => *end = record.next,
            None => ends.push((namespace, record.next)),
        }
    }
    Ok(ends)
}

/// For stores without an inbox.
pub(crate) fn consumes_nothing(records: &[Append<'_>]) -> Result<()> {
    if records.iter().all(|record| record.consumed.is_empty()) {
        return Ok(());
    }
    Err(StoreError::Unsupported("this store has no inbox"))
}

/// A checkpoint fits the log, and what it writes can be written.
pub(crate) fn checkpoint(checkpoint: &Checkpoint, position: u64, end: u64) -> Result<()> {
    bounds(checkpoint, position, end)?;
    rows(&checkpoint.rows)?;
    history(&checkpoint.ended)
}

/// A checkpoint covers what is in the log, goes forward, and deletes no more than it covers.
pub(crate) fn bounds(checkpoint: &Checkpoint, position: u64, end: u64) -> Result<()> {
    let bad = |why| {
        Err(StoreError::BadCheckpoint {
            namespace: checkpoint.namespace,
            position: checkpoint.position,
            why,
        })
    };
    if checkpoint.position < position {
        return bad("the last one was beyond it");
    }
    if checkpoint.position > end {
        return bad("the log ends before it");
    }
    if checkpoint.keep_log_from > checkpoint.position {
        return bad("it would delete records that it does not cover");
    }
    Ok(())
}

pub(crate) fn rows(changes: &[RowChange]) -> Result<()> {
    for change in changes {
        match change {
            RowChange::PutTask { task, shown, .. } => {
                number("task", *task)?;
                number("submitted_ms", shown.submitted_ms)?;
            }
            RowChange::DeleteTask { task } => number("task", *task)?,
            RowChange::Put { .. } | RowChange::Delete { .. } => {}
        }
    }
    Ok(())
}

pub(crate) fn history(rows: &[HistoryRow]) -> Result<()> {
    for row in rows {
        number("task", row.task)?;
        number("submitted_ms", row.submitted_ms)?;
        number("ended_ms", row.ended_ms)?;
        number("parent", row.parent.unwrap_or(0))?;
        for &group in &row.groups {
            number("group", group)?;
        }
        for &alias in &row.aliases {
            number("alias", alias)?;
        }
    }
    Ok(())
}

//! The checksum of each kind of row, the same in every store.

use crate::checksum::{self, Fields};

use crate::types::{HistoryRow, NamespaceId, Shown, Table, Token};

/// Of a record of the log.
pub(crate) fn record(of: NamespaceId, position: u64, next: u64, at_ms: u64, bytes: &[u8]) -> u64 {
    checksum::of_bytes(&[of.0.into(), position, next, at_ms], bytes)
}

/// Of a task's row. The list of resources is passed as it is stored.
pub(crate) fn task(of: NamespaceId, task: u64, shown: &Shown, resources: &str, body: &[u8]) -> u64 {
    Fields::of("tasks")
        .number(of.0.into())
        .number(task)
        .text(&shown.kind)
        .text(resources)
        .text(&shown.stage)
        .number(shown.priority.into())
        .number(shown.submitted_ms)
        .bytes(body)
        .sum()
}

/// Of a row of another table.
pub(crate) fn row(of: NamespaceId, table: Table, key: &[u8], body: &[u8]) -> u64 {
    Fields::of("rows")
        .number(of.0.into())
        .number(table.0.into())
        .bytes(key)
        .bytes(body)
        .sum()
}

/// The last moment that a column holds stands for never.
pub(crate) fn expiry(expires_ms: u64) -> i64 {
    i64::try_from(expires_ms).unwrap_or(i64::MAX)
}

/// Of an ended task.
pub(crate) fn history(of: NamespaceId, row: &HistoryRow) -> u64 {
    Fields::of("history")
        .number(of.0.into())
        .number(row.task)
        .text(&row.kind)
        .text(&row.outcome)
        .texts(&row.resources)
        .number(row.submitted_ms)
        .number(row.ended_ms)
        .optional_text(row.worker.as_deref())
        .few(&row.groups)
        .optional_text(row.schedule.as_deref())
        .option(row.parent)
        .texts(&row.tags)
        .optional_text(row.error.as_deref())
        .numbers(&row.aliases)
        .number(expiry(row.expires_ms).cast_unsigned())
        .bytes(&row.body)
        .sum()
}

/// Of a token.
pub(crate) fn token(token: &Token) -> u64 {
    Fields::of("tokens")
        .number(token.id)
        .text(&token.made.name)
        .bytes(&token.made.hash)
        .text(&token.made.hint)
        .option(token.made.namespace.map(|namespace| namespace.0.into()))
        .text(&token.made.scopes)
        .number(token.made.created_ms)
        .option(token.revoked_ms)
        .sum()
}

/// Of a setting.
pub(crate) fn setting(name: &str, value: &[u8]) -> u64 {
    Fields::of("settings").text(name).bytes(value).sum()
}

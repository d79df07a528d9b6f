//! Rows of the core as the store takes them.

use interlock_core::row::Change;
use interlock_core::words::ResourceName;
use interlock_store::{RowChange, Shown, Table};

/// A row that changed.
pub fn row_change(change: Change) -> RowChange {
    use interlock_core::row::Table as CoreTable;
    let task = || {
        let key = <[u8; 8]>::try_from(change.key.as_slice()).unwrap_or_default();
        u64::from_be_bytes(key)
    };
    match (change.table, change.body) {
        (CoreTable::Task, None) => RowChange::DeleteTask { task: task() },
        (CoreTable::Task, Some(body)) => RowChange::PutTask {
            task: task(),
            shown: shown(change.shown),
            body,
        },
        (table, None) => RowChange::Delete {
            table: Table(table as u8),
            key: change.key,
        },
        (table, Some(body)) => RowChange::Put {
            table: Table(table as u8),
            key: change.key,
            body,
        },
    }
}

fn shown(shown: Option<interlock_core::row::Shown>) -> Shown {
    shown.map_or_else(Shown::default, |shown| Shown {
        kind: shown.kind.into_shared(),
        resources: (shown.resources.into_iter())
            .map(ResourceName::into_shared)
            .collect(),
        stage: shown.stage.into(),
        priority: shown.priority,
        submitted_ms: shown.submitted.0,
    })
}

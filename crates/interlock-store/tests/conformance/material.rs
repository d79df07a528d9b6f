//! Small things to store.

use std::ops::ControlFlow;

use interlock_store::{
    Append, Checkpoint, HistoryRow, Loaded, LogRecord, NamespaceId, RowChange, Shown, Store, Table,
};

pub(crate) fn namespace(store: &mut dyn Store) -> NamespaceId {
    store.create_namespace("default", 1).unwrap().id
}

/// Appends one record of one event per text.
pub(crate) fn append(store: &mut dyn Store, to: NamespaceId, texts: &[&str]) {
    for text in texts {
        let position = store.end(to).unwrap();
        store.append(&[one(to, position, text)]).unwrap();
    }
}

/// A record of one event.
pub(crate) fn one(namespace: NamespaceId, position: u64, text: &str) -> Append<'_> {
    Append {
        namespace,
        position,
        next: position + 1,
        at_ms: 1_000 + position,
        bytes: text.as_bytes(),
        consumed: &[],
    }
}

pub(crate) fn record(position: u64, text: &str) -> LogRecord {
    LogRecord {
        position,
        next: position + 1,
        at_ms: 1_000 + position,
        bytes: text.as_bytes().to_vec(),
    }
}

pub(crate) fn load(store: &mut dyn Store, of: NamespaceId) -> Vec<Loaded> {
    let mut loaded = Vec::new();
    let visit = &mut |one| {
        loaded.push(one);
        ControlFlow::Continue(())
    };
    store.load(of, visit).unwrap();
    loaded
}

pub(crate) fn checkpoint(namespace: NamespaceId, position: u64) -> Checkpoint {
    Checkpoint {
        namespace,
        position,
        rows: Vec::new(),
        ended: Vec::new(),
        keep_log_from: position,
    }
}

pub(crate) fn put_task(task: u64, body: &str) -> RowChange {
    let shown = Shown {
        kind: "sync".into(),
        resources: vec!["repository:f16".into()],
        stage: "in line".into(),
        priority: 4,
        submitted_ms: 17,
    };
    RowChange::PutTask {
        task,
        shown,
        body: body.as_bytes().to_vec(),
    }
}

pub(crate) fn put(table: u8, key: &str, body: &str) -> RowChange {
    RowChange::Put {
        table: Table(table),
        key: key.as_bytes().to_vec(),
        body: body.as_bytes().to_vec(),
    }
}

pub(crate) fn loaded_task(task: u64, body: &str) -> Loaded {
    Loaded::Task {
        task,
        body: body.as_bytes().to_vec(),
    }
}

pub(crate) fn loaded_row(table: u8, key: &str, body: &str) -> Loaded {
    Loaded::Row {
        table: Table(table),
        key: key.as_bytes().to_vec(),
        body: body.as_bytes().to_vec(),
    }
}

pub(crate) fn ended(task: u64, kind: &str, outcome: &str, resources: &[&str]) -> HistoryRow {
    HistoryRow {
        task,
        kind: kind.to_owned(),
        outcome: outcome.to_owned(),
        resources: resources.iter().map(|&name| name.to_owned()).collect(),
        submitted_ms: task * 10,
        ended_ms: task * 10 + 5,
        worker: Some(format!("worker-{}", task % 3)),
        expires_ms: u64::MAX,
        body: vec![task as u8; 3],
        ..HistoryRow::default()
    }
}

pub(crate) fn failed(task: u64, kind: &str, resources: &[&str], error: &str) -> HistoryRow {
    HistoryRow {
        error: Some(error.to_owned()),
        ..ended(task, kind, "failed", resources)
    }
}

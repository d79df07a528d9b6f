//! Nodes and small things to store.

use std::ops::ControlFlow;
use std::time::Duration;

use interlock_pgtest::Database;
use interlock_store::postgres::{NewNode, NodeId, Ownership};
use interlock_store::{Append, HistoryRow, Loaded, NamespaceId, PostgresStore, Store, StoreError};

/// A process that has joined.
pub(crate) struct Process {
    pub(crate) store: PostgresStore,
    pub(crate) ownership: Ownership,
    pub(crate) id: NodeId,
}

pub(crate) fn new_node(name: &str) -> NewNode {
    NewNode {
        name: name.to_owned(),
        address: format!("http://{name}:7420"),
        version: "0.1.0".to_owned(),
        lease: Duration::from_secs(600),
        takeover: false,
    }
}

impl Process {
    pub(crate) fn join(database: &Database<'_>, name: &str) -> Self {
        Self::join_by(&database.url(), name)
    }

    pub(crate) fn join_by(url: &str, name: &str) -> Self {
        let store = PostgresStore::open(url).unwrap();
        let mut ownership = store.ownership();
        let id = ownership.join(&new_node(name)).unwrap().node;
        Self {
            store,
            ownership,
            id,
        }
    }

    pub(crate) fn append(&mut self, to: NamespaceId, text: &str) -> Result<(), StoreError> {
        let position = self.store.end(to)?;
        self.store.append(&[record(to, position, text)])
    }
}

/// Its lease is over, by the database's clock.
pub(crate) fn kill(database: &Database<'_>, node: NodeId) {
    let sql = "UPDATE interlock.nodes SET lease_until = clock_timestamp() - interval '1 ms'";
    database.sql(&format!("{sql} WHERE id = {}", node.0));
}

pub(crate) fn record(namespace: NamespaceId, position: u64, text: &str) -> Append<'_> {
    Append {
        namespace,
        position,
        next: position + 1,
        at_ms: 1,
        bytes: text.as_bytes(),
        consumed: &[],
    }
}

/// The texts in the log of a namespace that is owned.
pub(crate) fn log(store: &mut dyn Store, of: NamespaceId) -> Vec<String> {
    let mut texts = Vec::new();
    let visit = &mut |loaded| {
        if let Loaded::Record(record) = loaded {
            texts.push(String::from_utf8(record.bytes).unwrap());
        }
        ControlFlow::Continue(())
    };
    store.load(of, visit).unwrap();
    texts
}

pub(crate) fn ended(task: u64) -> HistoryRow {
    HistoryRow {
        task,
        kind: "sync".to_owned(),
        outcome: "succeeded".to_owned(),
        resources: vec![format!("shop:{task}")],
        expires_ms: 5,
        ..HistoryRow::default()
    }
}

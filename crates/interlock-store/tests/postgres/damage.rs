//! What was read is not what was written: it shows.

use interlock_pgtest::{Database, Server};
use interlock_store::{Checkpoint, PostgresStore, RowChange, Shown, Store, StoreError, Table};

use crate::material::*;

fn furnished(database: &Database<'_>) -> Process {
    let mut a = Process::join(database, "a");
    let namespace = a.store.create_namespace("default", 1).unwrap().id;
    for text in ["first", "second", "third"] {
        a.append(namespace, text).unwrap();
    }
    let checkpoint = Checkpoint {
        namespace,
        position: 2,
        rows: vec![
            RowChange::PutTask {
                task: 1,
                shown: Shown::default(),
                body: vec![1],
            },
            RowChange::Put {
                table: Table(1),
                key: vec![1],
                body: vec![1],
            },
        ],
        ended: vec![ended(7)],
        keep_log_from: 1,
    };
    a.store.checkpoint(&checkpoint).unwrap();
    a.store.put_setting("a", Some(b"1")).unwrap();
    a
}

#[test]
fn a_row_that_was_changed_or_is_missing_is_found_by_a_load() {
    for damage in [
        "UPDATE interlock.log SET bytes = 'other' WHERE position = 3",
        "UPDATE interlock.log SET at_ms = 77 WHERE position = 2",
        "DELETE FROM interlock.log WHERE position = 2",
        "UPDATE interlock.tasks SET kind = 'other'",
        "UPDATE interlock.tasks SET task = 0",
        "DELETE FROM interlock.tasks",
        "UPDATE interlock.rows SET key = '2'",
        "DELETE FROM interlock.rows",
        "UPDATE interlock.namespaces SET position = 3",
    ] {
        let database = Server::shared().database();
        let mut a = furnished(&database);
        database.sql(damage);
        let namespace = interlock_store::NamespaceId(1);
        let loaded = a
            .store
            .load(namespace, &mut |_| std::ops::ControlFlow::Continue(()));
        assert!(
            matches!(loaded, Err(StoreError::Damaged { .. })),
            "{damage}: {loaded:?}"
        );
    }
}

#[test]
fn damage_to_what_an_opening_needs_is_found_by_it() {
    for damage in [
        "UPDATE interlock.settings SET value = 'other'",
        "DELETE FROM interlock.settings",
        "UPDATE interlock.store SET generation = 7",
        "DELETE FROM interlock.store",
    ] {
        let database = Server::shared().database();
        furnished(&database);
        database.sql(damage);
        let opened = PostgresStore::open(&database.url()).err();
        assert!(
            matches!(opened, Some(StoreError::Damaged { .. })),
            "{damage}: {opened:?}"
        );
    }
}

#[test]
fn damage_to_history_is_found_when_it_is_read() {
    let database = Server::shared().database();
    let a = furnished(&database);
    database.sql("UPDATE interlock.history SET outcome = 'other'");
    let mut reader = a.store.reader().unwrap();
    let found = reader.find(interlock_store::NamespaceId(1), 7);
    assert!(
        matches!(found, Err(StoreError::Damaged { .. })),
        "{found:?}"
    );
}

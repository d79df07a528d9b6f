//! The database is gone for a while.

use interlock_pgtest::Server;
use interlock_store::{Store, StoreError};

use crate::material::*;

#[test]
fn a_crashed_database_heals_without_a_restart_of_ours() {
    let server = Server::start(&[]);
    let database = server.database();
    let mut process = Process::join(&database, "a");
    let namespace = process.store.create_namespace("default", 1).unwrap().id;
    let mut reader = process.store.reader().unwrap();
    let mut expected = Vec::new();
    for round in 0..3 {
        let text = format!("before outage {round}");
        process.append(namespace, &text).unwrap();
        expected.push(text);
        server.down();
        let position = expected.len() as u64 + 1;
        let refused = process
            .store
            .append(&[record(namespace, position, "never")]);
        let unsure = match refused {
            Err(StoreError::Unreachable { .. }) => false,
            // It was sent to a server that was already gone; nobody can know.
            Err(StoreError::Unsure { .. }) => true,
            other => panic!("{other:?}"),
        };
        assert!(reader.find(namespace, 1).is_err());
        assert!(process.ownership.renew().is_err());
        server.up();
        process.ownership.renew().unwrap();
        if unsure {
            process.ownership.claim(namespace).unwrap();
            assert_eq!(log(&mut process.store, namespace), expected);
        }
        assert_eq!(reader.find(namespace, 1).unwrap(), None);
    }
    process.append(namespace, "after").unwrap();
    expected.push("after".to_owned());
    assert_eq!(log(&mut process.store, namespace), expected);
    assert_eq!(process.store.generation(), 1, "nothing was restored");
}

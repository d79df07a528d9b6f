//! The tables come to be once, whoever comes first, and a newer version's are left alone.

use std::sync::Barrier;

use interlock_pgtest::Server;
use interlock_store::{PostgresStore, Store, StoreError};

#[test]
fn several_processes_at_once_make_the_tables_once() {
    for _ in 0..5 {
        let database = Server::shared().database();
        let (start, url) = (Barrier::new(4), database.url());
        std::thread::scope(|scope| {
            for number in 0..4 {
                let (start, url) = (&start, &url);
                scope.spawn(move || {
                    start.wait();
                    let mut store = PostgresStore::open(url).unwrap();
                    assert_eq!(store.generation(), 1);
                    store.create_namespace(&format!("of {number}"), 1).unwrap();
                });
            }
        });
        assert_eq!(
            database.sql("SELECT count(*) FROM interlock.migrations"),
            "1"
        );
        let made = database.sql("SELECT count(DISTINCT id) FROM interlock.namespaces");
        assert_eq!(made, "4", "and four ids were drawn");
    }
}

#[test]
fn the_tables_of_a_newer_version_are_refused() {
    let database = Server::shared().database();
    PostgresStore::open(&database.url()).unwrap();
    database.sql("INSERT INTO interlock.migrations (version, by) VALUES (99, 'a newer one')");
    let error = PostgresStore::open(&database.url()).err().unwrap();
    let newer = |error: &StoreError| {
        matches!(
            error,
            StoreError::NewerSchema {
                found: 99,
                known: 1
            }
        )
    };
    assert!(newer(&error), "{error}");
}

#[test]
fn tables_that_exist_need_no_right_to_make_any() {
    let database = Server::shared().database();
    PostgresStore::open(&database.url()).unwrap();
    database.sql(&format!(
        "ALTER DATABASE {} OWNER TO postgres; REVOKE CREATE ON DATABASE {} FROM interlock",
        database.name(),
        database.name()
    ));
    PostgresStore::open(&database.url()).unwrap();
}

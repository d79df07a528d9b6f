//! Submissions from within other people's transactions, each consumed once.

use std::time::{Duration, Instant};

use interlock_pgtest::Server;
use interlock_store::{Append, Consumed, NamespaceId, Store, StoreError};
use tokio_postgres::NoTls;

use crate::material::*;

const LONG: Duration = Duration::from_secs(30);

fn consumed(id: u64, outcome: &str) -> Consumed {
    Consumed {
        id,
        outcome: outcome.to_owned(),
    }
}

fn consuming<'a>(of: NamespaceId, position: u64, consumed: &'a [Consumed]) -> Append<'a> {
    Append {
        consumed,
        ..record(of, position, "submitted")
    }
}

#[test]
fn a_submission_is_found_consumed_with_its_events_and_told_of() {
    let database = Server::shared().database();
    let mut a = Process::join(&database, "a");
    let namespace = a.store.create_namespace("default", 1).unwrap().id;
    let mut inbox = a.store.inbox();
    assert_eq!(inbox.wait(LONG).unwrap(), [], "the first look is at once");
    assert!(inbox.is_listening());
    let key = database.sql(
        r#"SELECT interlock.submit('sync', '["shop:1"]', '{"full": true}', 'order 17',
            '{"priority": 7}')"#,
    );
    assert_eq!(key, "order 17");
    assert_eq!(inbox.wait(LONG).unwrap(), [namespace]);
    let pending = inbox.pending(namespace, &[], 10).unwrap();
    assert_eq!((pending.len(), &*pending[0].key), (1, "order 17"));
    let expected = r#"{"kind": "sync", "payload": {"full": true}, "priority": 7, "resources": ["shop:1"], "idempotency_key": "order 17"}"#;
    assert_eq!(pending[0].submission, expected);
    assert_eq!(pending[0].submitted_by, "postgres");
    let id = pending[0].id;
    assert_eq!(inbox.pending(namespace, &[id], 10).unwrap(), []);
    assert_eq!(database.sql("SELECT interlock.outcome('order 17')"), "");
    let done = [consumed(id, r#"{"task": 1}"#)];
    a.store.append(&[consuming(namespace, 1, &done)]).unwrap();
    assert_eq!(inbox.pending(namespace, &[], 10).unwrap(), []);
    assert_eq!(
        database.sql("SELECT interlock.outcome('order 17')"),
        r#"{"task": 1}"#
    );
    // Once more is refused, events and all.
    let again = a.store.append(&[consuming(namespace, 2, &done)]);
    assert!(
        matches!(again, Err(StoreError::NotPending { .. })),
        "{again:?}"
    );
    assert_eq!(log(&mut a.store, namespace), ["submitted"]);
    // A repetition by the submitter does nothing, another submission under its key is refused.
    let same = r#"SELECT interlock.submit('sync', '["shop:1"]', '{"full": true}', 'order 17',
        '{"priority": 7}')"#;
    assert_eq!(database.sql(same), "order 17");
    let other = "SELECT interlock.submit('sync', '[]', NULL, 'order 17')";
    let refused = database
        .server()
        .try_sql(database.name(), other)
        .unwrap_err();
    assert!(refused.contains("another submission"), "{refused}");
    assert_eq!(inbox.pending(namespace, &[], 10).unwrap(), []);
    assert_eq!(
        inbox.forget_outcomes(Duration::from_secs(60), 10).unwrap(),
        0
    );
    assert_eq!(inbox.forget_outcomes(Duration::ZERO, 10).unwrap(), 1);
    assert_eq!(database.sql("SELECT interlock.outcome('order 17')"), "");
}

#[test]
fn a_rejection_is_consumed_without_events() {
    let database = Server::shared().database();
    let mut a = Process::join(&database, "a");
    let namespace = a.store.create_namespace("default", 1).unwrap().id;
    let mut inbox = a.store.inbox();
    let key = database.sql("SELECT interlock.submit('nonsense')");
    let pending = inbox.pending(namespace, &[], 10).unwrap();
    assert_eq!(
        (&pending[0].key, pending.len()),
        (&key, 1),
        "a key was drawn"
    );
    let rejected = [consumed(pending[0].id, r#"{"rejected": true}"#)];
    let nothing = Append {
        next: 1,
        bytes: b"",
        ..consuming(namespace, 1, &rejected)
    };
    a.store.append(&[nothing]).unwrap();
    assert_eq!(a.store.end(namespace).unwrap(), 1);
    assert_eq!(log(&mut a.store, namespace), [] as [&str; 0]);
    let outcome = database.sql(&format!("SELECT interlock.outcome('{key}')"));
    assert_eq!(outcome, r#"{"rejected": true}"#);
}

#[test]
fn a_zombie_consumes_nothing() {
    let database = Server::shared().database();
    let mut a = Process::join(&database, "a");
    let namespace = a.store.create_namespace("default", 1).unwrap().id;
    database.sql("SELECT interlock.submit('sync')");
    let mut inbox = a.store.inbox();
    let id = inbox.pending(namespace, &[], 10).unwrap()[0].id;
    a.store.end(namespace).unwrap();
    database.sql("UPDATE interlock.owners SET epoch = epoch + 1");
    let done = [consumed(id, "{}")];
    let refused = a.store.append(&[consuming(namespace, 1, &done)]);
    assert!(
        matches!(refused, Err(StoreError::NotOwned { .. })),
        "{refused:?}"
    );
    assert_eq!(inbox.pending(namespace, &[], 10).unwrap().len(), 1);
    assert_eq!(database.sql("SELECT count(*) FROM interlock.outcomes"), "0");
}

#[test]
fn a_transaction_that_commits_late_is_not_overlooked_and_one_that_fails_never_was() {
    let database = Server::shared().database();
    let mut a = Process::join(&database, "a");
    let namespace = a.store.create_namespace("default", 1).unwrap().id;
    let mut inbox = a.store.inbox();
    inbox.wait(LONG).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let late = runtime.block_on(async {
        let url = database.url();
        let (late, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        tokio::spawn(connection);
        let submit = "BEGIN; SELECT interlock.submit('late', '[]', NULL, 'late')";
        late.batch_execute(submit).await.unwrap();
        late
    });
    // A later id commits first, and is consumed.
    database.sql("SELECT interlock.submit('early', '[]', NULL, 'early')");
    assert_eq!(inbox.wait(LONG).unwrap(), [namespace]);
    let pending = inbox.pending(namespace, &[], 10).unwrap();
    assert_eq!((pending.len(), &*pending[0].key), (1, "early"));
    let early = [consumed(pending[0].id, "{}")];
    a.store.append(&[consuming(namespace, 1, &early)]).unwrap();
    runtime.block_on(late.batch_execute("COMMIT")).unwrap();
    assert_eq!(inbox.wait(LONG).unwrap(), [namespace]);
    let pending = inbox.pending(namespace, &[], 10).unwrap();
    assert_eq!((pending.len(), &*pending[0].key), (1, "late"));
    assert!(pending[0].id < early[0].id, "its id is the lower one");
    let done = [consumed(pending[0].id, "{}")];
    a.store.append(&[consuming(namespace, 2, &done)]).unwrap();
    database.sql("BEGIN; SELECT interlock.submit('never', '[]', NULL, 'never'); ROLLBACK");
    assert_eq!(inbox.pending(namespace, &[], 10).unwrap(), []);
}

#[test]
fn a_lost_notification_is_made_up_for_by_a_look() {
    let database = Server::shared().database();
    let mut a = Process::join(&database, "a");
    let namespace = a.store.create_namespace("default", 1).unwrap().id;
    let mut inbox = a.store.inbox();
    inbox.wait(LONG).unwrap();
    // Written past the function, so that nobody is notified.
    database.sql("INSERT INTO interlock.inbox (namespace, key, submission) VALUES (1, 'k', '{}')");
    assert_eq!(inbox.wait(Duration::from_millis(50)).unwrap(), [namespace]);
    // The connection that listens is lost: the next look is at once, on another one.
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND query LIKE '%interlock.inbox%'";
    database.sql(end);
    let begun = Instant::now();
    let found = inbox.wait(LONG).or_else(|_lost| inbox.wait(LONG)).unwrap();
    assert_eq!(found, [namespace]);
    assert!(begun.elapsed() < LONG);
    assert!(inbox.is_listening());
}

#[test]
fn a_submission_that_makes_no_sense_is_refused_in_the_submitters_transaction() {
    let database = Server::shared().database();
    let mut a = Process::join(&database, "a");
    a.store.create_namespace("default", 1).unwrap();
    let refused = |call: &str| {
        let sql = format!("SELECT interlock.submit({call})");
        database
            .server()
            .try_sql(database.name(), &sql)
            .unwrap_err()
    };
    assert!(refused("NULL").contains("must not be null"));
    assert!(refused("'sync', '{}'").contains("JSON array"));
    assert!(refused("'sync', '[]', NULL, ''").contains("1 to 200 bytes"));
    assert!(refused("'sync', namespace => 'nowhere'").contains("no namespace 'nowhere'"));
    let huge = "'sync', '[]', to_jsonb(repeat('x', 3000000))";
    assert!(refused(huge).contains("2 MiB"));
    // A role needs the schema and the function, and no table.
    database.sql("CREATE ROLE app LOGIN; GRANT USAGE ON SCHEMA interlock TO app");
    let submit = "SET ROLE app; SELECT interlock.submit('sync')";
    let no = database
        .server()
        .try_sql(database.name(), submit)
        .unwrap_err();
    assert!(no.contains("permission denied for function"), "{no}");
    database.sql("GRANT EXECUTE ON FUNCTION interlock.submit TO app");
    database.sql(submit);
    let no = "SET ROLE app; SELECT * FROM interlock.inbox";
    let no = database.server().try_sql(database.name(), no).unwrap_err();
    assert!(no.contains("permission denied for table"), "{no}");
}

//! A zombie changes nothing: every write locks the ownership row while it asserts the epoch.

use std::sync::mpsc::channel;
use std::time::Duration;

use interlock_pgtest::Server;
use interlock_store::{Checkpoint, HistoryFilter, NamespaceId, Purge, Sliced, Store, StoreError};
use tokio_postgres::NoTls;

use crate::material::*;

fn lost<T: std::fmt::Debug>(answer: Result<T, StoreError>) {
    assert!(
        matches!(answer, Err(StoreError::NotOwned { .. })),
        "{answer:?}"
    );
}

fn checkpoint(namespace: NamespaceId) -> Checkpoint {
    Checkpoint {
        namespace,
        position: 2,
        rows: Vec::new(),
        ended: vec![ended(1)],
        keep_log_from: 2,
    }
}

/// Everything that there is, as text.
fn everything(database: &interlock_pgtest::Database<'_>) -> String {
    ["log", "history", "tasks", "namespaces"]
        .map(|table| database.sql(&format!("SELECT * FROM interlock.{table} ORDER BY 1, 2")))
        .join("\n")
}

/// Something to write to a namespace, or to another one too.
type Attempt = fn(&mut dyn Store, NamespaceId, NamespaceId) -> Result<(), StoreError>;

#[test]
fn every_write_of_a_zombie_is_refused_and_changes_nothing() {
    let database = Server::shared().database();
    let mut zombie = Process::join(&database, "zombie");
    let namespace = zombie.store.create_namespace("default", 1).unwrap().id;
    let other = zombie.store.create_namespace("other", 1).unwrap().id;
    zombie.append(namespace, "first").unwrap();
    zombie.append(other, "first").unwrap();
    zombie.store.record(namespace, &[ended(9)]).unwrap();
    let mut staged = Sliced::new(checkpoint(namespace));
    zombie.store.stage(&mut staged, 0).unwrap();
    kill(&database, zombie.id);
    let mut owner = Process::join(&database, "owner");
    owner.ownership.claim(namespace).unwrap();
    assert_eq!(log(&mut owner.store, namespace), ["first"]);
    let before = everything(&database);
    // Each on a process of its own that still believes: after the first refusal it knows.
    let attempts: [Attempt; 7] = [
        |store, of, _| store.append(&[record(of, 2, "late")]),
        |store, of, other| store.append(&[record(other, 2, "late"), record(of, 2, "late")]),
        |store, of, _| store.checkpoint(&checkpoint(of)),
        |store, of, _| store.record(of, &[ended(2)]),
        |store, of, _| {
            store
                .stage(&mut Sliced::new(checkpoint(of)), 10)
                .map(|_| ())
        },
        |store, of, _| {
            let filter = HistoryFilter::default();
            let before = None;
            let all = Purge::Matching {
                filter: &filter,
                before,
            };
            store.purge(of, &all, 10).map(|_| ())
        },
        |store, of, _| store.remove_namespace(of),
    ];
    for (number, attempt) in attempts.into_iter().enumerate() {
        database.sql(
            "UPDATE interlock.nodes SET ended = false, \
            lease_until = clock_timestamp() + interval '1 hour'",
        );
        // It claims both, and is robbed of the first without noticing.
        let mut zombie = Process::join(&database, &format!("zombie {number}"));
        database.sql("UPDATE interlock.owners SET node = NULL, epoch = epoch + 1");
        zombie.ownership.claim(namespace).unwrap();
        zombie.ownership.claim(other).unwrap();
        zombie.store.end(namespace).unwrap();
        zombie.store.end(other).unwrap();
        database.sql(&format!(
            "UPDATE interlock.owners SET epoch = epoch + 1 WHERE namespace = {namespace}"
        ));
        lost(attempt(&mut zombie.store, namespace, other));
        assert_eq!(everything(&database), before);
        assert_eq!(zombie.ownership.holds(namespace), None, "it knows now");
        assert!(
            zombie.ownership.holds(other).is_some(),
            "the other is still its own"
        );
        zombie.ownership.leave().unwrap();
    }
}

/// A plain connection, for interleaving by hand.
async fn connect(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// The interleaving that loses an append if the epoch is asserted without the lock: the old owner has
/// asserted it and not yet committed when the new one takes the namespace and loads it.
#[test]
fn whoever_takes_over_waits_for_an_append_under_way_and_sees_it() {
    let database = Server::shared().database();
    let mut old = Process::join(&database, "old");
    let namespace = old.store.create_namespace("default", 1).unwrap().id;
    old.append(namespace, "first").unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    // An append of the old owner's, by hand, stopped before its commit: the store's own statements
    // can't be stopped in the middle.
    let url = database.url();
    let under_way = runtime.block_on(connect(&url));
    let locked = runtime.block_on(async {
        under_way.batch_execute("BEGIN").await.unwrap();
        let lock = "SELECT 1 FROM interlock.owners WHERE namespace = 1 AND epoch = 1 FOR SHARE";
        under_way.query(lock, &[]).await.unwrap().len()
    });
    assert_eq!(locked, 1);
    kill(&database, old.id);
    let (claimed, is_claimed) = channel();
    let mut new = Process::join(&database, "new");
    let claiming = std::thread::spawn(move || {
        new.ownership.claim(namespace).unwrap();
        claimed.send(()).unwrap();
        log(&mut new.store, namespace)
    });
    // The claim waits: the database itself says for whom.
    let blocked = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
        AND wait_event_type = 'Lock'";
    while database.sql(blocked) == "0" {
        assert!(
            is_claimed.try_recv().is_err(),
            "it must wait for the append"
        );
    }
    runtime.block_on(async {
        let insert = "INSERT INTO interlock.log SELECT namespace, 2, 3, at_ms, 'second', 0
            FROM interlock.log";
        under_way.batch_execute(insert).await.unwrap();
        // With the sum that the store would write.
        let sum = sum_of(namespace.0, 2, 3, 1, b"second");
        under_way
            .execute(
                "UPDATE interlock.log SET sum = $1 WHERE position = 2",
                &[&sum],
            )
            .await
            .unwrap();
        under_way.batch_execute("COMMIT").await.unwrap();
    });
    assert_eq!(
        claiming.join().unwrap(),
        ["first", "second"],
        "nothing is lost"
    );
    // And what the old one tries from now on is refused.
    lost(old.store.append(&[record(namespace, 2, "other")]));
}

/// The checksum of a record, taken from a store that wrote the same.
fn sum_of(namespace: u32, position: u64, next: u64, at_ms: u64, bytes: &[u8]) -> i64 {
    let database = Server::shared().database();
    let mut other = Process::join(&database, "other");
    let of = other.store.create_namespace("same", 1).unwrap().id;
    assert_eq!(of.0, namespace);
    let first = interlock_store::Append {
        next: position,
        ..record(of, 1, "anything")
    };
    let same = interlock_store::Append {
        namespace: of,
        position,
        next,
        at_ms,
        bytes,
        consumed: &[],
    };
    other.store.append(&[first, same]).unwrap();
    let sum = database.sql("SELECT sum FROM interlock.log WHERE position = 2");
    sum.parse().unwrap()
}

/// Sessions that wait for a lock.
fn blocked(database: &interlock_pgtest::Database<'_>) -> String {
    database.sql(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
        AND wait_event_type = 'Lock'",
    )
}

/// The same with the store's own append: a row that somebody is about to write at its position stops it
/// in the middle of its statement.
#[test]
fn the_stores_own_append_holds_the_lock_until_its_commit() {
    let database = Server::shared().database();
    let mut old = Process::join(&database, "old");
    let namespace = old.store.create_namespace("default", 1).unwrap().id;
    old.append(namespace, "first").unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let url = database.url();
    let in_the_way = runtime.block_on(connect(&url));
    runtime.block_on(async {
        let insert = "BEGIN; INSERT INTO interlock.log VALUES (1, 2, 3, 1, 'in the way', 0)";
        in_the_way.batch_execute(insert).await.unwrap();
    });
    let old_id = old.id;
    let appending = std::thread::spawn(move || old.store.append(&[record(namespace, 2, "second")]));
    while blocked(&database) != "1" {}
    kill(&database, old_id);
    let mut new = Process::join(&database, "new");
    let claiming = std::thread::spawn(move || {
        new.ownership.claim(namespace).unwrap();
        log(&mut new.store, namespace)
    });
    // Now both wait: the append for the row, the claim for the append.
    while blocked(&database) != "2" {
        assert!(!claiming.is_finished(), "it must wait for the append");
    }
    runtime
        .block_on(in_the_way.batch_execute("ROLLBACK"))
        .unwrap();
    appending.join().unwrap().unwrap();
    assert_eq!(
        claiming.join().unwrap(),
        ["first", "second"],
        "nothing is lost"
    );
}

/// What the lock is for: asserting the epoch alone lets an append commit that the new owner, who has
/// loaded, never sees.
#[test]
fn without_the_lock_an_append_would_commit_unseen() {
    let database = Server::shared().database();
    let mut old = Process::join(&database, "old");
    let namespace = old.store.create_namespace("default", 1).unwrap().id;
    old.append(namespace, "first").unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let url = database.url();
    let unlocked = runtime.block_on(connect(&url));
    let written = runtime.block_on(async {
        unlocked.batch_execute("BEGIN").await.unwrap();
        let insert = "INSERT INTO interlock.log SELECT 1, 2, 3, 1, 'unseen', 0
            FROM interlock.owners WHERE namespace = 1 AND epoch = 1";
        unlocked.execute(insert, &[]).await.unwrap()
    });
    assert_eq!(written, 1, "the epoch is still the old one");
    kill(&database, old.id);
    let mut new = Process::join(&database, "new");
    new.ownership.claim(namespace).unwrap();
    assert_eq!(log(&mut new.store, namespace), ["first"]);
    runtime.block_on(unlocked.batch_execute("COMMIT")).unwrap();
    assert_eq!(
        database.sql("SELECT count(*) FROM interlock.log"),
        "2",
        "and it is there"
    );
}

/// The other order: the namespace is being taken while an append arrives. It waits, and is refused.
#[test]
fn an_append_that_arrives_during_a_takeover_waits_and_is_refused() {
    let database = Server::shared().database();
    let mut old = Process::join(&database, "old");
    let namespace = old.store.create_namespace("default", 1).unwrap().id;
    let other = old.store.create_namespace("other", 1).unwrap().id;
    old.append(namespace, "first").unwrap();
    old.append(other, "first").unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let url = database.url();
    let taking = runtime.block_on(connect(&url));
    runtime.block_on(async {
        let take = "BEGIN; UPDATE interlock.owners SET epoch = epoch + 1 WHERE namespace = 1";
        taking.batch_execute(take).await.unwrap();
    });
    let (done, is_done) = channel();
    let appending = std::thread::spawn(move || {
        let both = [record(other, 2, "late"), record(namespace, 2, "late")];
        done.send(old.store.append(&both)).unwrap();
        old
    });
    let blocked = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
        AND wait_event_type = 'Lock'";
    while database.sql(blocked) == "0" {
        assert!(is_done.try_recv().is_err(), "it must wait");
    }
    runtime.block_on(taking.batch_execute("COMMIT")).unwrap();
    lost(is_done.recv_timeout(Duration::from_secs(30)).unwrap());
    let mut old = appending.join().unwrap();
    let kept = database.sql("SELECT count(*) FROM interlock.log");
    assert_eq!(
        kept, "2",
        "nothing of it, not in the other namespace either"
    );
    old.append(other, "second").unwrap();
}

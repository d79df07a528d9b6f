//! A database that was restored or failed over is known, and takes a higher generation.

use std::process::Stdio;

use interlock_pgtest::Server;
use interlock_store::{PostgresStore, Store, StoreError};

use crate::material::*;

#[test]
fn a_promotion_raises_the_generation_and_ends_what_was_owned() {
    let server = Server::start(&["hot_standby = on"]);
    let database = server.database();
    let mut process = Process::join(&database, "a");
    let namespace = process.store.create_namespace("default", 1).unwrap().id;
    process.append(namespace, "first").unwrap();
    assert_eq!(process.store.generation(), 1);
    server.stand_by();
    let refused = process
        .store
        .append(&[record(namespace, 2, "to a standby")]);
    assert!(refused.is_err());
    server.promote();
    process.ownership.renew().unwrap();
    let refused = process.append(namespace, "on another timeline");
    assert!(
        matches!(refused, Err(StoreError::NotOwned { .. })),
        "{refused:?}"
    );
    let generation = process.store.generation();
    assert!(generation > 1_700_000_000, "{generation}");
    process.ownership.claim(namespace).unwrap();
    assert_eq!(log(&mut process.store, namespace), ["first"]);
    process.append(namespace, "second").unwrap();
    let again = PostgresStore::open(&database.url()).unwrap();
    assert_eq!(again.generation(), generation, "raised once");
}

#[test]
fn a_restored_dump_raises_the_generation_and_has_everything() {
    let server = Server::shared();
    let (from, to) = (server.database(), server.database());
    let mut process = Process::join(&from, "a");
    let namespace = process.store.create_namespace("default", 1).unwrap().id;
    process.append(namespace, "first").unwrap();
    let port = server.port().to_string();
    let place = ["-h", "127.0.0.1", "-p", &port, "-U", "postgres"];
    let mut dump = server
        .program("pg_dump")
        .args(place)
        .args(["--schema=interlock", from.name()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let restored = server
        .program("psql")
        .args(place)
        .args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", to.name()])
        .stdin(dump.stdout.take().unwrap())
        .stdout(Stdio::null())
        .status();
    assert!(restored.unwrap().success() && dump.wait().unwrap().success());
    kill(&to, process.id);
    let mut other = Process::join(&to, "a");
    assert!(other.store.generation() > 1);
    other.ownership.claim(namespace).unwrap();
    assert_eq!(log(&mut other.store, namespace), ["first"]);
}

#[test]
fn a_restore_that_leaves_no_trace_can_be_told_of() {
    let database = Server::shared().database();
    assert_eq!(
        PostgresStore::open(&database.url()).unwrap().generation(),
        1
    );
    database.sql("SELECT interlock.restored()");
    let generation = PostgresStore::open(&database.url()).unwrap().generation();
    assert!(generation > 1);
    let again = PostgresStore::open(&database.url()).unwrap();
    assert_eq!(again.generation(), generation);
}

#[test]
fn a_backup_is_left_to_the_tools_of_the_database() {
    let database = Server::shared().database();
    let store = PostgresStore::open(&database.url()).unwrap();
    let refused = store.reader().unwrap().backup("/nowhere".as_ref());
    let text = refused.unwrap_err().to_string();
    assert!(
        text.contains("pg_basebackup") && text.contains("docs/"),
        "{text}"
    );
}

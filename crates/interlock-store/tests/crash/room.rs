//! Room that was made in the write-ahead file: zeros behind what was committed, which nobody takes for
//! anything else.

use std::fs;
use std::path::Path;

use interlock_store::limits::{WAL_PAGES_SOFT, WAL_PAGES_STOP, WAL_ROOM_FROM, WAL_ROOM_STEP};
use interlock_store::{NamespaceId, SqliteStore, Store, sqlite};

use crate::material::{append, contents, quick_dir};

const WAL: &str = "interlock.db-wal";

/// Appends until the write-ahead file has been made longer than what is in it.
fn append_until_there_is_room(store: &mut SqliteStore, namespace: NamespaceId, dir: &Path) {
    for _ in 0..WAL_ROOM_FROM {
        append(store, namespace, 3_000).unwrap();
        if fs::metadata(dir.join(WAL)).unwrap().len() >= WAL_ROOM_STEP {
            return;
        }
    }
    panic!("no room was made");
}

#[test]
fn a_crash_leaves_what_was_committed_and_no_more() {
    let dir = quick_dir();
    let mut store = SqliteStore::open(dir.path()).unwrap();
    let namespace = store.create_namespace("a", 1).unwrap().id;
    append_until_there_is_room(&mut store, namespace, dir.path());
    for _ in 0..5 {
        // As after a crash at this moment.
        let left = quick_dir();
        for file in ["interlock.db", WAL, "position"] {
            fs::copy(dir.path().join(file), left.path().join(file)).unwrap();
        }
        let length = fs::metadata(left.path().join(WAL)).unwrap().len();
        assert!(length.is_multiple_of(WAL_ROOM_STEP), "{length}");
        let mut found = SqliteStore::open(left.path()).unwrap();
        assert!(contents(&mut found).unwrap() == contents(&mut store).unwrap());
        // And on it goes, from there.
        append(&mut found, namespace, 3_000).unwrap();
        drop(found);
        assert!(sqlite::verify(left.path()).unwrap().is_whole());
        append(&mut store, namespace, 3_000).unwrap();
    }
    drop(store);
    assert!(!dir.path().join(WAL).exists(), "it goes with the last user");
}

/// Nobody is ever idle, and all the same the file begins anew again and again.
#[test]
fn the_file_is_moved_while_commits_go_on() {
    let dir = quick_dir();
    let mut store = SqliteStore::open(dir.path()).unwrap();
    let namespace = store.create_namespace("a", 1).unwrap().id;
    store.fold_after(WAL_PAGES_SOFT / 10);
    let length = || fs::metadata(dir.path().join(WAL)).unwrap().len();
    let record = 30_000;
    for _ in 0..2_000 {
        append(&mut store, namespace, record).unwrap();
        store.keep_up().unwrap();
    }
    let most = WAL_PAGES_SOFT / 10 * WAL_PAGES_STOP * 4096 + 2 * WAL_ROOM_STEP;
    assert!(length() < most, "{}", length());
    assert!(length() < 2_000 * record as u64, "{}", length());
    let whole = contents(&mut store).unwrap();
    drop(store);
    let mut found = SqliteStore::open(dir.path()).unwrap();
    assert!(contents(&mut found).unwrap() == whole);
    drop(found);
    assert!(sqlite::verify(dir.path()).unwrap().is_whole());
}

/// Nothing is lost at the place where the file was made longer, nor when it begins anew.
#[test]
fn what_is_appended_into_the_room_is_there() {
    let dir = quick_dir();
    let mut store = SqliteStore::open(dir.path()).unwrap();
    let namespace = store.create_namespace("a", 1).unwrap().id;
    for _ in 0..3 {
        append_until_there_is_room(&mut store, namespace, dir.path());
        store.fold_after(1);
        store.tend().unwrap();
        append(&mut store, namespace, 3_000).unwrap();
    }
    let whole = contents(&mut store).unwrap();
    drop(store);
    let mut found = SqliteStore::open(dir.path()).unwrap();
    assert!(contents(&mut found).unwrap() == whole);
}

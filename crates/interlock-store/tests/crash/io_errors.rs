//! Writes and syncs that fail: nothing is acknowledged, the store stops, and what is there after it
//! is opened again is everything that was acknowledged.

use std::path::Path;

use interlock_store::{Loaded, NamespaceId, SqliteStore, Store, StoreError, sqlite};

use crate::material::{append, contents, fold, furnish};
use crate::{child, shim};

/// What is done while calls fail; counts the appends that were acknowledged.
type Deed = fn(&mut SqliteStore, NamespaceId, &mut u64) -> Result<(), StoreError>;

fn appending(
    store: &mut SqliteStore,
    namespace: NamespaceId,
    acknowledged: &mut u64,
) -> Result<(), StoreError> {
    append(store, namespace, 500)?;
    *acknowledged += 1;
    Ok(())
}

fn folding(store: &mut SqliteStore, namespace: NamespaceId, _: &mut u64) -> Result<(), StoreError> {
    let end = store.end(namespace)?;
    fold(store, namespace, end)
}

fn tending(store: &mut SqliteStore, _: NamespaceId, _: &mut u64) -> Result<(), StoreError> {
    store.tend()
}

/// The write-ahead file is moved beside the commits, which go on until that has failed.
fn keeping_up(
    store: &mut SqliteStore,
    namespace: NamespaceId,
    acknowledged: &mut u64,
) -> Result<(), StoreError> {
    store.fold_after(1);
    for _ in 0..1_000 {
        appending(store, namespace, acknowledged)?;
        store.keep_up()?;
    }
    Ok(())
}

/// The operation that fails, the file, and what is done meanwhile.
const CASES: &[(&str, &str, Deed)] = &[
    ("write", "-wal", appending),
    ("sync", "-wal", appending),
    ("write", "-wal", folding),
    ("sync", "-wal", folding),
    ("write", "interlock.db", tending),
    ("sync", "interlock.db", tending),
    ("write", "interlock.db", keeping_up),
    ("sync", "interlock.db", keeping_up),
    ("write", "position.new", folding),
    ("sync", "position.new", folding),
];

fn poisoned(answer: Result<(), StoreError>) -> bool {
    matches!(answer, Err(StoreError::Poisoned(_)))
}

/// In the process under the shim.
fn suffer(dir: &Path) {
    for (number, (operation, suffix, deed)) in CASES.iter().enumerate() {
        let case = format!("{operation} to {suffix}");
        let dir = dir.join(number.to_string());
        let mut store = SqliteStore::open(&dir).unwrap();
        let [namespace, other] = furnish(&mut store);
        append(&mut store, namespace, 200).unwrap();
        let before = contents(&mut store).unwrap();
        shim::order(operation, shim::EIO, suffix);
        let mut acknowledged = 0;
        let answer = deed(&mut store, namespace, &mut acknowledged);
        assert!(poisoned(answer), "{case} must not be acknowledged");
        // It stays so, also when the disk recovers.
        assert!(poisoned(appending(&mut store, other, &mut 0)), "{case}");
        shim::relent();
        assert!(poisoned(appending(&mut store, other, &mut 0)), "{case}");
        assert!(poisoned(folding(&mut store, namespace, &mut 0)), "{case}");
        assert!(poisoned(store.tokens().map(|_| ())), "{case}");
        assert!(poisoned(store.reader().map(|_| ())), "{case}");
        drop(store);
        let mut store = SqliteStore::open(&dir).unwrap();
        let after = contents(&mut store).unwrap();
        let ends = [&before, &after].map(|contents| contents.spaces[0].2);
        let least = ends[0] + acknowledged;
        assert!((least..=least + 1).contains(&ends[1]), "{case}");
        // Nobody was told of a fold either, so it may have happened.
        let folded = after.spaces[0].1.contains(&Loaded::Position(ends[0]));
        assert!(before.is_cut_from(&after) || folded, "{case}");
        append(&mut store, namespace, 10).unwrap();
        drop(store);
        let report = sqlite::verify(&dir).unwrap();
        assert!(report.is_whole(), "{case}: {report:?}");
        child::say("done", number as u64 + 1);
    }
}

#[test]
fn after_a_failed_write_or_sync_nothing_is_acknowledged_or_lost() {
    if let Some(dir) = child::dir() {
        return suffer(&dir);
    }
    let dir = tempfile::tempdir().unwrap();
    let test = "io_errors::after_a_failed_write_or_sync_nothing_is_acknowledged_or_lost";
    let output = child::command(test, dir.path())
        .env("LD_PRELOAD", shim::compile(dir.path()))
        .env(shim::ORDER, dir.path().join("order"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{complained}");
    assert_eq!(
        child::highest(&said, "done"),
        Some(CASES.len() as u64),
        "{said}"
    );
}

//! A real process, killed while it appends and folds: what it said it had committed is there.

use std::io::{BufRead, BufReader};

use interlock_store::{NamespaceId, SqliteStore, Store, sqlite};

use crate::child;
use crate::material::{Random, append, contents, fold};

const KILLS: u64 = 12;

/// Appends for as long as it lives.
fn live(store: &mut SqliteStore) {
    let namespace = NamespaceId(1);
    if store.namespaces().unwrap().is_empty() {
        store.create_namespace("a", 1).unwrap();
    }
    loop {
        let position = append(store, namespace, 300).unwrap();
        child::say("committed", position);
        if position.is_multiple_of(50) {
            fold(store, namespace, position).unwrap();
        }
        store.tend().unwrap();
    }
}

#[test]
fn what_a_killed_process_had_committed_is_there() {
    if let Some(dir) = child::dir() {
        live(&mut SqliteStore::open(dir).unwrap());
    }
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random(7);
    let mut committed = 0;
    for _ in 0..KILLS {
        let test = "kill::what_a_killed_process_had_committed_is_there";
        let mut process = child::command(test, dir.path()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let doomed_after = 1 + random.below(60);
        let mut said = 0;
        while said < doomed_after {
            let line = lines.next().expect("it lives until it is killed").unwrap();
            if let Some(position) = child::highest(&line, "committed") {
                committed = committed.max(position);
                said += 1;
            }
        }
        process.kill().unwrap();
        process.wait().unwrap();
        // What it said while it was being killed.
        let rest: Vec<String> = lines.map_while(Result::ok).collect();
        committed = committed.max(child::highest(&rest.join("\n"), "committed").unwrap_or(0));
        let mut store = SqliteStore::open(dir.path()).unwrap();
        let end = store.end(NamespaceId(1)).unwrap();
        assert!(
            end == committed + 1 || end == committed + 2,
            "{end}, {committed} committed"
        );
        contents(&mut store).unwrap();
        assert_eq!(store.generation(), 1);
    }
    let report = sqlite::verify(dir.path()).unwrap();
    assert!(report.is_whole(), "{report:?}");
    println!("{KILLS} kills, {committed} commits, none lost");
}

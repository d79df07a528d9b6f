//! Random runs on each store, with what a restart would find compared after every commit.

use crate::for_seeds;
use crate::live::{Live, Tally};
use interlock_store::{MemoryStore, SqliteStore, Store, sqlite};
use std::path::Path;

const COMMANDS: u32 = 400;

/// Enough of everything happened for the comparison to mean something; a single run may be quiet.
fn lively(tally: &Tally) {
    println!("{tally:?}");
    let enough = tally.commits > 500
        && tally.records > tally.commits
        && tally.checkpoints > 50
        && tally.restarts > 20
        && tally.ended > 50;
    assert!(enough, "little happened: {tally:?}");
}

#[test]
fn the_memory_store_gives_back_the_state_at_every_commit() {
    let mut tally = Tally::default();
    for_seeds(30, |seed| {
        let mut same = |store| store;
        let store = Box::new(MemoryStore::new());
        let mut live = Live::begin(seed, store, &mut same, &mut tally);
        live.go_on(COMMANDS);
    });
    lively(&tally);
}

/// A directory in memory where there is such a place: nobody will pull the plug here.
pub(crate) fn quick_dir() -> tempfile::TempDir {
    let quick = tempfile::tempdir_in(Path::new("/dev/shm"));
    quick.or_else(|_| tempfile::tempdir()).expect("a directory")
}

#[test]
fn sqlite_gives_back_the_state_at_every_commit() {
    let mut tally = Tally::default();
    for_seeds(10, |seed| {
        let dir = quick_dir();
        let open = || -> Box<dyn Store> {
            Box::new(SqliteStore::open(dir.path()).expect("it can be opened"))
        };
        // The file is closed as if the process had died, and opened again.
        let mut reopen = |store: Box<dyn Store>| {
            drop(store);
            open()
        };
        let mut live = Live::begin(seed, open(), &mut reopen, &mut tally);
        live.go_on(COMMANDS);
        drop(live);
        let report = sqlite::verify(dir.path()).expect("it can be read");
        assert!(report.is_whole(), "seed {seed}: {report:?}");
    });
    lively(&tally);
}

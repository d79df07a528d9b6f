//! A crash at any commit: what was acknowledged is there, what was not is there as a whole or not at
//! all. The crash is a copy of the files; a torn one has an arbitrary part of the last commit's
//! sectors.

use std::fs;
use std::path::Path;

use interlock_store::{SqliteStore, Store, sqlite};

use crate::material::{Random, append, contents, fold, furnish, quick_dir};

const FILES: [&str; 3] = ["interlock.db", "interlock.db-wal", "position"];
const SECTOR: usize = 512;
const HEADER: usize = 32;

type Image = [Vec<u8>; 3];

fn image(dir: &Path) -> Image {
    FILES.map(|file| fs::read(dir.join(file)).unwrap_or_default())
}

fn opened(image: &Image) -> (tempfile::TempDir, SqliteStore) {
    let dir = quick_dir();
    for (file, bytes) in FILES.iter().zip(image) {
        fs::write(dir.path().join(file), bytes).unwrap();
    }
    let store = SqliteStore::open(dir.path()).unwrap();
    (dir, store)
}

/// What is there when the power fails in the middle of a write: of the sectors that differ some are
/// new, some old. The header of the write-ahead file is new, since SQLite syncs it before it writes
/// over what follows.
fn torn(before: &Image, after: &Image, random: &mut Random) -> Image {
    let mut torn = after.clone();
    let (old, new) = (&before[1], &after[1]);
    let keep_end = random.below(2) == 0;
    let unwritten = [0, 1, 10][random.below(3) as usize];
    for start in (0..new.len()).step_by(SECTOR) {
        let end = (start + SECTOR).min(new.len());
        let start = start.max(HEADER);
        if random.below(30) < unwritten {
            let place = torn[1].iter_mut().enumerate().take(end).skip(start);
            place.for_each(|(place, byte)| *byte = old.get(place).copied().unwrap_or(0));
        }
    }
    if !keep_end && new.len() > old.len() {
        let grown = (new.len() - old.len()) as u64;
        torn[1].truncate(old.len() + random.below(grown) as usize);
    }
    torn
}

#[test]
fn everything_acknowledged_is_there_after_a_crash_at_any_commit() {
    let dir = quick_dir();
    let mut store = SqliteStore::open(dir.path()).unwrap();
    let namespaces = furnish(&mut store);
    let mut random = Random(3);
    let (mut crashes, mut whole, mut lost) = (0, 0, 0);
    for _ in 0..400 {
        let namespace = namespaces[random.below(2) as usize];
        match random.below(20) {
            0 => {
                let end = store.end(namespace).unwrap();
                fold(&mut store, namespace, end).unwrap();
            }
            1 => store.tend().unwrap(),
            _ => {
                let bytes = [20, 200, 9_000][random.below(3) as usize];
                append(&mut store, namespace, bytes).unwrap();
            }
        }
        if random.below(6) > 0 {
            continue;
        }
        crashes += 1;
        let acknowledged = contents(&mut store).unwrap();
        let before = image(dir.path());
        let (_dir, mut crashed) = opened(&before);
        assert_eq!(contents(&mut crashed).unwrap(), acknowledged);
        // Torn in the middle of the next append, which nobody has been told of.
        append(&mut store, namespace, 3_000).unwrap();
        let after = contents(&mut store).unwrap();
        let (crashed_dir, mut crashed) = opened(&torn(&before, &image(dir.path()), &mut random));
        let found = contents(&mut crashed).unwrap();
        assert!(found == acknowledged || found == after);
        whole += usize::from(found == after);
        lost += usize::from(found == acknowledged);
        append(&mut crashed, namespace, 50).unwrap();
        drop(crashed);
        let report = sqlite::verify(crashed_dir.path()).unwrap();
        assert!(report.is_whole(), "{report:?}");
    }
    println!("{crashes} crashes; of the appends in flight {whole} were there, {lost} were not");
    assert!(crashes > 40 && lost > 10 && whole > 5);
}

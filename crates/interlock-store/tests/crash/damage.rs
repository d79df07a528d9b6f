//! Bits flipped and tails cut in 1,000 places: each is refused with the place, or harmless.
//!
//! The one exception is what SQLite can't tell from a commit that was cut short: damage in the
//! write-ahead file behind the last thing that the side file speaks of. Those are counted.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use interlock_store::{NamespaceId, SqliteStore, Store, StoreError, sqlite};

use crate::material::{Contents, Random, append, contents, furnish, history, quick_dir};

const PLACES: usize = 1_000;

/// The files of a store, as they lie there.
struct Image {
    files: Vec<(&'static str, Vec<u8>)>,
    contents: Contents,
    history: String,
    namespaces: [NamespaceId; 2],
    /// How long the write-ahead file was when the side file was last written.
    noted: usize,
}

fn read(dir: &Path, names: &[&'static str]) -> Vec<(&'static str, Vec<u8>)> {
    let read = |&name| (name, fs::read(dir.join(name)).unwrap());
    names.iter().map(read).collect()
}

/// A store that was stopped in order.
fn stopped() -> Image {
    let dir = quick_dir();
    let mut store = SqliteStore::open(dir.path()).unwrap();
    let namespaces = furnish(&mut store);
    for namespace in namespaces {
        append(&mut store, namespace, 200).unwrap();
    }
    let contents = contents(&mut store).unwrap();
    let history = history(&mut *store.reader().unwrap(), &namespaces).unwrap();
    Box::new(store).stop().unwrap();
    Image {
        files: read(dir.path(), &["interlock.db", "position"]),
        contents,
        history,
        namespaces,
        noted: 0,
    }
}

/// A store whose process was killed: most of it in the write-ahead file, the end of which is newer
/// than the side file. With `folded`, the older part is also in the database.
fn killed(folded: bool) -> Image {
    let dir = quick_dir();
    let mut store = SqliteStore::open(dir.path()).unwrap();
    let namespaces = furnish(&mut store);
    let noted = fs::metadata(dir.path().join("interlock.db-wal"))
        .unwrap()
        .len() as usize;
    if folded {
        store.tend().unwrap();
    }
    let files = || {
        read(
            dir.path(),
            &["interlock.db", "interlock.db-wal", "position"],
        )
    };
    if !folded {
        for bytes in [10, 3_000, 200, 50] {
            append(&mut store, namespaces[0], bytes).unwrap();
            append(&mut store, namespaces[1], bytes).unwrap();
        }
    }
    Image {
        files: files(),
        contents: contents(&mut store).unwrap(),
        history: history(&mut *store.reader().unwrap(), &namespaces).unwrap(),
        namespaces,
        noted,
    }
}

#[derive(Clone, Copy, Debug)]
enum Blow {
    Flip { bit: usize },
    Cut { length: usize },
}

impl Blow {
    fn strike(self, bytes: &mut Vec<u8>) {
        match self {
            Self::Flip { bit } => bytes[bit / 8] ^= 1 << (bit % 8),
            Self::Cut { length } => bytes.truncate(length),
        }
    }

    fn place(self) -> usize {
        match self {
            Self::Flip { bit } => bit / 8,
            Self::Cut { length } => length,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// Opening or loading was refused.
    Refused,
    /// A start went well; reading history found it.
    RefusedByReader,
    /// Nobody noticed but `verify`.
    FoundByVerify,
    Harmless,
    /// Records newer than the side file are gone.
    TailLost,
}

fn examine(image: &Image, name: &str, blow: Blow) -> Result<Outcome, String> {
    let dir = quick_dir();
    for (file, bytes) in &image.files {
        let mut bytes = bytes.clone();
        if *file == name {
            blow.strike(&mut bytes);
        }
        fs::write(dir.path().join(file), bytes).unwrap();
    }
    let report = sqlite::verify(dir.path());
    let verified = match &report {
        Ok(report) => report.is_whole(),
        Err(_) => false,
    };
    let mut store = match SqliteStore::open(dir.path()) {
        Ok(store) => store,
        Err(error) => return refusal(error, verified, Outcome::Refused),
    };
    let found = match contents(&mut store) {
        Ok(found) => found,
        Err(error) => return refusal(error, verified, Outcome::Refused),
    };
    let in_tail = name.ends_with("-wal") && blow.place() >= image.noted;
    if found != image.contents {
        return match in_tail && found.is_cut_from(&image.contents) {
            true => Ok(Outcome::TailLost),
            false => Err("a start found something else".to_owned()),
        };
    }
    match store
        .reader()
        .and_then(|mut reader| history(&mut *reader, &image.namespaces))
    {
        Err(error) => refusal(error, verified, Outcome::RefusedByReader),
        Ok(seen) if seen != image.history && verified => Err("the history differs".to_owned()),
        Ok(_) if !verified => Ok(Outcome::FoundByVerify),
        Ok(_) => Ok(Outcome::Harmless),
    }
}

/// A refusal names the place, and `verify` agrees with it.
fn refusal(error: StoreError, verified: bool, outcome: Outcome) -> Result<Outcome, String> {
    let named = matches!(
        error,
        StoreError::Damaged { .. }
            | StoreError::Behind { .. }
            | StoreError::NewerSchema { .. }
            | StoreError::Settings { .. }
    );
    if !named {
        return Err(format!("refused without a place: {error}"));
    }
    if verified {
        return Err(format!("refused, but found whole by verify: {error}"));
    }
    Ok(outcome)
}

#[test]
fn a_thousand_damages_are_detected_or_harmless() {
    let images = [stopped(), killed(false), killed(true)];
    let mut random = Random(1);
    let mut blows = Vec::new();
    for number in 0..PLACES {
        let image = &images[number % images.len()];
        // Mostly the large files, now and then the small one.
        let file = match random.below(10) {
            0 => image.files.len() - 1,
            other => other as usize % (image.files.len() - 1),
        };
        let (name, bytes) = &image.files[file];
        let place = random.below(bytes.len() as u64) as usize;
        let blow = match random.below(5) {
            0 => Blow::Cut { length: place },
            _ => Blow::Flip {
                bit: place * 8 + random.below(8) as usize,
            },
        };
        blows.push((image, *name, blow));
    }
    let counts = Mutex::new(BTreeMap::new());
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for half in blows.chunks(PLACES / 2) {
            let (counts, wrong) = (&counts, &wrong);
            scope.spawn(move || {
                for (image, name, blow) in half {
                    match examine(image, name, *blow) {
                        Ok(outcome) => {
                            *counts.lock().unwrap().entry((*name, outcome)).or_insert(0) += 1;
                        }
                        Err(what) => wrong
                            .lock()
                            .unwrap()
                            .push(format!("{name} {blow:?}: {what}")),
                    }
                }
            });
        }
    });
    println!("damages by file and outcome:");
    for ((name, outcome), count) in counts.lock().unwrap().iter() {
        println!("  {name:<18} {outcome:?}: {count}");
    }
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {PLACES}: {wrong:#?}", wrong.len());
}

#[test]
fn an_image_without_damage_is_whole() {
    for image in [stopped(), killed(false), killed(true)] {
        let length = image.files[0].1.len();
        let untouched = Blow::Cut { length };
        let outcome = examine(&image, "interlock.db", untouched);
        assert_eq!(outcome, Ok(Outcome::Harmless));
    }
}

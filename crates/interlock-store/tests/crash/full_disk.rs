//! A full disk: a clear error, nothing half written, and on it goes when there is room.
//!
//! Once on a small file system, where mounting one is allowed, and once with calls that are made to
//! fail as on a full disk, which is possible everywhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use interlock_store::{NamespaceId, SqliteStore, Store, StoreError, sqlite};

use crate::material::{append, contents, fold, furnish};
use crate::{child, shim};

fn full(answer: Result<(), StoreError>) -> bool {
    match answer {
        Err(error @ StoreError::Full { .. }) => {
            assert!(error.retryable());
            true
        }
        Err(error) => panic!("{error}"),
        Ok(()) => false,
    }
}

fn put(store: &mut SqliteStore, namespace: NamespaceId) -> Result<(), StoreError> {
    append(store, namespace, 3_000).map(|_| ())
}

/// A small file system that goes away again, also when the test fails.
struct SmallDisk {
    at: PathBuf,
}

impl SmallDisk {
    fn mount(at: &Path) -> Option<Self> {
        fs::create_dir(at).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=3m", "tmpfs"])
            .arg(at)
            .output();
        let at = at.to_owned();
        mounted
            .is_ok_and(|output| output.status.success())
            .then_some(Self { at })
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(&self.at).status();
        assert!(
            unmounted.is_ok_and(|status| status.success()),
            "{:?} stays mounted",
            self.at
        );
    }
}

#[test]
fn on_a_small_file_system_nothing_is_falsely_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(&dir.path().join("small")) else {
        println!("mounting is not allowed here: a full disk was tested by injected errors only");
        return;
    };
    println!("a full disk was tested on a tmpfs of 3 MiB");
    let ballast = disk.at.join("ballast");
    let data = disk.at.join("data");
    fs::write(&ballast, vec![0; 1 << 20]).unwrap();
    let mut store = SqliteStore::open(&data).unwrap();
    let [namespace, other] = furnish(&mut store);
    while !full(put(&mut store, namespace)) {}
    fs::write(disk.at.join("the last bytes"), vec![0; 3 << 20]).unwrap_err();
    let before = contents(&mut store).unwrap();
    let mut refusals = 0;
    for _ in 0..5 {
        // A small thing may still find room in what the write-ahead file has.
        refusals += u32::from(full(put(&mut store, namespace)));
        refusals += u32::from(full(store.put_setting("setting 0", Some(&[1; 20]))));
        let end = store.end(namespace).unwrap();
        assert!(full(fold(&mut store, namespace, end)));
        store.tend().unwrap();
    }
    assert!(refusals > 0);
    let error = store
        .reader()
        .unwrap()
        .backup(&disk.at.join("backup"))
        .unwrap_err();
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    assert!(!disk.at.join("backup").exists());
    fs::remove_file(disk.at.join("the last bytes")).unwrap();
    fs::remove_file(&ballast).unwrap();
    put(&mut store, namespace).unwrap();
    put(&mut store, other).unwrap();
    let after = contents(&mut store).unwrap();
    assert!(after.spaces[0].2 > before.spaces[0].2);
    assert!(after.spaces[0].1.starts_with(&before.spaces[0].1));
    drop(store);
    assert_eq!(
        contents(&mut SqliteStore::open(&data).unwrap()).unwrap(),
        after
    );
    assert!(sqlite::verify(&data).unwrap().is_whole());
}

/// In the process under the shim.
fn suffer(data: &Path) {
    let mut store = SqliteStore::open(data).unwrap();
    let [namespace, other] = furnish(&mut store);
    let mut before = contents(&mut store).unwrap();
    for suffix in ["-wal", "interlock.db", "position.new"] {
        shim::order("write", shim::ENOSPC, suffix);
        for _ in 0..3 {
            let end = store.end(namespace).unwrap();
            match suffix {
                "-wal" => {
                    assert!(full(put(&mut store, namespace)));
                    assert!(full(fold(&mut store, namespace, end)));
                }
                // Neither the database nor the side file has to be written for a commit.
                "interlock.db" => {
                    put(&mut store, namespace).unwrap();
                    store.tend().unwrap();
                }
                _ => fold(&mut store, other, before.spaces[1].2).unwrap(),
            }
        }
        shim::relent();
        let after = contents(&mut store).unwrap();
        if suffix == "-wal" {
            assert_eq!(after, before);
        }
        put(&mut store, namespace).unwrap();
        store.tend().unwrap();
        before = contents(&mut store).unwrap();
    }
    drop(store);
    assert_eq!(
        contents(&mut SqliteStore::open(data).unwrap()).unwrap(),
        before
    );
    let report = sqlite::verify(data).unwrap();
    assert!(report.is_whole(), "{report:?}");
    child::say("done", 1);
}

#[test]
fn with_writes_that_find_no_room_nothing_is_falsely_acknowledged() {
    if let Some(dir) = child::dir() {
        return suffer(&dir.join("data"));
    }
    let dir = tempfile::tempdir().unwrap();
    let test = "full_disk::with_writes_that_find_no_room_nothing_is_falsely_acknowledged";
    let output = child::command(test, dir.path())
        .env("LD_PRELOAD", shim::compile(dir.path()))
        .env(shim::ORDER, dir.path().join("order"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{complained}");
    assert_eq!(child::highest(&said, "done"), Some(1), "{said}");
}

//! What happens when a SQLite store is opened: the lock, the side file, copies, other versions.
#![allow(clippy::unwrap_used, reason = "lets tests unwrap in their helpers too")]

use std::ops::ControlFlow;
use std::path::Path;
use std::{fs, thread};

use interlock_store::{
    Append, Checkpoint, HistoryFilter, HistoryRow, Loaded, LogPage, Namespace, NamespaceId,
    NewToken, Purge, RowChange, Shown, SqliteStore, Store, StoreError, sqlite,
};

fn open(dir: &Path) -> SqliteStore {
    SqliteStore::open(dir).unwrap()
}

fn refused(dir: &Path) -> StoreError {
    SqliteStore::open(dir).err().expect("it must be refused")
}

fn append(store: &mut SqliteStore, namespace: NamespaceId, count: u64) {
    for _ in 0..count {
        let position = store.end(namespace).unwrap();
        let record = Append {
            namespace,
            position,
            next: position + 1,
            at_ms: 1,
            bytes: b"event",
            consumed: &[],
        };
        store.append(&[record]).unwrap();
    }
}

fn fold(store: &mut SqliteStore, namespace: NamespaceId, position: u64) {
    let checkpoint = Checkpoint {
        namespace,
        position,
        rows: vec![RowChange::PutTask {
            task: position,
            shown: Shown::default(),
            body: vec![1],
        }],
        ended: vec![HistoryRow {
            task: 100 + position,
            resources: vec!["shop:1".to_owned()],
            error: Some("boom".to_owned()),
            aliases: vec![50 + position],
            groups: if position == 2 { vec![7, 8] } else { vec![6] },
            ..HistoryRow::default()
        }],
        keep_log_from: position,
    };
    store.checkpoint(&checkpoint).unwrap();
}

fn loaded(store: &mut SqliteStore, namespace: NamespaceId) -> Vec<Loaded> {
    let mut loaded = Vec::new();
    let visit = &mut |one| {
        loaded.push(one);
        ControlFlow::Continue(())
    };
    store.load(namespace, visit).unwrap();
    loaded
}

fn sqlite_shell(dir: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(dir.join("interlock.db")).unwrap()
}

#[test]
fn a_second_opening_is_refused_with_the_pid() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let error = refused(dir.path());
    let own = std::process::id();
    assert!(matches!(error, StoreError::Busy { pid: Some(pid), .. } if pid == own));
    assert!(error.to_string().contains(&format!("pid {own}")), "{error}");
    assert!(matches!(
        sqlite::verify(dir.path()),
        Err(StoreError::Busy { .. })
    ));
    drop(store);
    open(dir.path());
}

#[test]
fn a_data_directory_is_made_with_its_parents() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("var/lib/interlock");
    open(&data).create_namespace("a", 1).unwrap();
    assert_eq!(open(&data).namespaces().unwrap().len(), 1);
}

#[test]
fn a_store_that_lost_its_log_is_behind() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let namespace = store.create_namespace("a", 1).unwrap().id;
    append(&mut store, namespace, 5);
    Box::new(store).stop().unwrap();
    sqlite_shell(dir.path())
        .execute("DELETE FROM log WHERE position >= 4", [])
        .unwrap();
    let error = refused(dir.path());
    let behind = matches!(&error, StoreError::Behind { place, expected: 6, found: 4 }
        if place == "the log of namespace 1");
    assert!(behind, "{error}");
    let report = sqlite::verify(dir.path()).unwrap();
    assert!(report.damages[0].what.contains("ends at 4"), "{report:?}");
    // Whoever removes the side file takes what is there, under a new generation.
    fs::remove_file(dir.path().join("position")).unwrap();
    assert!(!sqlite::verify(dir.path()).unwrap().is_whole());
    let mut store = open(dir.path());
    assert!(store.generation() > 1);
    assert_eq!(store.end(namespace).unwrap(), 4);
}

#[test]
fn a_store_that_lost_a_change_is_behind() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store.create_namespace("a", 1).unwrap();
    drop(store);
    let older = fs::read(dir.path().join("interlock.db")).unwrap();
    let mut store = open(dir.path());
    let token = NewToken {
        name: "t".to_owned(),
        hash: [0; 32],
        hint: String::new(),
        namespace: None,
        scopes: String::new(),
        created_ms: 1,
    };
    store.put_token(&token).unwrap();
    drop(store);
    fs::write(dir.path().join("interlock.db"), older).unwrap();
    let error = refused(dir.path());
    assert!(matches!(error, StoreError::Behind { .. }), "{error}");
}

#[test]
fn a_gap_in_the_log_is_refused_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let namespace = store.create_namespace("a", 1).unwrap().id;
    append(&mut store, namespace, 5);
    drop(store);
    sqlite_shell(dir.path())
        .execute("DELETE FROM log WHERE position = 3", [])
        .unwrap();
    let error = open(dir.path())
        .load(namespace, &mut |_| ControlFlow::Continue(()))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the store is damaged at the log of namespace 1, position 3: \
         the next record begins at 4; restore a backup"
    );
}

#[test]
fn a_missing_row_and_a_changed_row_are_refused_with_their_place() {
    let changes = [
        (
            "DELETE FROM tasks WHERE task = 2",
            "the tables of namespace 1",
        ),
        (
            "UPDATE tasks SET stage = 'x' WHERE task = 2",
            "task 2 of namespace 1",
        ),
        (
            // Beyond the last checkpoint it counts for nothing, and is missing where it was.
            "UPDATE tasks SET task = 9 WHERE task = 2",
            "the tables of namespace 1",
        ),
    ];
    for (change, expected) in changes {
        let dir = tempfile::tempdir().unwrap();
        let mut store = open(dir.path());
        let namespace = store.create_namespace("a", 1).unwrap().id;
        append(&mut store, namespace, 5);
        fold(&mut store, namespace, 2);
        fold(&mut store, namespace, 3);
        drop(store);
        sqlite_shell(dir.path()).execute(change, []).unwrap();
        let error = open(dir.path()).load(namespace, &mut |_| ControlFlow::Continue(()));
        let Err(StoreError::Damaged { place, .. }) = error else {
            panic!("{change}: {error:?}");
        };
        assert_eq!(place, expected);
        assert_eq!(
            sqlite::verify(dir.path()).unwrap().damages[0].place,
            expected
        );
    }
}

#[test]
fn verify_finds_what_is_wrong_with_history_and_what_is_derived_from_it() {
    let changes = [
        "DELETE FROM history WHERE task = 102",
        "UPDATE history SET worker = 'x' WHERE task = 102",
        "DELETE FROM history_resources WHERE task = 102",
        "UPDATE history_resources SET resource = 'shop:2' WHERE task = 102",
        "INSERT INTO history_resources VALUES (1, 'shop:9', '', '', 102)",
        "DELETE FROM history_aliases",
        "DELETE FROM history_groups WHERE \"group\" = 7",
        "UPDATE history_groups SET task = 103 WHERE task = 102",
        "INSERT INTO history_groups VALUES (1, 9, 102)",
        "UPDATE history_aliases SET task = 103 WHERE alias = 52",
        "UPDATE failures SET count = 7",
        "UPDATE failures SET last_task = 7",
        "UPDATE failures SET resources = 7",
        "DELETE FROM failure_resources",
        "DROP INDEX history_by_kind",
        "UPDATE settings SET value = x'00'",
        "DELETE FROM settings",
        "UPDATE namespaces SET name = 'b'",
        "DELETE FROM namespaces",
        "UPDATE store SET generation = 2",
        "DELETE FROM store",
        "PRAGMA user_version = 99",
        "PRAGMA application_id = 99",
    ];
    let whole = tempfile::tempdir().unwrap();
    let mut store = open(whole.path());
    let namespace = store.create_namespace("a", 1).unwrap().id;
    store.put_setting("a", Some(b"1")).unwrap();
    append(&mut store, namespace, 5);
    fold(&mut store, namespace, 2);
    fold(&mut store, namespace, 3);
    drop(store);
    let report = sqlite::verify(whole.path()).unwrap();
    assert!(report.is_whole(), "{report:?}");
    let seen = &report.namespaces[0];
    let counts = (
        seen.rows,
        seen.history,
        seen.log_from,
        seen.position,
        seen.end,
    );
    assert_eq!(counts, (2, 2, 3, 3, 6));
    for change in changes {
        let dir = tempfile::tempdir().unwrap();
        for file in ["interlock.db", "position"] {
            fs::copy(whole.path().join(file), dir.path().join(file)).unwrap();
        }
        sqlite_shell(dir.path()).execute_batch(change).unwrap();
        let report = sqlite::verify(dir.path()).unwrap();
        assert!(!report.is_whole(), "{change}");
    }
}

#[test]
fn verify_makes_nothing_where_there_is_nothing() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(
        sqlite::verify(dir.path()),
        Err(StoreError::Io { .. })
    ));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_newer_store_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    sqlite_shell(dir.path())
        .pragma_update(None, "user_version", 4)
        .unwrap();
    let error = refused(dir.path());
    assert!(
        matches!(error, StoreError::NewerSchema { found: 4, known: 3 }),
        "{error}"
    );
}

const VERSION_1: &str = include_str!("versions/1.sql");
const VERSION_2: &str = include_str!("versions/2.sql");

/// A data directory as an earlier version left it.
fn of_version(tables: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    sqlite_shell(dir.path()).execute_batch(tables).unwrap();
    dir
}

fn tasks_of_group(store: &SqliteStore, of: NamespaceId, group: u64) -> Vec<u64> {
    let filter = HistoryFilter {
        group: Some(group),
        ..HistoryFilter::default()
    };
    let page = store.reader().unwrap().list(of, &filter, None, 9).unwrap();
    page.rows.iter().map(|row| row.task).collect()
}

#[test]
fn a_store_of_version_1_is_brought_to_this_one_with_all_that_is_in_it() {
    is_brought_to_this_version(VERSION_1);
}

#[test]
fn a_store_of_version_2_is_brought_to_this_one_with_all_that_is_in_it() {
    is_brought_to_this_version(VERSION_2);
}

fn is_brought_to_this_version(tables: &str) {
    let dir = of_version(tables);
    // Only the side file, which a copy of the tables does not have.
    let damages = sqlite::verify(dir.path()).unwrap().damages;
    assert!(
        damages.len() == 1 && damages[0].place.contains("side file"),
        "{damages:?}"
    );
    for _ in 0..2 {
        let mut store = open(dir.path());
        let of = store.namespaces().unwrap()[0].id;
        let log = store.reader().unwrap().log(of, 1, 9).unwrap();
        let LogPage::Records(log) = log else {
            panic!("it begins there: {log:?}");
        };
        assert!(log.len() == 1 && log[0].bytes == b"event", "{log:?}");
        assert_eq!(tasks_of_group(&store, of, 70), [5]);
        assert_eq!(tasks_of_group(&store, of, 0), [4]);
        let row = store.reader().unwrap().find(of, 103).unwrap().unwrap();
        assert_eq!((row.task, row.groups.as_slice()), (3, &[][..]));
        let several = HistoryRow {
            task: 6,
            groups: vec![70, 71],
            ..HistoryRow::default()
        };
        store.record(of, &[several]).unwrap();
        assert_eq!(tasks_of_group(&store, of, 71), [6]);
        assert_eq!(tasks_of_group(&store, of, 70), [6, 5]);
        let filter = HistoryFilter {
            group: Some(71),
            ..HistoryFilter::default()
        };
        let one = Purge::Matching {
            filter: &filter,
            before: None,
        };
        assert_eq!(store.purge(of, &one, 9).unwrap().rows, 1);
        drop(store);
        let report = sqlite::verify(dir.path()).unwrap();
        assert!(report.is_whole(), "{report:?}");
        assert_eq!(report.namespaces[0].history, 3);
    }
}

#[test]
fn damage_in_a_store_of_version_1_stays_damage() {
    let dir = of_version(VERSION_1);
    sqlite_shell(dir.path())
        .execute_batch("UPDATE history SET \"group\" = 71 WHERE task = 5")
        .unwrap();
    let mut store = open(dir.path());
    let of = store.namespaces().unwrap()[0].id;
    assert!(matches!(
        store.reader().unwrap().find(of, 5),
        Err(StoreError::Damaged { .. })
    ));
    assert!(store.reader().unwrap().find(of, 4).unwrap().is_some());
}

#[test]
fn tables_of_no_version_are_refused() {
    let dir = of_version(VERSION_1);
    sqlite_shell(dir.path())
        .execute_batch("DROP INDEX history_by_group")
        .unwrap();
    assert!(matches!(refused(dir.path()), StoreError::Damaged { .. }));
    let dir = of_version(VERSION_1);
    sqlite_shell(dir.path())
        .execute_batch("PRAGMA user_version = 2")
        .unwrap();
    assert!(matches!(refused(dir.path()), StoreError::Damaged { .. }));
}

#[test]
fn a_missing_or_empty_database_is_refused_when_there_was_one() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    fs::write(dir.path().join("interlock.db"), "").unwrap();
    assert!(matches!(refused(dir.path()), StoreError::Damaged { .. }));
    fs::remove_file(dir.path().join("interlock.db")).unwrap();
    assert!(matches!(refused(dir.path()), StoreError::Damaged { .. }));
}

#[test]
fn the_side_file_of_another_store_is_refused() {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(open(a.path()));
    drop(open(b.path()));
    fs::copy(a.path().join("position"), b.path().join("position")).unwrap();
    assert!(refused(b.path()).to_string().contains("another store"));
}

#[test]
fn a_backup_is_consistent_while_the_store_is_written_to() {
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("copy");
    let data = dir.path().join("data");
    let mut store = open(&data);
    store.fold_after(100);
    let namespaces = ["a", "b"].map(|name| store.create_namespace(name, 1).unwrap().id);
    let both = |store: &mut SqliteStore| {
        let records = namespaces.map(|namespace| {
            let position = store.end(namespace).unwrap();
            Append {
                namespace,
                position,
                next: position + 1,
                at_ms: 1,
                bytes: &[7; 3000],
                consumed: &[],
            }
        });
        store.append(&records).unwrap();
    };
    (0..500).for_each(|_| both(&mut store));
    fold(&mut store, namespaces[0], 100);
    let before = store.end(namespaces[0]).unwrap();
    let mut reader = store.reader().unwrap();
    let backup = {
        let copy = copy.clone();
        thread::spawn(move || reader.backup(&copy))
    };
    while !backup.is_finished() {
        both(&mut store);
        store.tend().unwrap();
    }
    backup.join().unwrap().unwrap();
    let after = store.end(namespaces[0]).unwrap();
    assert!(sqlite::verify(&copy).unwrap().is_whole());
    let mut restored = open(&copy);
    let ends = namespaces.map(|namespace| restored.end(namespace).unwrap());
    assert_eq!(ends[0], ends[1], "both were appended to as one");
    assert!((before..=after).contains(&ends[0]));
    loaded(&mut restored, namespaces[0]);
    // The copy goes its own way, and the original never notices.
    assert_eq!(store.generation(), 1);
    append(&mut restored, namespaces[0], 1);
    let generation = restored.generation();
    assert!(generation > 1);
    drop(restored);
    assert_eq!(open(&copy).generation(), generation, "raised once");
}

#[test]
fn a_backup_overwrites_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&dir.path().join("data"));
    let copy = dir.path().join("copy");
    fs::create_dir(&copy).unwrap();
    fs::write(copy.join("precious"), "x").unwrap();
    let error = store.reader().unwrap().backup(&copy).unwrap_err();
    assert!(matches!(error, StoreError::Exists(_)), "{error}");
    assert_eq!(fs::read(copy.join("precious")).unwrap(), b"x");
    let nowhere = dir.path().join("no/such/directory");
    assert!(store.reader().unwrap().backup(&nowhere).is_err());
}

#[test]
fn the_database_of_a_backup_can_be_restored_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (data, copy, new) = (
        dir.path().join("a"),
        dir.path().join("b"),
        dir.path().join("c"),
    );
    let mut store = open(&data);
    let Namespace { id, .. } = store.create_namespace("a", 1).unwrap();
    append(&mut store, id, 3);
    store.reader().unwrap().backup(&copy).unwrap();
    append(&mut store, id, 3);
    Box::new(store).stop().unwrap();
    fs::create_dir(&new).unwrap();
    fs::copy(copy.join("interlock.db"), new.join("interlock.db")).unwrap();
    let mut restored = open(&new);
    assert!(restored.generation() > 1);
    assert_eq!(restored.end(id).unwrap(), 4);
    drop(restored);
    // Put in the place of the store that went on, it is behind that one's side file.
    fs::copy(copy.join("interlock.db"), data.join("interlock.db")).unwrap();
    assert!(matches!(refused(&data), StoreError::Behind { .. }));
}

#[test]
fn an_unfinished_backup_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("interlock.db.unfinished"), "half").unwrap();
    assert!(refused(dir.path()).to_string().contains("not finished"));
}

#[test]
fn a_store_that_was_refused_stays_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let namespace = store.create_namespace("a", 1).unwrap().id;
    append(&mut store, namespace, 5);
    // As after a crash: with a write-ahead file.
    let left = tempfile::tempdir().unwrap();
    for file in ["interlock.db", "interlock.db-wal"] {
        fs::copy(dir.path().join(file), left.path().join(file)).unwrap();
    }
    append(&mut store, namespace, 5);
    Box::new(store).stop().unwrap();
    fs::copy(dir.path().join("position"), left.path().join("position")).unwrap();
    let files = ["interlock.db", "interlock.db-wal"].map(|file| left.path().join(file));
    let read = || files.each_ref().map(|file| fs::read(file).unwrap());
    let before = read();
    assert!(matches!(refused(left.path()), StoreError::Behind { .. }));
    sqlite::verify(left.path()).unwrap();
    assert!(read() == before);
}

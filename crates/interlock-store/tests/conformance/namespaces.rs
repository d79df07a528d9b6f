//! Namespaces and settings.

use interlock_store::StoreError;

use crate::Home;
use crate::material::*;

pub(crate) fn a_new_store_is_empty(home: &dyn Home) {
    let mut store = home.open();
    assert_eq!(store.generation(), 1);
    assert_eq!(store.namespaces().unwrap(), []);
    assert_eq!(store.tokens().unwrap(), []);
    assert_eq!(store.sweep(10).unwrap(), 0);
    let namespace = namespace(&mut *store);
    assert_eq!(store.end(namespace).unwrap(), 1);
    let loaded = load(&mut *store, namespace);
    assert_eq!(loaded, [interlock_store::Loaded::Position(1)]);
}

pub(crate) fn namespaces_are_listed_by_id(home: &dyn Home) {
    let mut store = home.open();
    let made = ["b", "a", "c"].map(|name| store.create_namespace(name, 7).unwrap());
    assert_eq!(made.each_ref().map(|made| made.id.0), [1, 2, 3]);
    assert_eq!(made[1].created_ms, 7);
    assert_eq!(store.namespaces().unwrap(), made);
    drop(store);
    assert_eq!(home.open().namespaces().unwrap(), made);
}

pub(crate) fn names_are_unique_until_removed(home: &dyn Home) {
    let mut store = home.open();
    let first = store.create_namespace("shop", 1).unwrap();
    let again = store.create_namespace("shop", 2);
    assert!(matches!(again, Err(StoreError::NameTaken(name)) if name == "shop"));
    store.remove_namespace(first.id).unwrap();
    let second = store.create_namespace("shop", 3).unwrap();
    assert!(second.id > first.id, "ids are never used again");
}

pub(crate) fn a_removed_namespace_is_gone_at_once_and_swept_in_slices(home: &dyn Home) {
    let mut store = home.open();
    let gone = namespace(&mut *store);
    let kept = store.create_namespace("kept", 1).unwrap().id;
    for of in [gone, kept] {
        append(&mut *store, of, &["a", "b", "c"]);
        let mut checkpoint = checkpoint(of, 2);
        checkpoint.rows = vec![put_task(1, "x"), put(1, "k", "v")];
        let mut row = failed(9, "sync", &["shop:1", "shop:2"], "no");
        row.aliases = vec![8];
        checkpoint.ended = vec![row];
        store.checkpoint(&checkpoint).unwrap();
    }
    let before = load(&mut *store, kept);
    let mut reader = store.reader().unwrap();
    store.remove_namespace(gone).unwrap();
    let unknown = |error| matches!(error, StoreError::UnknownNamespace(of) if of == gone);
    assert!(unknown(store.remove_namespace(gone).unwrap_err()));
    assert!(unknown(store.append(&[one(gone, 4, "d")]).unwrap_err()));
    assert!(unknown(store.end(gone).unwrap_err()));
    assert!(unknown(store.checkpoint(&checkpoint(gone, 3)).unwrap_err()));
    assert!(unknown(reader.find(gone, 9).unwrap_err()));
    assert!(unknown(reader.log(gone, 1, 9).unwrap_err()));
    assert_eq!(store.namespaces().unwrap().len(), 1);
    // Part of it, then a restart.
    assert!(store.sweep(1).unwrap() > 0);
    drop((store, reader));
    let mut store = home.open();
    while store.sweep(2).unwrap() > 0 {}
    assert_eq!(load(&mut *store, kept), before);
    let mut reader = store.reader().unwrap();
    assert_eq!(reader.find(kept, 8).unwrap().unwrap().task, 9);
    assert_eq!(reader.failures(kept, 9).unwrap().len(), 1);
    assert_eq!(store.create_namespace("new", 1).unwrap().id.0, 3);
}

pub(crate) fn settings_are_kept_replaced_and_deleted(home: &dyn Home) {
    let mut store = home.open();
    assert_eq!(store.setting("a").unwrap(), None);
    store.put_setting("a", Some(b"1")).unwrap();
    store.put_setting("b", Some(b"\0")).unwrap();
    store.put_setting("a", Some(b"22")).unwrap();
    drop(store);
    let mut store = home.open();
    assert_eq!(store.setting("a").unwrap().unwrap(), b"22");
    store.put_setting("a", None).unwrap();
    store.put_setting("never there", None).unwrap();
    drop(store);
    let mut store = home.open();
    assert_eq!(store.setting("a").unwrap(), None);
    assert_eq!(store.setting("b").unwrap().unwrap(), b"\0");
}

pub(crate) fn bad_names_are_refused(home: &dyn Home) {
    let mut store = home.open();
    for name in ["", &"x".repeat(201)] {
        let bad = |error| matches!(error, StoreError::BadValue { .. });
        assert!(bad(store.create_namespace(name, 1).unwrap_err()));
        assert!(bad(store.put_setting(name, None).unwrap_err()));
    }
    store.create_namespace(&"x".repeat(200), 1).unwrap();
}

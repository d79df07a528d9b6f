//! The log: appended in order, all or nothing, read by anybody.

use interlock_store::{Append, Loaded, LogPage, NamespaceId, StoreError};

use crate::Home;
use crate::material::*;

pub(crate) fn what_was_appended_is_loaded_in_order(home: &dyn Home) {
    let mut store = home.open();
    let namespace = namespace(&mut *store);
    append(&mut *store, namespace, &["a", "b"]);
    let packed = Append {
        next: 8,
        ..one(namespace, 3, "five events")
    };
    store.append(&[packed, one(namespace, 8, "c")]).unwrap();
    assert_eq!(store.end(namespace).unwrap(), 9);
    let mut five = record(3, "five events");
    five.next = 8;
    let records = [record(1, "a"), record(2, "b"), five, record(8, "c")];
    let records = records.map(Loaded::Record);
    let expected = || std::iter::once(Loaded::Position(1)).chain(records.clone());
    assert!(load(&mut *store, namespace).into_iter().eq(expected()));
    drop(store);
    let mut store = home.open();
    assert_eq!(store.end(namespace).unwrap(), 9);
    assert!(load(&mut *store, namespace).into_iter().eq(expected()));
    append(&mut *store, namespace, &["goes on"]);
}

pub(crate) fn an_append_covers_several_namespaces(home: &dyn Home) {
    let mut store = home.open();
    let [a, b] = ["a", "b"].map(|name| store.create_namespace(name, 1).unwrap().id);
    let records = [one(b, 1, "b1"), one(a, 1, "a1"), one(b, 2, "b2")];
    store.append(&records).unwrap();
    store.append(&[]).unwrap();
    drop(store);
    let mut store = home.open();
    assert_eq!(store.end(a).unwrap(), 2);
    let records = [record(1, "b1"), record(2, "b2")].map(Loaded::Record);
    assert_eq!(load(&mut *store, b)[1..], records);
}

pub(crate) fn an_append_with_a_gap_writes_nothing(home: &dyn Home) {
    let mut store = home.open();
    let [a, b] = ["a", "b"].map(|name| store.create_namespace(name, 1).unwrap().id);
    append(&mut *store, a, &["x"]);
    for position in [0, 1, 3, 1 << 40] {
        let bad = one(a, position, "late");
        let error = store.append(&[one(b, 1, "good"), bad]).unwrap_err();
        let gap = matches!(error, StoreError::Gap { namespace, expected: 2, got }
            if namespace == a && got == position);
        assert!(gap, "{error}");
    }
    assert_eq!(store.end(b).unwrap(), 1);
    drop(store);
    let mut store = home.open();
    assert_eq!(load(&mut *store, b), [Loaded::Position(1)]);
    append(&mut *store, a, &["goes on"]);
}

pub(crate) fn an_append_to_an_unknown_namespace_writes_nothing(home: &dyn Home) {
    let mut store = home.open();
    let known = namespace(&mut *store);
    let unknown = NamespaceId(77);
    let records = [one(known, 1, "a"), one(unknown, 1, "b")];
    let error = store.append(&records).unwrap_err();
    assert!(matches!(error, StoreError::UnknownNamespace(of) if of == unknown));
    assert_eq!(store.end(known).unwrap(), 1);
}

pub(crate) fn an_empty_record_is_refused(home: &dyn Home) {
    let mut store = home.open();
    let namespace = namespace(&mut *store);
    let empty = Append {
        next: 1,
        ..one(namespace, 1, "")
    };
    assert!(store.append(&[empty]).is_err());
    // One event of no bytes is another matter.
    store.append(&[one(namespace, 1, "")]).unwrap();
}

pub(crate) fn the_log_is_read_from_any_position(home: &dyn Home) {
    let mut store = home.open();
    let namespace = namespace(&mut *store);
    let wide = Append {
        next: 4,
        ..one(namespace, 1, "three")
    };
    store.append(&[wide]).unwrap();
    append(&mut *store, namespace, &["a", "b", "c"]);
    let mut reader = store.reader().unwrap();
    let mut read = |from, limit| match reader.log(namespace, from, limit).unwrap() {
        LogPage::Records(records) => records.iter().map(|record| record.position).collect(),
        LogPage::TooOld { oldest } => vec![0, oldest],
    };
    assert_eq!(read(0, 9), [0, 1]);
    for within in 1..4 {
        assert_eq!(read(within, 9), [1, 4, 5, 6]);
    }
    assert_eq!(read(4, 9), [4, 5, 6]);
    assert_eq!(read(4, 2), [4, 5]);
    assert_eq!(read(6, 9), [6]);
    assert_eq!(read(7, 9), [] as [u64; 0]);
    assert_eq!(read(1_000, 9), [] as [u64; 0]);
}

pub(crate) fn a_reader_sees_what_was_appended_before(home: &dyn Home) {
    let mut store = home.open();
    let namespace = namespace(&mut *store);
    let mut readers = [store.reader().unwrap(), store.reader().unwrap()];
    for position in 1..20 {
        append(&mut *store, namespace, &["x"]);
        for reader in &mut readers {
            let page = reader.log(namespace, position, 9).unwrap();
            assert_eq!(page, LogPage::Records(vec![record(position, "x")]));
        }
        store.tend().unwrap();
    }
}

pub(crate) fn large_records_are_kept(home: &dyn Home) {
    let mut store = home.open();
    let namespace = namespace(&mut *store);
    let large = "0123456789abcdef".repeat(1 << 18);
    append(&mut *store, namespace, &[&large, &large, &large, "small"]);
    drop(store);
    let mut store = home.open();
    let mut reader = store.reader().unwrap();
    let LogPage::Records(records) = reader.log(namespace, 1, 9).unwrap() else {
        panic!("nothing was folded");
    };
    assert_eq!(records, [record(1, &large), record(2, &large)], "8 MiB");
    assert_eq!(load(&mut *store, namespace).len(), 5);
}

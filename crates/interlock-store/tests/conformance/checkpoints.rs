//! Folding the log into tables.

use std::ops::ControlFlow;

use interlock_store::{
    Append, Checkpoint, Loaded, LogPage, NamespaceId, RowChange, Sliced, Store, StoreError, Table,
};

use crate::Home;
use crate::material::*;

pub(crate) fn rows_are_put_replaced_and_deleted(home: &dyn Home) {
    let mut store = home.open();
    let namespace = namespace(&mut *store);
    append(&mut *store, namespace, &["a", "b", "c"]);
    let mut first = checkpoint(namespace, 2);
    first.rows = vec![
        put_task(300, "c"),
        put_task(2, "b"),
        put(2, "key", "other table"),
        put(1, "key", "x"),
        put(1, "", "empty key"),
        put_task(1, "a"),
    ];
    store.checkpoint(&first).unwrap();
    let expected = [
        loaded_row(1, "", "empty key"),
        loaded_row(1, "key", "x"),
        loaded_row(2, "key", "other table"),
        loaded_task(1, "a"),
        loaded_task(2, "b"),
        loaded_task(300, "c"),
        Loaded::Position(2),
        Loaded::Record(record(2, "b")),
        Loaded::Record(record(3, "c")),
    ];
    assert_eq!(load(&mut *store, namespace), expected);
    let mut second = checkpoint(namespace, 3);
    second.rows = vec![
        put_task(2, "B"),
        RowChange::DeleteTask { task: 1 },
        RowChange::DeleteTask { task: 77 },
        put(1, "key", "X"),
        put(1, "key", "Y"),
        RowChange::Delete {
            table: Table(2),
            key: b"key".to_vec(),
        },
        RowChange::Delete {
            table: Table(3),
            key: b"never there".to_vec(),
        },
        put(3, "came and went", ""),
        RowChange::Delete {
            table: Table(3),
            key: b"came and went".to_vec(),
        },
    ];
    store.checkpoint(&second).unwrap();
    drop(store);
    let expected = [
        loaded_row(1, "", "empty key"),
        loaded_row(1, "key", "Y"),
        loaded_task(2, "B"),
        loaded_task(300, "c"),
        Loaded::Position(3),
        Loaded::Record(record(3, "c")),
    ];
    assert_eq!(load(&mut *home.open(), namespace), expected);
}

pub(crate) fn a_checkpoint_within_a_record_keeps_the_record(home: &dyn Home) {
    let mut store = home.open();
    let namespace = namespace(&mut *store);
    let wide = Append {
        next: 6,
        ..one(namespace, 1, "five")
    };
    store.append(&[wide]).unwrap();
    append(&mut *store, namespace, &["a"]);
    store.checkpoint(&checkpoint(namespace, 3)).unwrap();
    drop(store);
    let mut store = home.open();
    let mut five = record(1, "five");
    five.next = 6;
    let expected = [
        Loaded::Position(3),
        Loaded::Record(five),
        Loaded::Record(record(6, "a")),
    ];
    assert_eq!(load(&mut *store, namespace), expected);
    store.checkpoint(&checkpoint(namespace, 6)).unwrap();
    assert_eq!(load(&mut *store, namespace).len(), 2);
}

pub(crate) fn the_history_says_up_to_when_it_is_complete(home: &dyn Home) {
    let mut store = home.open();
    let namespace = namespace(&mut *store);
    let mut reader = store.reader().unwrap();
    assert_eq!(reader.folded_until(namespace).unwrap(), None, "nothing yet");
    let wide = Append {
        next: 6,
        ..one(namespace, 3, "three")
    };
    append(&mut *store, namespace, &["a", "b"]);
    store.append(&[wide]).unwrap();
    assert_eq!(
        reader.folded_until(namespace).unwrap(),
        Some(1_001),
        "no checkpoint: nothing before the first"
    );
    let keeping = |position| Checkpoint {
        keep_log_from: 1,
        ..checkpoint(namespace, position)
    };
    store.checkpoint(&keeping(2)).unwrap();
    assert_eq!(reader.folded_until(namespace).unwrap(), Some(1_001));
    store.checkpoint(&keeping(4)).unwrap();
    assert_eq!(
        reader.folded_until(namespace).unwrap(),
        Some(1_002),
        "within one"
    );
    store.checkpoint(&checkpoint(namespace, 6)).unwrap();
    assert_eq!(reader.folded_until(namespace).unwrap(), None, "everything");
    append(&mut *store, namespace, &["on"]);
    assert_eq!(
        reader.folded_until(namespace).unwrap(),
        Some(1_006),
        "all of it is gone"
    );
}

pub(crate) fn a_checkpoint_deletes_the_log_up_to_where_it_says(home: &dyn Home) {
    let mut store = home.open();
    let namespace = namespace(&mut *store);
    append(&mut *store, namespace, &["a", "b", "c", "d"]);
    let kept = Checkpoint {
        keep_log_from: 3,
        ..checkpoint(namespace, 5)
    };
    store.checkpoint(&kept).unwrap();
    assert_eq!(load(&mut *store, namespace), [Loaded::Position(5)]);
    drop(store);
    let store = home.open();
    let mut reader = store.reader().unwrap();
    let still = LogPage::Records(vec![record(3, "c"), record(4, "d")]);
    assert_eq!(reader.log(namespace, 3, 9).unwrap(), still);
}

pub(crate) fn a_position_that_was_folded_is_too_old(home: &dyn Home) {
    let mut store = home.open();
    let namespace = namespace(&mut *store);
    append(&mut *store, namespace, &["a", "b", "c"]);
    let mut reader = store.reader().unwrap();
    store.checkpoint(&checkpoint(namespace, 3)).unwrap();
    let too_old = LogPage::TooOld { oldest: 3 };
    assert_eq!(reader.log(namespace, 2, 9).unwrap(), too_old);
    store.checkpoint(&checkpoint(namespace, 4)).unwrap();
    let too_old = LogPage::TooOld { oldest: 4 };
    assert_eq!(reader.log(namespace, 3, 9).unwrap(), too_old);
    let nothing = LogPage::Records(Vec::new());
    assert_eq!(reader.log(namespace, 4, 9).unwrap(), nothing);
}

pub(crate) fn a_log_folded_to_its_end_goes_on_where_it_ended(home: &dyn Home) {
    let mut store = home.open();
    let namespace = namespace(&mut *store);
    append(&mut *store, namespace, &["a", "b"]);
    store.checkpoint(&checkpoint(namespace, 3)).unwrap();
    // The same again changes nothing.
    store.checkpoint(&checkpoint(namespace, 3)).unwrap();
    drop(store);
    let mut store = home.open();
    assert_eq!(store.end(namespace).unwrap(), 3);
    assert!(store.append(&[one(namespace, 1, "again")]).is_err());
    append(&mut *store, namespace, &["c"]);
    store.stop().unwrap();
    let expected = [Loaded::Position(3), Loaded::Record(record(3, "c"))];
    assert_eq!(load(&mut *home.open(), namespace), expected);
}

pub(crate) fn bad_checkpoints_change_nothing(home: &dyn Home) {
    let mut store = home.open();
    let namespace = namespace(&mut *store);
    append(&mut *store, namespace, &["a", "b", "c"]);
    store.checkpoint(&checkpoint(namespace, 3)).unwrap();
    let before = load(&mut *store, namespace);
    let eager = Checkpoint {
        keep_log_from: 4,
        ..checkpoint(namespace, 3)
    };
    for mut bad in [checkpoint(namespace, 2), checkpoint(namespace, 5), eager] {
        bad.rows = vec![put_task(1, "x")];
        let error = store.checkpoint(&bad).unwrap_err();
        assert!(matches!(error, StoreError::BadCheckpoint { .. }), "{error}");
    }
    assert_eq!(load(&mut *store, namespace), before);
}

pub(crate) fn namespaces_do_not_mix(home: &dyn Home) {
    let mut store = home.open();
    let [a, b] = ["a", "b"].map(|name| store.create_namespace(name, 1).unwrap().id);
    for (of, text) in [(a, "a"), (b, "b")] {
        append(&mut *store, of, &[text, text, text]);
        let mut fold = checkpoint(of, 2);
        fold.rows = vec![put_task(1, text), put(1, "k", text)];
        fold.ended = vec![failed(5, text, &["r:1"], text)];
        store.checkpoint(&fold).unwrap();
    }
    drop(store);
    let mut store = home.open();
    let mut reader = store.reader().unwrap();
    for (of, text) in [(a, "a"), (b, "b")] {
        let expected = [
            loaded_row(1, "k", text),
            loaded_task(1, text),
            Loaded::Position(2),
            Loaded::Record(record(2, text)),
            Loaded::Record(record(3, text)),
        ];
        assert_eq!(load(&mut *store, of), expected);
        assert_eq!(reader.find(of, 5).unwrap().unwrap().kind, text);
        assert_eq!(reader.failures(of, 9).unwrap()[0].error, text);
        assert_eq!(reader.last_ended(of, "r:1").unwrap().len(), 1);
    }
}

pub(crate) fn a_load_can_be_stopped(home: &dyn Home) {
    let mut store = home.open();
    let namespace = namespace(&mut *store);
    append(&mut *store, namespace, &["a", "b", "c"]);
    let mut fold = checkpoint(namespace, 2);
    fold.rows = vec![put_task(1, "x"), put(1, "k", "v")];
    store.checkpoint(&fold).unwrap();
    for wanted in 1..=5 {
        let mut seen = 0;
        let visit = &mut |_| {
            seen += 1;
            match seen == wanted {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        store.load(namespace, visit).unwrap();
        assert_eq!(seen, wanted);
    }
    append(&mut *store, namespace, &["goes on"]);
}

/// A checkpoint of everything there can be: tasks that are new, changed, gone, and all at once.
fn mixed(of: NamespaceId, position: u64) -> Checkpoint {
    let mut mixed = checkpoint(of, position);
    mixed.rows = vec![
        RowChange::DeleteTask { task: 9 },
        put_task(9, "nine"),
        put_task(2, "changed"),
        put_task(7, "seven"),
        put_task(8, "came"),
        put(1, "key", "x"),
        RowChange::DeleteTask { task: 8 },
        RowChange::DeleteTask { task: 11 },
        put_task(7, "seven again"),
        RowChange::DeleteTask { task: 1 },
        put_task(11, "eleven"),
    ];
    mixed.ended = vec![
        ended(5, "sync", "succeeded", &["a:1"]),
        ended(6, "sync", "failed", &["a:2"]),
    ];
    mixed
}

/// Two tasks in the tables.
fn two_tasks(store: &mut dyn Store) -> NamespaceId {
    let of = namespace(store);
    append(store, of, &["a", "b", "c", "d"]);
    let mut first = checkpoint(of, 2);
    first.rows = vec![put_task(1, "one"), put_task(2, "two")];
    store.checkpoint(&first).unwrap();
    of
}

pub(crate) fn a_checkpoint_in_slices_is_the_same_as_at_once(home: &dyn Home) {
    for limit in [1, 2, 3, 100] {
        let mut store = home.open();
        let of = two_tasks(&mut *store);
        let mut sliced = Sliced::new(mixed(of, 4));
        while store.stage(&mut sliced, limit).unwrap() {
            // Others go on meanwhile.
            let end = store.end(of).unwrap();
            store.append(&[one(of, end, "meanwhile")]).unwrap();
        }
        store.checkpoint(&sliced.rest()).unwrap();
        drop(store);
        let mut store = home.open();
        let mut loaded = load(&mut *store, of);
        loaded.retain(|one| !matches!(one, Loaded::Record(_)));
        let expected = [
            loaded_row(1, "key", "x"),
            loaded_task(2, "changed"),
            loaded_task(7, "seven again"),
            loaded_task(9, "nine"),
            loaded_task(11, "eleven"),
            Loaded::Position(4),
        ];
        assert_eq!(loaded, expected, "in slices of {limit}");
        let mut reader = store.reader().unwrap();
        assert!(reader.find(of, 5).unwrap().is_some());
        store.remove_namespace(of).unwrap();
    }
}

pub(crate) fn many_tasks_are_written_ahead_as_they_are(home: &dyn Home) {
    for limit in [15, 16, 17, 50, 1_000] {
        let mut store = home.open();
        let of = two_tasks(&mut *store);
        // Not in order, and not all of them neighbours.
        let tasks: Vec<u64> = (0..100)
            .map(|at| 3 + at * 37 % 100 + at / 90 * 1_000)
            .collect();
        let mut next = checkpoint(of, 4);
        next.rows = (tasks.iter())
            .map(|task| put_task(*task, &format!("task {task}")))
            .collect();
        let mut sliced = Sliced::new(next);
        while store.stage(&mut sliced, limit).unwrap() {}
        store.checkpoint(&sliced.rest()).unwrap();
        drop(store);
        let mut store = home.open();
        let mut expected: Vec<Loaded> = tasks
            .iter()
            .map(|task| loaded_task(*task, &format!("task {task}")))
            .chain([loaded_task(1, "one"), loaded_task(2, "two")])
            .collect();
        expected.sort_by_key(|loaded| match loaded {
            Loaded::Task { task, .. } => *task,
            other => panic!("not a task: {other:?}"),
        });
        let mut loaded = load(&mut *store, of);
        loaded.retain(|one| matches!(one, Loaded::Task { .. }));
        assert_eq!(loaded, expected, "in slices of {limit}");
        store.remove_namespace(of).unwrap();
    }
}

pub(crate) fn the_rows_of_a_checkpoint_may_come_in_parts(home: &dyn Home) {
    for limit in [1, 3, 100] {
        let mut store = home.open();
        let of = two_tasks(&mut *store);
        let Checkpoint { rows, ended, .. } = mixed(of, 4);
        let mut sliced = Sliced::new(checkpoint(of, 4));
        let mut ended = ended.into_iter();
        let mut rows = rows.into_iter();
        loop {
            let part: Vec<_> = rows.by_ref().take(2).collect();
            let history: Vec<_> = ended.by_ref().take(1).collect();
            if part.is_empty() && history.is_empty() {
                break;
            }
            sliced.add(part, history);
            while !sliced.is_dry() {
                store.stage(&mut sliced, limit).unwrap();
            }
        }
        store.checkpoint(&sliced.rest()).unwrap();
        drop(store);
        let mut in_parts = home.open();
        let found = load(&mut *in_parts, of);
        assert!(in_parts.reader().unwrap().find(of, 5).unwrap().is_some());
        in_parts.remove_namespace(of).unwrap();
        drop(in_parts);

        let mut store = home.open();
        let of = two_tasks(&mut *store);
        store.checkpoint(&mixed(of, 4)).unwrap();
        assert_eq!(found, load(&mut *store, of), "in slices of {limit}");
        store.remove_namespace(of).unwrap();
    }
}

pub(crate) fn what_was_written_ahead_counts_for_nothing_by_itself(home: &dyn Home) {
    let mut store = home.open();
    let of = two_tasks(&mut *store);
    let before = load(&mut *store, of);
    let mut sliced = Sliced::new(mixed(of, 4));
    while store.stage(&mut sliced, 2).unwrap() {}
    assert_eq!(load(&mut *store, of), before);
    // It was abandoned: the next one knows nothing of it.
    let mut other = checkpoint(of, 3);
    other.rows = vec![put_task(7, "another seven")];
    store.checkpoint(&other).unwrap();
    let after = [
        loaded_task(1, "one"),
        loaded_task(2, "two"),
        loaded_task(7, "another seven"),
        Loaded::Position(3),
        Loaded::Record(record(3, "c")),
        Loaded::Record(record(4, "d")),
    ];
    assert_eq!(load(&mut *store, of), after);

    let mut sliced = Sliced::new(mixed(of, 5));
    while store.stage(&mut sliced, 2).unwrap() {}
    drop(store);
    let mut store = home.open();
    assert_eq!(load(&mut *store, of), after, "after a restart");
    // Again in slices, from the start.
    let mut sliced = Sliced::new(mixed(of, 5));
    while store.stage(&mut sliced, 3).unwrap() {}
    store.checkpoint(&sliced.rest()).unwrap();
    drop(store);
    let loaded = load(&mut *home.open(), of);
    assert!(
        loaded.contains(&loaded_task(7, "seven again")),
        "{loaded:?}"
    );
    assert!(!loaded.contains(&loaded_task(1, "one")), "{loaded:?}");
}

//! A commit was sent and no answer came: nobody knows, so the namespace is claimed anew and loaded.

use interlock_pgtest::{Proxy, Server, Wire};
use interlock_store::{Checkpoint, Store, StoreError};

use crate::material::*;

fn unsure<T: std::fmt::Debug>(answer: Result<T, StoreError>) {
    assert!(
        matches!(answer, Err(StoreError::Unsure { .. })),
        "{answer:?}"
    );
}

#[test]
fn an_append_without_an_answer_is_neither_lost_nor_written_twice() {
    let database = Server::shared().database();
    let proxy = Proxy::to(database.server().port());
    let mut process = Process::join_by(&database.url_by(proxy.port()), "a");
    let namespace = process.store.create_namespace("default", 1).unwrap().id;
    let other = process.store.create_namespace("other", 1).unwrap().id;
    process.append(namespace, "first").unwrap();
    process.append(other, "first").unwrap();
    let mut expected = vec!["first".to_owned()];
    for round in 0..5 {
        // Whatever is prepared once for each connection is prepared.
        process.append(other, "meanwhile").unwrap();
        proxy.set(Wire::Mute);
        let position = expected.len() as u64 + 1;
        let text = format!("in doubt {round}");
        unsure(process.store.append(&[record(namespace, position, &text)]));
        proxy.set(Wire::Whole);
        // Nothing goes on from memory, not even a repetition.
        let again = process.store.append(&[record(namespace, position, &text)]);
        assert!(
            matches!(again, Err(StoreError::NotOwned { .. })),
            "{again:?}"
        );
        process.ownership.claim(namespace).unwrap();
        // It was done: the answer was all that got lost.
        expected.push(text);
        assert_eq!(log(&mut process.store, namespace), expected);
    }
    // A namespace that was not concerned goes on without a word.
    process.append(other, "second").unwrap();
    assert_eq!(log(&mut process.store, other).len(), 7);
}

#[test]
fn a_checkpoint_without_an_answer_heals_by_a_new_claim() {
    let database = Server::shared().database();
    let proxy = Proxy::to(database.server().port());
    let mut process = Process::join_by(&database.url_by(proxy.port()), "a");
    let namespace = process.store.create_namespace("default", 1).unwrap().id;
    for text in ["first", "second"] {
        process.append(namespace, text).unwrap();
    }
    let checkpoint = |position| Checkpoint {
        namespace,
        position,
        rows: Vec::new(),
        ended: vec![ended(7)],
        keep_log_from: position,
    };
    process.store.checkpoint(&checkpoint(1)).unwrap();
    proxy.set(Wire::Mute);
    // The first answer of its transaction is cut: it was never committed, and that is known.
    let cut = process.store.checkpoint(&checkpoint(2));
    assert!(
        matches!(cut, Err(StoreError::Unreachable { .. })),
        "{cut:?}"
    );
    proxy.set(Wire::Whole);
    process.store.checkpoint(&checkpoint(3)).unwrap();
    assert_eq!(log(&mut process.store, namespace), [] as [&str; 0]);
}

#[test]
fn what_was_written_ahead_and_may_be_lost_is_no_part_of_a_checkpoint() {
    let database = Server::shared().database();
    let proxy = Proxy::to(database.server().port());
    let mut process = Process::join_by(&database.url_by(proxy.port()), "a");
    let namespace = process.store.create_namespace("default", 1).unwrap().id;
    process.append(namespace, "first").unwrap();
    let rows = (1..4).map(|task| interlock_store::RowChange::PutTask {
        task,
        shown: interlock_store::Shown::default(),
        body: vec![1],
    });
    let checkpoint = Checkpoint {
        namespace,
        position: 2,
        rows: rows.collect(),
        ended: Vec::new(),
        keep_log_from: 1,
    };
    let mut sliced = interlock_store::Sliced::new(checkpoint.clone());
    assert!(process.store.stage(&mut sliced, 2).unwrap());
    proxy.cut();
    let rest = sliced.rest();
    assert_eq!(rest.rows.len(), 1);
    let refused = process.store.checkpoint(&rest);
    let refused = match refused {
        // The cut had not been noticed before.
        Err(StoreError::Unreachable { .. }) => process.store.checkpoint(&rest),
        refused => refused,
    };
    assert!(
        matches!(refused, Err(StoreError::NotOwned { .. })),
        "{refused:?}"
    );
    // After a new claim and a load it can be made anew, whole.
    process.ownership.claim(namespace).unwrap();
    assert_eq!(log(&mut process.store, namespace), ["first"]);
    process.store.checkpoint(&checkpoint).unwrap();
    assert_eq!(database.sql("SELECT count(*) FROM interlock.tasks"), "3");
}

#[test]
fn a_token_or_namespace_without_an_answer_can_be_looked_for() {
    let database = Server::shared().database();
    let proxy = Proxy::to(database.server().port());
    let mut process = Process::join_by(&database.url_by(proxy.port()), "a");
    process.store.put_setting("a", Some(b"1")).unwrap();
    proxy.cut();
    // A read comes back by itself, and so does a write that had not begun.
    assert_eq!(process.store.setting("a").unwrap().unwrap(), b"1");
    process.store.put_setting("a", Some(b"2")).unwrap();
    proxy.set(Wire::Cut);
    let refused = process.store.put_setting("a", Some(b"3"));
    assert!(
        matches!(refused, Err(StoreError::Unreachable { .. })),
        "{refused:?}"
    );
    proxy.set(Wire::Whole);
    assert_eq!(process.store.setting("a").unwrap().unwrap(), b"2");
}

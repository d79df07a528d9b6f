//! Random operations on the store in memory and on those in SQLite and PostgreSQL: they answer the
//! same.
#![allow(clippy::unwrap_used, reason = "lets tests unwrap in their helpers too")]

use std::ops::ControlFlow;
use std::time::Duration;

use interlock_pgtest::{Database, Server};
use interlock_store::postgres::NewNode;
use interlock_store::{
    Append, Checkpoint, HistoryFilter, HistoryRow, Loaded, MemoryStore, NamespaceId, NewToken,
    PostgresStore, Purge, RowChange, Shown, Sliced, SqliteStore, Store, Table, sqlite,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Create(u8),
    Remove(u32),
    Sweep,
    Append(Vec<(u32, u64, Vec<u8>)>),
    Misplaced(u32, u64),
    Fold {
        namespace: u32,
        part: u8,
        kept: u8,
        rows: Vec<RowChange>,
        ended: Vec<HistoryRow>,
        slices: u8,
    },
    Record(u32, Vec<HistoryRow>),
    Expire(u32, u64, usize),
    Purge(u32, HistoryFilter, usize),
    Token(u8),
    Revoke(u64),
    Setting(u8, Option<Vec<u8>>),
    Reopen,
}

fn name(of: &'static str, count: u8) -> impl Strategy<Value = String> {
    (0..count).prop_map(move |number| format!("{of}{number}"))
}

fn namespace() -> impl Strategy<Value = u32> {
    1..4u32
}

fn row() -> impl Strategy<Value = RowChange> {
    let shown = (name("kind", 3), vec(name("r:", 3), 0..3)).prop_map(|(kind, resources)| Shown {
        kind: kind.into(),
        resources: resources.into_iter().map(Into::into).collect(),
        ..Shown::default()
    });
    prop_oneof![
        (1..9u64, shown, vec(any::<u8>(), 0..40))
            .prop_map(|(task, shown, body)| { RowChange::PutTask { task, shown, body } }),
        (1..9u64).prop_map(|task| RowChange::DeleteTask { task }),
        (0..3u8, vec(0..3u8, 0..2), vec(any::<u8>(), 0..9)).prop_map(|(table, key, body)| {
            RowChange::Put {
                table: Table(table),
                key,
                body,
            }
        }),
        (0..3u8, vec(0..3u8, 0..2)).prop_map(|(table, key)| RowChange::Delete {
            table: Table(table),
            key,
        }),
    ]
}

fn ended() -> impl Strategy<Value = HistoryRow> {
    let known = (
        1..40u64,
        name("kind", 3),
        prop_oneof![Just("succeeded"), Just("failed"), Just("cancelled")],
        vec(name("r:", 4), 0..4),
        0..100u64,
    );
    let optional = (
        option::of(name("worker", 2)),
        vec(0..3u64, 0..3),
        option::of(name("schedule", 2)),
        option::of(0..3u64),
        vec(name("tag", 3), 0..2),
        option::of(name("error", 2)),
    );
    let rest = (
        vec(40..50u64, 0..2),
        prop_oneof![3 => 0..100u64, 1 => Just(u64::MAX)],
    );
    (known, optional, rest).prop_map(|(known, optional, rest)| {
        let (task, kind, outcome, resources, ended_ms) = known;
        let (worker, groups, schedule, parent, tags, error) = optional;
        let (aliases, expires_ms) = rest;
        HistoryRow {
            task,
            kind,
            outcome: outcome.to_owned(),
            resources,
            submitted_ms: 0,
            ended_ms,
            worker,
            groups,
            schedule,
            parent,
            tags,
            error,
            aliases,
            expires_ms,
            body: vec![1, 2, 3],
        }
    })
}

fn filter() -> impl Strategy<Value = HistoryFilter> {
    let first = (
        vec(prop_oneof![Just("succeeded"), Just("failed")], 0..2),
        option::weighted(0.3, name("kind", 3)),
        option::weighted(0.3, name("r:", 4)),
        option::weighted(0.1, name("worker", 2)),
        option::weighted(0.1, name("tag", 3)),
    );
    let second = (
        option::weighted(0.1, name("schedule", 2)),
        option::weighted(0.1, 0..3u64),
        option::weighted(0.1, 0..3u64),
        option::weighted(0.2, name("error", 2)),
        option::weighted(0.2, 0..100u64),
        option::weighted(0.2, 0..100u64),
    );
    (first, second).prop_map(|(first, second)| {
        let (outcomes, kind, resource, worker, tag) = first;
        let (schedule, group, parent, error, ended_from_ms, ended_until_ms) = second;
        HistoryFilter {
            outcomes: outcomes.into_iter().map(str::to_owned).collect(),
            kind,
            resource,
            worker,
            tag,
            schedule,
            group,
            parent,
            error,
            ended_from_ms,
            ended_until_ms,
        }
    })
}

fn step() -> impl Strategy<Value = Step> {
    let append = vec((namespace(), 1..4u64, vec(any::<u8>(), 0..300)), 1..4);
    let fold = (
        namespace(),
        0..=3u8,
        0..=3u8,
        vec(row(), 0..6),
        vec(ended(), 0..6),
        0..5u8,
    );
    prop_oneof![
        2 => (0..4u8).prop_map(Step::Create),
        1 => namespace().prop_map(Step::Remove),
        1 => Just(Step::Sweep),
        8 => append.prop_map(Step::Append),
        1 => (namespace(), 0..9u64).prop_map(|(of, position)| Step::Misplaced(of, position)),
        6 => fold.prop_map(|(namespace, part, kept, rows, ended, slices)| Step::Fold {
            namespace, part, kept, rows, ended, slices,
        }),
        2 => (namespace(), vec(ended(), 0..6)).prop_map(|(of, rows)| Step::Record(of, rows)),
        1 => (namespace(), 0..100u64, 1..9usize).prop_map(|(of, now, limit)| {
            Step::Expire(of, now, limit)
        }),
        1 => (namespace(), filter(), 1..9usize).prop_map(|(of, filter, limit)| {
            Step::Purge(of, filter, limit)
        }),
        1 => (0..4u8).prop_map(Step::Token),
        1 => (0..4u64).prop_map(Step::Revoke),
        1 => (0..3u8, option::of(vec(any::<u8>(), 0..4))).prop_map(|(name, value)| {
            Step::Setting(name, value)
        }),
        1 => Just(Step::Reopen),
    ]
}

/// Does a step and tells what was answered.
fn take(store: &mut dyn Store, step: &Step) -> String {
    match step {
        Step::Create(name) => show(store.create_namespace(&format!("name {name}"), 5)),
        Step::Remove(of) => show(store.remove_namespace(NamespaceId(*of))),
        Step::Sweep => {
            while store.sweep(3).unwrap() > 0 {}
            String::new()
        }
        Step::Append(records) => append(store, records),
        Step::Misplaced(of, position) => show(store.append(&[Append {
            namespace: NamespaceId(*of),
            position: *position,
            next: position + 1,
            at_ms: 0,
            bytes: b"misplaced",
            consumed: &[],
        }])),
        Step::Fold { .. } => fold(store, step),
        Step::Record(of, rows) => show(store.record(NamespaceId(*of), rows)),
        Step::Expire(of, now_ms, limit) => {
            let expired = Purge::Expired { now_ms: *now_ms };
            show(store.purge(NamespaceId(*of), &expired, *limit))
        }
        Step::Purge(of, filter, limit) => {
            let before = None;
            let purged = store.purge(
                NamespaceId(*of),
                &Purge::Matching { filter, before },
                *limit,
            );
            // Where it goes on is each store's own business.
            show(purged.map(|purged| purged.rows))
        }
        Step::Token(number) => show(store.put_token(&NewToken {
            name: format!("token {number}"),
            hash: [*number; 32],
            hint: "abcd".to_owned(),
            namespace: Some(NamespaceId(1)).filter(|_| number % 2 == 0),
            scopes: "read".to_owned(),
            created_ms: 3,
        })),
        Step::Revoke(id) => show(store.revoke_token(*id, 77)),
        Step::Setting(name, value) => {
            show(store.put_setting(&format!("setting {name}"), value.as_deref()))
        }
        Step::Reopen => String::new(),
    }
}

fn show<T: std::fmt::Debug>(answer: Result<T, interlock_store::StoreError>) -> String {
    format!("{answer:?}")
}

fn append(store: &mut dyn Store, records: &[(u32, u64, Vec<u8>)]) -> String {
    let mut ends = [1, 2, 3].map(|of| store.end(NamespaceId(of)).unwrap_or(1));
    let records: Vec<Append<'_>> = records
        .iter()
        .map(|(of, events, bytes)| {
            let end = &mut ends[*of as usize - 1];
            let position = *end;
            *end += events;
            Append {
                namespace: NamespaceId(*of),
                position,
                next: *end,
                at_ms: 9,
                bytes,
                consumed: &[],
            }
        })
        .collect();
    show(store.append(&records))
}

/// Folds a part of the log and keeps a part of what is folded; also parts that are too large.
fn fold(store: &mut dyn Store, step: &Step) -> String {
    let Step::Fold {
        namespace,
        part,
        kept,
        rows,
        ended,
        slices,
    } = step
    else {
        unreachable!("called for no other step");
    };
    let namespace = NamespaceId(*namespace);
    let end = store.end(namespace).unwrap_or(1);
    let position = (end * (u64::from(*part) + 1)).div_ceil(4);
    let keep_log_from = (position * (u64::from(*kept) + 1)).div_ceil(4);
    let checkpoint = Checkpoint {
        namespace,
        position,
        rows: rows.clone(),
        ended: ended.clone(),
        keep_log_from,
    };
    // Some of them in slices, of which as many are written ahead as it comes.
    let mut sliced = Sliced::new(checkpoint);
    for _ in 0..*slices {
        if let Err(error) = store.stage(&mut sliced, 2) {
            return show::<()>(Err(error));
        }
    }
    show(store.checkpoint(&sliced.rest()))
}

/// Everything that can be seen of a store.
fn look(store: &mut dyn Store, filters: &[HistoryFilter]) -> Vec<String> {
    let namespaces = store.namespaces().unwrap();
    let mut seen = vec![format!("{namespaces:?} {:?}", store.tokens().unwrap())];
    for number in 0..3 {
        seen.push(show(store.setting(&format!("setting {number}"))));
    }
    for of in namespaces.iter().map(|namespace| namespace.id) {
        let mut loaded: Vec<Loaded> = Vec::new();
        let visit = &mut |one| {
            loaded.push(one);
            ControlFlow::Continue(())
        };
        store.load(of, visit).unwrap();
        seen.push(format!(
            "{of} ends at {} {loaded:?}",
            store.end(of).unwrap()
        ));
        let mut reader = store.reader().unwrap();
        seen.push(show(reader.failures(of, 100)));
        for number in 0..4 {
            seen.push(show(reader.last_ended(of, &format!("r:{number}"))));
        }
        for task in 0..50 {
            seen.push(show(reader.find(of, task)));
        }
        for from in 0..20 {
            seen.push(show(reader.log(of, from, 5)));
        }
        for filter in filters {
            let mut before = None;
            let mut rows = Vec::new();
            loop {
                let page = reader.list(of, filter, before, 7).unwrap();
                rows.extend(page.rows);
                before = page.next;
                if before.is_none() {
                    break;
                }
            }
            seen.push(format!("{filter:?} {rows:?}"));
        }
    }
    seen
}

fn cases() -> u32 {
    let asked = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    asked.map_or(48, |cases: u32| cases.min(1_000))
}

/// Opens a store in PostgreSQL as the only node, as after a crash of the last one.
fn open(database: &Database<'_>) -> PostgresStore {
    let store = PostgresStore::open(&database.url()).unwrap();
    let mut ownership = store.ownership();
    let new = NewNode {
        name: "only".to_owned(),
        address: String::new(),
        version: String::new(),
        lease: Duration::from_secs(600),
        takeover: true,
    };
    ownership.join(&new).unwrap();
    assert_eq!(ownership.claim_all().unwrap(), []);
    store
}

/// What is derived from the history, and what is known about it, is what is in it.
fn consistent(database: &Database<'_>) {
    let wrong = "SELECT count(*) FROM interlock.namespaces n WHERE NOT removed AND (
            history_count <> (SELECT count(*) FROM interlock.history h WHERE h.namespace = n.id)
            OR rows_count <> (SELECT count(*) FROM interlock.rows r WHERE r.namespace = n.id)
                + (SELECT count(*) FROM interlock.tasks t
                    WHERE t.namespace = n.id AND t.task < n.tasks_before)
            OR (SELECT coalesce(sum(count), 0) FROM interlock.failures f WHERE f.namespace = n.id)
                <> (SELECT count(*) FROM interlock.history h
                    WHERE h.namespace = n.id AND h.error IS NOT NULL)
            OR (SELECT coalesce(sum(resources), 0) FROM interlock.failures f
                    WHERE f.namespace = n.id)
                <> (SELECT count(*) FROM interlock.failure_resources f WHERE f.namespace = n.id)
            OR EXISTS (SELECT 1 FROM (
                    SELECT namespace, task FROM interlock.history_resources
                    UNION ALL SELECT namespace, task FROM interlock.history_aliases
                    UNION ALL SELECT namespace, task FROM interlock.history_groups) d
                WHERE d.namespace = n.id AND NOT EXISTS (SELECT 1 FROM interlock.history h
                    WHERE h.namespace = d.namespace AND h.task = d.task)))";
    assert_eq!(database.sql(wrong), "0");
}

proptest! {
    #![proptest_config(ProptestConfig {
        // Each is a real database with real syncs: a long run is a thousand of them.
        cases: cases(),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn both_stores_answer_the_same(steps in vec(step(), 1..60), filters in vec(filter(), 4)) {
        let dir = tempfile::tempdir().unwrap();
        let mut memory = MemoryStore::new();
        let mut sqlite = SqliteStore::open(dir.path()).unwrap();
        for step in &steps {
            if matches!(step, Step::Reopen) {
                drop(sqlite);
                sqlite = SqliteStore::open(dir.path()).unwrap();
            }
            prop_assert_eq!(take(&mut memory, step), take(&mut sqlite, step), "{:?}", step);
        }
        prop_assert_eq!(look(&mut memory, &filters), look(&mut sqlite, &filters));
        drop(sqlite);
        let report = sqlite::verify(dir.path()).unwrap();
        prop_assert!(report.is_whole(), "{:?}", report);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        // Each is a database of its own, and thousands of statements.
        cases: cases().div_ceil(4).min(100),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_store_in_postgresql_answers_the_same(
        steps in vec(step(), 1..60),
        filters in vec(filter(), 4),
    ) {
        let database = Server::shared().database();
        let mut memory = MemoryStore::new();
        let mut postgres = open(&database);
        for step in &steps {
            if matches!(step, Step::Reopen) {
                drop(postgres);
                postgres = open(&database);
            }
            prop_assert_eq!(take(&mut memory, step), take(&mut postgres, step), "{:?}", step);
        }
        prop_assert_eq!(look(&mut memory, &filters), look(&mut postgres, &filters));
        consistent(&database);
    }
}

//! Ended tasks.

use interlock_store::{
    HistoryFilter, HistoryRow, LastEnded, NamespaceId, Purge, Reader, Store, StoreError,
};

use crate::Home;
use crate::material::*;

/// Follows the pages of a list to its end.
fn all(reader: &mut dyn Reader, of: NamespaceId, filter: &HistoryFilter, page: usize) -> Vec<u64> {
    let mut before = None;
    let mut tasks = Vec::new();
    loop {
        let page = reader.list(of, filter, before, page).unwrap();
        tasks.extend(page.rows.iter().map(|row| row.task));
        before = page.next;
        if before.is_none() {
            return tasks;
        }
    }
}

fn matching(filter: &HistoryFilter, before: Option<u64>) -> Purge<'_> {
    Purge::Matching { filter, before }
}

fn store_with(home: &dyn Home, rows: Vec<HistoryRow>) -> (Box<dyn Store>, NamespaceId) {
    let mut store = home.open();
    let namespace = namespace(&mut *store);
    let mut fold = checkpoint(namespace, 1);
    fold.ended = rows;
    store.checkpoint(&fold).unwrap();
    drop(store);
    (home.open(), namespace)
}

pub(crate) fn an_ended_task_is_found_by_its_id_and_its_aliases(home: &dyn Home) {
    let row = HistoryRow {
        aliases: vec![3, 4],
        groups: vec![70, 71],
        schedule: Some("nightly".to_owned()),
        parent: Some(2),
        tags: vec!["red".to_owned(), String::new()],
        error: Some("boom".to_owned()),
        ..ended(7, "sync", "failed", &["shop:1", "shop:2"])
    };
    let mut fourth = ended(4, "sync", "succeeded", &[]);
    fourth.worker = None;
    let (mut store, of) = store_with(home, vec![row.clone(), fourth.clone()]);
    let mut reader = store.reader().unwrap();
    assert_eq!(reader.find(of, 7).unwrap().unwrap(), row);
    assert_eq!(reader.find(of, 3).unwrap().unwrap(), row);
    assert_eq!(
        reader.find(of, 4).unwrap().unwrap(),
        fourth,
        "no alias hides a task"
    );
    assert_eq!(reader.find(of, 5).unwrap(), None);
    assert_eq!(reader.find(of, u64::MAX).unwrap(), None);
    // A later task takes an alias over, until it goes.
    let later = HistoryRow {
        aliases: vec![3],
        ..ended(9, "publish", "succeeded", &[])
    };
    store.record(of, std::slice::from_ref(&later)).unwrap();
    assert_eq!(reader.find(of, 3).unwrap().unwrap(), later);
    let filter = HistoryFilter {
        kind: text("publish"),
        ..HistoryFilter::default()
    };
    store.purge(of, &matching(&filter, None), 10).unwrap();
    assert_eq!(reader.find(of, 9).unwrap(), None);
    assert_eq!(reader.find(of, 3).unwrap().unwrap(), row);
}

pub(crate) fn ended_tasks_are_listed_newest_first_in_pages(home: &dyn Home) {
    let tasks = [5, 1, 9, 300, 2, 70_000];
    let rows = tasks
        .map(|task| ended(task, "sync", "succeeded", &[]))
        .to_vec();
    let (store, of) = store_with(home, rows);
    let mut reader = store.reader().unwrap();
    let any = HistoryFilter::default();
    for page in [1, 2, 3, 6, 100] {
        let listed = all(&mut *reader, of, &any, page);
        assert_eq!(listed, [70_000, 300, 9, 5, 2, 1], "in pages of {page}");
    }
    let page = reader.list(of, &any, Some(9), 2).unwrap();
    assert_eq!(
        page.rows.iter().map(|row| row.task).collect::<Vec<_>>(),
        [5, 2]
    );
    assert!(page.next.is_some());
    let page = reader.list(of, &any, Some(1), 2).unwrap();
    assert_eq!((page.rows.len(), page.next), (0, None));
}

fn assorted() -> Vec<HistoryRow> {
    let rows = (1..=60).map(|task| {
        let kind = ["sync", "publish", "remove"][task as usize % 3];
        let outcome = ["succeeded", "failed", "cancelled", "succeeded"][task as usize % 4];
        let resources = [format!("shop:{}", task % 5), format!("host:{}", task % 7)];
        let names: Vec<&str> = resources.iter().map(String::as_str).collect();
        HistoryRow {
            error: (outcome == "failed").then(|| format!("error {}", task % 2)),
            groups: (0..task % 4).map(|group| group + task / 20).collect(),
            schedule: (task % 6 == 0).then(|| "nightly".to_owned()),
            parent: (task % 9 == 0).then_some(1),
            tags: vec![format!("tag {}", task % 8)],
            worker: (task % 10 != 0).then(|| format!("worker-{}", task % 3)),
            ..ended(task, kind, outcome, &names)
        }
    });
    rows.collect()
}

/// Both the pages and the order are what a plain look at all rows gives.
fn check(home: &dyn Home, filters: impl IntoIterator<Item = HistoryFilter>) {
    let (store, of) = store_with(home, assorted());
    let mut reader = store.reader().unwrap();
    for filter in filters {
        let matching = assorted()
            .into_iter()
            .rev()
            .filter(|row| filter.matches(row));
        let expected: Vec<u64> = matching.map(|row| row.task).collect();
        for page in [3, 100] {
            assert_eq!(all(&mut *reader, of, &filter, page), expected, "{filter:?}");
        }
    }
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

pub(crate) fn each_filter_finds_its_tasks(home: &dyn Home) {
    let none = HistoryFilter::default;
    let filters = [
        HistoryFilter {
            outcomes: vec!["failed".to_owned()],
            ..none()
        },
        HistoryFilter {
            outcomes: vec!["failed".to_owned(), "cancelled".to_owned()],
            ..none()
        },
        HistoryFilter {
            outcomes: vec!["unheard of".to_owned()],
            ..none()
        },
        HistoryFilter {
            kind: text("publish"),
            ..none()
        },
        HistoryFilter {
            resource: text("shop:3"),
            ..none()
        },
        HistoryFilter {
            resource: text("shop"),
            ..none()
        },
        HistoryFilter {
            worker: text("worker-1"),
            ..none()
        },
        HistoryFilter {
            tag: text("tag 2"),
            ..none()
        },
        HistoryFilter {
            schedule: text("nightly"),
            ..none()
        },
        HistoryFilter {
            group: Some(2),
            ..none()
        },
        HistoryFilter {
            group: Some(u64::MAX),
            ..none()
        },
        HistoryFilter {
            parent: Some(1),
            ..none()
        },
        HistoryFilter {
            error: text("error 1"),
            ..none()
        },
        HistoryFilter {
            ended_from_ms: Some(305),
            ..none()
        },
        HistoryFilter {
            ended_until_ms: Some(305),
            ..none()
        },
    ];
    check(home, filters);
}

pub(crate) fn filters_are_combined(home: &dyn Home) {
    let none = HistoryFilter::default;
    let failed = || vec!["failed".to_owned()];
    let filters = [
        HistoryFilter {
            kind: text("sync"),
            outcomes: failed(),
            ..none()
        },
        HistoryFilter {
            kind: text("sync"),
            error: text("error 1"),
            ..none()
        },
        HistoryFilter {
            kind: text("sync"),
            resource: text("shop:3"),
            ..none()
        },
        HistoryFilter {
            resource: text("host:3"),
            outcomes: failed(),
            ..none()
        },
        HistoryFilter {
            group: Some(1),
            kind: text("sync"),
            worker: text("worker-1"),
            ..none()
        },
        HistoryFilter {
            schedule: text("nightly"),
            tag: text("tag 4"),
            ..none()
        },
        HistoryFilter {
            parent: Some(1),
            ended_from_ms: Some(100),
            ended_until_ms: Some(400),
            ..none()
        },
        HistoryFilter {
            resource: text("shop:1"),
            error: text("error 1"),
            ..none()
        },
    ];
    check(home, filters);
}

pub(crate) fn writing_a_task_again_replaces_it(home: &dyn Home) {
    let mut first = failed(7, "sync", &["shop:1", "shop:2"], "boom");
    first.aliases = vec![3];
    let (mut store, of) = store_with(home, vec![first]);
    let second = ended(7, "sync", "succeeded", &["shop:2"]);
    store.record(of, std::slice::from_ref(&second)).unwrap();
    let mut fold = checkpoint(of, 1);
    fold.ended = vec![second.clone()];
    store.checkpoint(&fold).unwrap();
    let mut reader = store.reader().unwrap();
    assert_eq!(reader.find(of, 7).unwrap().unwrap(), second);
    assert_eq!(reader.find(of, 3).unwrap(), None);
    assert_eq!(reader.failures(of, 9).unwrap(), []);
    assert_eq!(reader.last_ended(of, "shop:1").unwrap(), []);
    assert_eq!(reader.last_ended(of, "shop:2").unwrap().len(), 1);
    assert_eq!(all(&mut *reader, of, &HistoryFilter::default(), 9), [7]);
}

pub(crate) fn failures_are_grouped_by_kind_and_error(home: &dyn Home) {
    let rows = vec![
        failed(1, "sync", &["shop:1", "shop:2"], "boom"),
        failed(2, "sync", &["shop:2"], "boom"),
        failed(3, "sync", &["shop:1"], "bang"),
        failed(4, "publish", &[], "boom"),
        failed(6, "sync", &["shop:3", "shop:3"], "boom"),
        ended(7, "sync", "succeeded", &["shop:1"]),
    ];
    let (mut store, of) = store_with(home, rows);
    let mut reader = store.reader().unwrap();
    let mut seen = |limit| -> Vec<_> {
        let groups = reader.failures(of, limit).unwrap().into_iter();
        let seen = groups.map(|group| {
            let ends = (
                group.first_task,
                group.first_ms,
                group.last_task,
                group.last_ms,
            );
            (group.kind, group.error, group.count, group.resources, ends)
        });
        seen.collect()
    };
    let group = |kind: &str, error: &str, count, resources, ends| {
        (kind.to_owned(), error.to_owned(), count, resources, ends)
    };
    let expected = [
        group("sync", "boom", 3, 3, (1, 15, 6, 65)),
        group("publish", "boom", 1, 0, (4, 45, 4, 45)),
        group("sync", "bang", 1, 1, (3, 35, 3, 35)),
    ];
    assert_eq!(seen(9), expected);
    assert_eq!(seen(1), expected[..1]);
    for resource in ["shop:3", "shop:1"] {
        let filter = HistoryFilter {
            resource: text(resource),
            ..HistoryFilter::default()
        };
        store.purge(of, &matching(&filter, None), 9).unwrap();
    }
    let expected = [
        group("publish", "boom", 1, 0, (4, 45, 4, 45)),
        group("sync", "boom", 1, 1, (2, 25, 2, 25)),
    ];
    assert_eq!(seen(9), expected);
}

pub(crate) fn the_last_end_of_each_kind_is_known(home: &dyn Home) {
    let rows = vec![
        ended(1, "sync", "succeeded", &["shop:1"]),
        ended(4, "sync", "succeeded", &["shop:1", "shop:2"]),
        failed(3, "sync", &["shop:1"], "boom"),
        failed(9, "publish", &["shop:1"], "boom"),
        ended(10, "sync", "succeeded", &["shop:2"]),
    ];
    let (store, of) = store_with(home, rows);
    let last = |kind: &str, outcome: &str, task| LastEnded {
        kind: kind.to_owned(),
        outcome: outcome.to_owned(),
        task,
        ended_ms: task * 10 + 5,
    };
    let mut reader = store.reader().unwrap();
    let expected = [
        last("publish", "failed", 9),
        last("sync", "failed", 3),
        last("sync", "succeeded", 4),
    ];
    assert_eq!(reader.last_ended(of, "shop:1").unwrap(), expected);
    assert_eq!(reader.last_ended(of, "shop:7").unwrap(), []);
}

pub(crate) fn expired_tasks_are_purged_in_slices(home: &dyn Home) {
    let rows = (1..=30).map(|task| HistoryRow {
        // The odd ones stay for good.
        expires_ms: if task % 2 == 0 { 100 + task } else { u64::MAX },
        ..ended(task, "sync", "succeeded", &["shop:1"])
    });
    let (mut store, of) = store_with(home, rows.collect());
    let now = |now_ms| Purge::Expired { now_ms };
    let purged = store.purge(of, &now(101), 9).unwrap();
    assert_eq!((purged.rows, purged.more), (0, false));
    let purged = store.purge(of, &now(120), 7).unwrap();
    assert_eq!((purged.rows, purged.more), (7, true));
    let purged = store.purge(of, &now(120), 7).unwrap();
    assert_eq!((purged.rows, purged.more), (3, false));
    let purged = store.purge(of, &now(u64::MAX - 1), 99).unwrap();
    assert_eq!((purged.rows, purged.more), (5, false));
    drop(store);
    let store = home.open();
    let mut reader = store.reader().unwrap();
    let left = all(&mut *reader, of, &HistoryFilter::default(), 99);
    assert!(left.iter().all(|task| task % 2 == 1));
    assert_eq!(left.len(), 15);
    let by_resource = HistoryFilter {
        resource: text("shop:1"),
        ..HistoryFilter::default()
    };
    assert_eq!(all(&mut *reader, of, &by_resource, 99), left);
}

pub(crate) fn tasks_are_purged_by_filter(home: &dyn Home) {
    let (mut store, of) = store_with(home, assorted());
    let filter = HistoryFilter {
        kind: text("sync"),
        worker: text("worker-0"),
        ..HistoryFilter::default()
    };
    let doomed = assorted()
        .into_iter()
        .filter(|row| filter.matches(row))
        .count() as u64;
    let (mut gone, mut before) = (0, None);
    loop {
        let purged = store.purge(of, &matching(&filter, before), 3).unwrap();
        gone += purged.rows;
        before = purged.next;
        assert_eq!(purged.more, before.is_some());
        if !purged.more {
            break;
        }
    }
    assert!(doomed > 3);
    assert_eq!(gone, doomed);
    let mut reader = store.reader().unwrap();
    let left = all(&mut *reader, of, &HistoryFilter::default(), 99);
    assert_eq!(left.len() as u64, 60 - doomed);
}

pub(crate) fn numbers_too_large_are_refused(home: &dyn Home) {
    let mut store = home.open();
    let of = namespace(&mut *store);
    let row = |change: fn(&mut HistoryRow)| {
        let mut row = ended(1, "sync", "succeeded", &[]);
        change(&mut row);
        row
    };
    let bad = [
        row(|row| row.task = u64::MAX),
        row(|row| row.submitted_ms = 1 << 63),
        row(|row| row.ended_ms = 1 << 63),
        row(|row| row.groups = vec![1, 1 << 63]),
        row(|row| row.parent = Some(1 << 63)),
        row(|row| row.aliases = vec![1 << 63]),
    ];
    for row in bad {
        let error = store.record(of, &[row]).unwrap_err();
        assert!(matches!(error, StoreError::BadValue { .. }), "{error}");
    }
    let mut fold = checkpoint(of, 1);
    fold.rows = vec![put_task(1 << 63, "x")];
    assert!(store.checkpoint(&fold).is_err());
    let good = row(|row| row.task = (1 << 63) - 1);
    store.record(of, std::slice::from_ref(&good)).unwrap();
    let mut reader = store.reader().unwrap();
    assert_eq!(reader.find(of, good.task).unwrap().unwrap(), good);
}

pub(crate) fn any_text_is_kept(home: &dyn Home) {
    let texts = [
        "",
        "a\nb",
        "\\",
        "\\e",
        "\\n",
        "nul \0 inside",
        "عربى",
        "😀",
        "'; --",
        "%_",
    ];
    let owned = || texts.map(str::to_owned).to_vec();
    let rows = texts.iter().zip(1..).map(|(text, task)| HistoryRow {
        resources: owned(),
        tags: owned(),
        worker: Some((*text).to_owned()),
        schedule: Some((*text).to_owned()),
        error: Some((*text).to_owned()),
        ..ended(task, &format!("kind {text}"), "failed", &[])
    });
    let rows: Vec<HistoryRow> = rows.collect();
    let (store, of) = store_with(home, rows.clone());
    let mut reader = store.reader().unwrap();
    for row in rows {
        assert_eq!(reader.find(of, row.task).unwrap().unwrap(), row);
        let by_schedule = HistoryFilter {
            schedule: row.schedule,
            ..HistoryFilter::default()
        };
        assert_eq!(all(&mut *reader, of, &by_schedule, 9), [row.task]);
        let by_error = HistoryFilter {
            kind: Some(row.kind),
            error: row.error,
            ..HistoryFilter::default()
        };
        assert_eq!(all(&mut *reader, of, &by_error, 9), [row.task]);
    }
    for text in texts {
        assert_eq!(reader.last_ended(of, text).unwrap().len(), texts.len());
    }
}

//! No list scans: whatever the database believes about its data, each uses the one index that is made
//! for it. The database itself says how many pages each statement looked at.

use std::fs;

use interlock_pgtest::Server;
use interlock_store::{Checkpoint, HistoryFilter, HistoryRow, RowChange, Shown, Store, Table};

use crate::material::*;

/// Far less than a scan looks at, and enough for a page of ten.
const PAGES_MAX: u64 = 1_000;

/// A server that explains every statement in its log.
fn explaining() -> Server {
    Server::start(&[
        "shared_preload_libraries = 'auto_explain'",
        "auto_explain.log_min_duration = 0",
        "auto_explain.log_analyze = on",
        "auto_explain.log_buffers = on",
        "auto_explain.log_timing = off",
    ])
}

/// Reads what was explained since the last time.
struct Explained<'a> {
    server: &'a Server,
    read: usize,
}

impl Explained<'_> {
    /// Plans that look at too much, or have a sequential scan of a table of ours.
    fn bad(&mut self) -> Vec<String> {
        self.plans(|plan| {
            let pages = plan.lines().find_map(pages);
            let scans =
                plan.contains("Seq Scan on history") || plan.contains("Seq Scan on failures");
            scans || pages.unwrap_or(0) > PAGES_MAX
        })
    }

    /// Plans that read rows of ours and throw them away.
    fn wasteful(&mut self) -> Vec<String> {
        self.plans(|plan| plan.contains("interlock.") && plan.contains("Rows Removed by"))
    }

    fn plans(&mut self, which: impl Fn(&str) -> bool) -> Vec<String> {
        let log = fs::read_to_string(self.server.dir().join("log")).unwrap();
        let new = &log[self.read..];
        let plans = new.split("LOG:  duration:").skip(1);
        let found = plans.filter(|plan| which(plan)).map(str::to_owned);
        let found = found.collect();
        self.read = log.len();
        found
    }
}

/// The pages that a plan looked at: its first line about them is that of the whole.
fn pages(line: &str) -> Option<u64> {
    let shared = line.trim().strip_prefix("Buffers: shared ")?;
    let counts = shared.split(' ').filter_map(|word| {
        let (what, count) = word.split_once('=')?;
        matches!(what, "hit" | "read").then(|| count.trim_end_matches(',').parse::<u64>().ok())?
    });
    Some(counts.sum())
}

fn filters() -> Vec<HistoryFilter> {
    let none = HistoryFilter::default;
    let text = |text: &str| Some(text.to_owned());
    vec![
        none(),
        HistoryFilter {
            kind: text("rare"),
            ..none()
        },
        HistoryFilter {
            outcomes: vec!["failed".to_owned()],
            ..none()
        },
        HistoryFilter {
            resource: text("shop:rare"),
            ..none()
        },
        HistoryFilter {
            resource: text("shop:0"),
            kind: text("rare"),
            ..none()
        },
        HistoryFilter {
            schedule: text("rare"),
            ..none()
        },
        HistoryFilter {
            parent: Some(77),
            ..none()
        },
        HistoryFilter {
            group: Some(77),
            ..none()
        },
        HistoryFilter {
            kind: text("rare"),
            error: text("boom"),
            ..none()
        },
    ]
}

#[test]
fn no_list_looks_at_more_than_it_needs() {
    const ROWS: u64 = 20_000;
    let server = explaining();
    let database = server.database();
    let mut a = Process::join(&database, "a");
    let namespace = a.store.create_namespace("default", 1).unwrap().id;
    // Statistics of a table with one kind only: the planner believes that every kind is everywhere.
    let plain = |task| HistoryRow {
        resources: vec!["shop:0".to_owned()],
        schedule: Some("often".to_owned()),
        parent: Some(1),
        groups: vec![1],
        error: Some("often".to_owned()),
        ..ended(task)
    };
    let rows: Vec<HistoryRow> = (10..ROWS).map(plain).collect();
    a.store.record(namespace, &rows).unwrap();
    database.sql("ANALYZE");
    let rare = HistoryRow {
        kind: "rare".to_owned(),
        outcome: "failed".to_owned(),
        resources: vec!["shop:rare".to_owned(), "shop:0".to_owned()],
        schedule: Some("rare".to_owned()),
        parent: Some(77),
        groups: vec![77],
        error: Some("boom".to_owned()),
        aliases: vec![5],
        ..ended(1)
    };
    a.store.record(namespace, &[rare]).unwrap();
    let mut reader = a.store.reader().unwrap();
    let mut explained = Explained {
        server: &server,
        read: 0,
    };
    // The checker can fail.
    database.sql("SELECT sum(length(error)) FROM interlock.history");
    assert!(!explained.bad().is_empty());
    for filter in filters() {
        let page = reader.list(namespace, &filter, None, 10).unwrap();
        assert!(!page.rows.is_empty(), "{filter:?}");
        assert_eq!(explained.bad(), [] as [&str; 0], "{filter:?}");
    }
    assert_eq!(reader.last_ended(namespace, "shop:0").unwrap().len(), 2);
    assert_eq!(reader.failures(namespace, 9).unwrap().len(), 2);
    assert_eq!(reader.find(namespace, 5).unwrap().unwrap().kind, "rare");
    assert_eq!(explained.bad(), [] as [&str; 0]);
    let expired = interlock_store::Purge::Expired { now_ms: 100 };
    a.store.purge(namespace, &expired, 10).unwrap();
    assert_eq!(explained.bad(), [] as [&str; 0]);
}

/// A task that failed, as many others did.
fn failed(task: u64) -> HistoryRow {
    HistoryRow {
        outcome: "failed".to_owned(),
        error: Some("often".to_owned()),
        aliases: vec![task + 1_000_000],
        groups: vec![task / 10],
        ..ended(task)
    }
}

/// Without statistics, as in the first minutes of a new database: what was written before is not read
/// again and thrown away.
#[test]
fn writing_costs_as_much_for_the_last_as_for_the_first() {
    const SLICE: u64 = 100;
    const SLICES: u64 = 20;
    let server = explaining();
    let database = server.database();
    let mut a = Process::join(&database, "a");
    for table in ["history", "tasks", "rows", "log"] {
        database.sql(&format!(
            "ALTER TABLE interlock.{table} SET (autovacuum_enabled = off)"
        ));
    }
    let namespace = a.store.create_namespace("default", 1).unwrap().id;
    let mut explained = Explained {
        server: &server,
        read: 0,
    };
    for slice in 1..=SLICES {
        a.append(namespace, "something").unwrap();
        let position = a.store.end(namespace).unwrap();
        let put = |task| RowChange::PutTask {
            task,
            shown: Shown::default(),
            body: vec![7; 100],
        };
        let gone = (slice - 1) * SLICE..slice * SLICE - 1;
        let rows = (slice * SLICE..(slice + 1) * SLICE).map(put);
        let deleted = gone.clone().map(|task| RowChange::DeleteTask { task });
        let key = |number: u64| number.to_be_bytes().to_vec();
        let others = (slice * SLICE..(slice + 1) * SLICE).map(|number| RowChange::Put {
            table: Table(3),
            key: key(number),
            body: vec![7; 20],
        });
        let fewer = gone.clone().map(|number| RowChange::Delete {
            table: Table(3),
            key: key(number),
        });
        let checkpoint = Checkpoint {
            namespace,
            position,
            rows: rows.chain(deleted).chain(others).chain(fewer).collect(),
            ended: gone.map(failed).collect(),
            keep_log_from: position,
        };
        a.store.checkpoint(&checkpoint).unwrap();
        // One of the last ones ended once more, as after a crash.
        let again = failed(slice * SLICE - 2);
        a.store.record(namespace, &[again]).unwrap();
        assert_eq!(explained.wasteful(), [] as [&str; 0], "slice {slice}");
    }
    let mut reader = a.store.reader().unwrap();
    let page = reader.list(namespace, &HistoryFilter::default(), None, 10);
    assert_eq!(page.unwrap().rows.len(), 10);
    let expired = interlock_store::Purge::Expired { now_ms: 100 };
    a.store.purge(namespace, &expired, 10).unwrap();
    assert_eq!(explained.wasteful(), [] as [&str; 0]);
}

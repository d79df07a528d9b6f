//! A store with some of everything in it, and everything that can be seen of one.

use std::ops::ControlFlow;
use std::path::Path;

use interlock_store::{
    Append, Checkpoint, HistoryFilter, HistoryRow, Loaded, LogPage, NamespaceId, NewToken, Reader,
    RowChange, Shown, SqliteStore, Store, StoreError, Table,
};

/// Numbers that look random and are the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// A directory for stores, in memory where there is such a place: nobody will pull the plug here.
pub(crate) fn quick_dir() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let quick = tempfile::tempdir_in(memory);
    quick.or_else(|_| tempfile::tempdir()).unwrap()
}

/// What an event at a position looks like, so that a lost or foreign one shows.
pub(crate) fn event(namespace: NamespaceId, position: u64, bytes: usize) -> Vec<u8> {
    let mut random = Random(u64::from(namespace.0) << 40 | position);
    (0..bytes).map(|_| random.next() as u8).collect()
}

/// Appends one event, and says at which position.
pub(crate) fn append(
    store: &mut SqliteStore,
    namespace: NamespaceId,
    bytes: usize,
) -> Result<u64, StoreError> {
    let position = store.end(namespace)?;
    let record = Append {
        namespace,
        position,
        next: position + 1,
        at_ms: position,
        bytes: &event(namespace, position, bytes),
        consumed: &[],
    };
    store.append(&[record])?;
    Ok(position)
}

/// Folds the log up to a position into some rows and some history.
pub(crate) fn fold(
    store: &mut SqliteStore,
    namespace: NamespaceId,
    position: u64,
) -> Result<(), StoreError> {
    let rows = (0..position).flat_map(|task| {
        [
            RowChange::PutTask {
                task,
                shown: Shown {
                    kind: "sync".into(),
                    resources: vec![format!("shop:{task}").into()],
                    stage: "in line".into(),
                    priority: 4,
                    submitted_ms: position,
                },
                body: event(namespace, task, 100),
            },
            RowChange::Put {
                table: Table(1),
                key: task.to_be_bytes().to_vec(),
                body: event(namespace, task, 30),
            },
        ]
    });
    store.checkpoint(&Checkpoint {
        namespace,
        position,
        rows: rows.collect(),
        ended: (0..position)
            .map(|task| ended(position * 1000 + task))
            .collect(),
        keep_log_from: position / 2,
    })
}

fn ended(task: u64) -> HistoryRow {
    HistoryRow {
        task,
        kind: format!("kind {}", task % 3),
        outcome: if task.is_multiple_of(4) {
            "failed"
        } else {
            "succeeded"
        }
        .to_owned(),
        resources: vec![format!("shop:{}", task % 7), format!("host:{}", task % 5)],
        submitted_ms: task,
        ended_ms: task + 1,
        worker: Some(format!("worker {}", task % 2)),
        groups: if task.is_multiple_of(3) {
            vec![task / 10, task / 100 + 5_000_000]
        } else {
            Vec::new()
        },
        schedule: task.is_multiple_of(5).then(|| "nightly".to_owned()),
        parent: task.is_multiple_of(6).then_some(1),
        tags: vec!["tag".to_owned()],
        error: task
            .is_multiple_of(4)
            .then(|| format!("error {}", task % 8)),
        aliases: if task.is_multiple_of(9) {
            vec![task + 1_000_000]
        } else {
            Vec::new()
        },
        expires_ms: task + 1_000,
        body: event(NamespaceId(1), task, 60),
    }
}

/// Some of everything, in two namespaces.
pub(crate) fn furnish(store: &mut SqliteStore) -> [NamespaceId; 2] {
    // So little comes together here that it would never be folded.
    store.fold_after(1);
    let namespaces = ["a", "b"].map(|name| store.create_namespace(name, 1).unwrap().id);
    for number in 0..4 {
        let token = NewToken {
            name: format!("token {number}"),
            hash: [number; 32],
            hint: "wxyz".to_owned(),
            namespace: Some(namespaces[0]),
            scopes: "read submit".to_owned(),
            created_ms: 7,
        };
        store.put_token(&token).unwrap();
        store
            .put_setting(&format!("setting {number}"), Some(&[number; 50]))
            .unwrap();
    }
    store.revoke_token(2, 9).unwrap();
    for namespace in namespaces {
        for round in 1..=3 {
            for bytes in [10, 300, 5_000, 40, 700, 90, 0, 120] {
                append(store, namespace, bytes).unwrap();
            }
            fold(store, namespace, round * 8).unwrap();
        }
    }
    namespaces
}

/// Everything that a start reads. The last number is where the log ends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contents {
    pub(crate) small: String,
    pub(crate) spaces: Vec<(NamespaceId, Vec<Loaded>, u64)>,
}

impl Contents {
    /// Is this the same, but for records missing at the ends of the logs?
    pub(crate) fn is_cut_from(&self, whole: &Self) -> bool {
        self.small == whole.small
            && self.spaces.len() == whole.spaces.len()
            && self.spaces.iter().zip(&whole.spaces).all(|(cut, whole)| {
                cut.0 == whole.0 && whole.1.starts_with(&cut.1) && cut.2 <= whole.2
            })
    }
}

pub(crate) fn contents(store: &mut SqliteStore) -> Result<Contents, StoreError> {
    let namespaces = store.namespaces()?;
    let mut small = format!(
        "{} {namespaces:?} {:?}",
        store.generation(),
        store.tokens()?
    );
    for number in 0..4 {
        small += &format!("{:?}", store.setting(&format!("setting {number}"))?);
    }
    let mut spaces = Vec::new();
    for of in namespaces.iter().map(|namespace| namespace.id) {
        let mut loaded = Vec::new();
        let visit = &mut |one| {
            loaded.push(one);
            ControlFlow::Continue(())
        };
        store.load(of, visit)?;
        spaces.push((of, loaded, store.end(of)?));
    }
    Ok(Contents { small, spaces })
}

/// Everything that readers see of the history and of what is folded of the log.
pub(crate) fn history(
    reader: &mut dyn Reader,
    namespaces: &[NamespaceId],
) -> Result<String, StoreError> {
    let mut seen = String::new();
    let text = |text: &str| Some(text.to_owned());
    let none = HistoryFilter::default;
    let filters = [
        none(),
        HistoryFilter {
            kind: text("kind 1"),
            ..none()
        },
        HistoryFilter {
            outcomes: vec!["failed".to_owned()],
            ..none()
        },
        HistoryFilter {
            resource: text("shop:3"),
            ..none()
        },
        HistoryFilter {
            group: Some(800),
            ..none()
        },
        HistoryFilter {
            schedule: text("nightly"),
            ..none()
        },
        HistoryFilter {
            parent: Some(1),
            ..none()
        },
        HistoryFilter {
            kind: text("kind 0"),
            error: text("error 0"),
            ..none()
        },
    ];
    for &of in namespaces {
        for filter in &filters {
            seen += &format!("{:?}", reader.list(of, filter, None, 1_000)?);
        }
        seen += &format!("{:?}", reader.failures(of, 100)?);
        seen += &format!("{:?}", reader.last_ended(of, "shop:3")?);
        seen += &format!("{:?}", reader.find(of, 1_008_001)?);
        if let LogPage::Records(records) = reader.log(of, 12, 12)? {
            seen += &format!("{records:?}");
        }
    }
    Ok(seen)
}

//! Loads a namespace: the rows of the last checkpoint, and the log since.

use super::encode::decode_records;
use interlock_core::Core;
use interlock_core::row::{Restore, RowError, Table};
use interlock_store::{Loaded, Loader, LogRecord, NamespaceId, Store, StoreError};
use std::ops::ControlFlow;

/// Why a namespace can't be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The store says so.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A row makes no sense.
    #[error("namespace {namespace}: {source}")]
    Row {
        /// Which namespace.
        namespace: NamespaceId,
        /// What is wrong.
        source: RowError,
    },
    /// A record of the log makes no sense.
    #[error("namespace {namespace}: the record at position {position} can't be read: {why}")]
    Record {
        /// Which namespace.
        namespace: NamespaceId,
        /// Where.
        position: u64,
        /// What is wrong.
        why: String,
    },
    /// It went on while it was being loaded.
    #[error("namespace {namespace} was loaded up to {loaded}, and its log ends at {end}")]
    WentOn {
        /// Which namespace.
        namespace: NamespaceId,
        /// Up to where it was loaded.
        loaded: u64,
        /// Where its log ends.
        end: u64,
    },
}

/// A namespace as its store has it, not opened yet. The seed keys the core's hash tables.
pub fn load(
    store: &mut dyn Store,
    namespace: NamespaceId,
    hash_seed: u64,
) -> Result<Core, LoadError> {
    visit(namespace, hash_seed, |add| store.load(namespace, add))
}

/// The same beside the writer, which is to [adopt](Store::adopt) the namespace then.
pub fn load_beside(
    loader: &dyn Loader,
    namespace: NamespaceId,
    hash_seed: u64,
) -> Result<Core, LoadError> {
    visit(namespace, hash_seed, |add| {
        loader.load(namespace, add).map(drop)
    })
}

type Visit<'a> = dyn FnMut(Loaded) -> ControlFlow<()> + 'a;

fn visit(
    namespace: NamespaceId,
    hash_seed: u64,
    load: impl FnOnce(&mut Visit<'_>) -> Result<(), StoreError>,
) -> Result<Core, LoadError> {
    let mut loading = Loading::new(namespace, hash_seed);
    let mut failed = None;
    load(&mut |loaded| match loading.add(loaded) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failed = Some(error);
            ControlFlow::Break(())
        }
    })?;
    match failed {
        Some(error) => Err(error),
        None => Ok(loading.finish()),
    }
}

/// A namespace half loaded.
struct Loading {
    namespace: NamespaceId,
    hash_seed: u64,
    rows: Option<Restore>,
    /// Whether there was any row: without one the core begins empty.
    any: bool,
    core: Option<Core>,
}

impl Loading {
    fn new(namespace: NamespaceId, hash_seed: u64) -> Self {
        Self {
            namespace,
            hash_seed,
            rows: Some(Restore::new(hash_seed)),
            any: false,
            core: None,
        }
    }

    fn add(&mut self, loaded: Loaded) -> Result<(), LoadError> {
        match loaded {
            Loaded::Task { task, body } => self.row(Table::Task, &task.to_be_bytes(), &body),
            Loaded::Row { table, key, body } => {
                let known = Table::from_number(table.0);
                let table = known.ok_or_else(|| LoadError::Record {
                    namespace: self.namespace,
                    position: 0,
                    why: format!(
                        "there is a table {}, which this version does not know",
                        table.0
                    ),
                })?;
                self.row(table, &key, &body)
            }
            Loaded::Position(_) => {
                self.core();
                Ok(())
            }
            Loaded::Record(record) => self.record(&record),
        }
    }

    fn row(&mut self, table: Table, key: &[u8], body: &[u8]) -> Result<(), LoadError> {
        self.any = true;
        let Some(rows) = &mut self.rows else {
            return Ok(());
        };
        rows.add(table, key, body).map_err(|source| LoadError::Row {
            namespace: self.namespace,
            source,
        })
    }

    fn record(&mut self, record: &LogRecord) -> Result<(), LoadError> {
        let error = |why| LoadError::Record {
            namespace: self.namespace,
            position: record.position,
            why,
        };
        let records = decode_records(&record.bytes).map_err(error)?;
        let core = self.core();
        for record in &records {
            // A checkpoint may lie within what was appended as one.
            if record.position >= core.position() {
                core.replay(record);
            }
        }
        if core.position() != record.next {
            let found = core.position();
            let why = format!("its events end at {found}, not at {}", record.next);
            return Err(LoadError::Record {
                namespace: self.namespace,
                position: record.position,
                why,
            });
        }
        Ok(())
    }

    /// The core, made of the rows when they are complete.
    fn core(&mut self) -> &mut Core {
        let (rows, any, seed) = (&mut self.rows, self.any, self.hash_seed);
        self.core.get_or_insert_with(|| match rows.take() {
            Some(rows) if any => rows.finish(),
            _ => {
                let mut core = Core::new(seed);
                core.track_rows();
                core
            }
        })
    }

    fn finish(mut self) -> Core {
        self.core();
        self.core.expect("it was just made")
    }
}

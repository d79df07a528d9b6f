//! The store for several nodes: a schema `interlock` in a PostgreSQL database.
//!
//! Any number of processes have it open. Each writes only to the namespaces that it owns, and every
//! write asserts that within its own transaction: see [`Ownership`]. A connection that is lost is made
//! again; only if it was lost between a commit and its answer must the namespaces concerned be claimed
//! anew, since nobody knows what became of it.
//!
//! A store has one connection, each reader, [`Ownership`] and [`Inbox`] one more. One thread drives
//! them all.

mod append;
mod checkpoint;
mod chunks;
mod failures;
mod fault;
mod ground;
mod held;
mod history;
mod inbox;
mod known;
mod ledger;
mod link;
mod list;
mod load;
mod loader;
mod log;
mod make;
mod owned;
mod ownership;
mod pairs;
mod place;
mod pooling;
mod purge;
mod reader;
mod rows;
mod runtime;
mod schema;
mod session;
mod settings_table;
mod stage;
mod target;
mod text;
mod tls;
mod tokens;
mod values;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use crate::check;
use crate::error::StoreError;
use crate::store::{Loader, Reader, Result, Store};
use crate::types::{
    Append, Checkpoint, HistoryRow, Loaded, Namespace, NamespaceId, NewToken, Purge, Purged,
    Sliced, Token,
};
use fault::Tried;
pub use inbox::{Inbox, Pending};
use known::Known;
use ledger::{Card, Space};
use link::{Link, Shared};
use loader::PostgresLoader;
pub use ownership::{Claim, Lease, NewNode, Node, NodeId, Ownership};
use reader::{PostgresReader, SNAPSHOT};
use runtime::Runtime;
use session::Session;
use target::Target;

/// An ordinary transaction.
const BEGIN: &str = "BEGIN";
/// One that is on the disk when the next one is, and counts for nothing before.
const BEGIN_UNSYNCED: &str = "BEGIN; SET LOCAL synchronous_commit = off";

/// A store in a PostgreSQL database.
pub struct PostgresStore {
    shared: Arc<Shared>,
    link: Link,
    /// The namespaces that were used, each with the epoch under which it was loaded or first written
    /// to.
    served: BTreeMap<NamespaceId, u64>,
    /// What is known of them. Forgotten with the connection.
    known: BTreeMap<NamespaceId, Known>,
    /// The connection that it is known from.
    known_from: u64,
    /// Namespaces of which a checkpoint was begun: what is left of it alone is not one.
    begun: BTreeSet<NamespaceId>,
}

impl PostgresStore {
    /// Opens the store in the database that a `postgres://` URL names, and makes its tables if there
    /// are none. Refuses a database that nothing can be promised on, with cause and remedy.
    pub fn open(url: &str) -> Result<Self> {
        let target = Target::parse(url)?;
        let runtime = Runtime::start().map_err(|source| StoreError::Io {
            doing: "start a thread for",
            path: PathBuf::from("PostgreSQL"),
            source,
        })?;
        let preparing = runtime.handle.spawn(prepare(target.clone()));
        let prepared = runtime.wait(preparing);
        let prepared = prepared.unwrap_or(Err(fault::Fault::Late));
        prepared.map_err(|fault| fault.harmless("opening the store"))?;
        let shared = Arc::new(Shared::new(runtime, target));
        let mut link = Link::new(Arc::clone(&shared));
        link.read("opening the store", async |session| {
            session.transaction(SNAPSHOT, Card::verify).await
        })?;
        Ok(Self {
            shared,
            link,
            served: BTreeMap::new(),
            known: BTreeMap::new(),
            known_from: 0,
            begun: BTreeSet::new(),
        })
    }

    /// Ownership for this process, on a connection of its own. What it claims this store may write to.
    pub fn ownership(&self) -> Ownership {
        Ownership::new(Arc::clone(&self.shared))
    }

    /// The inbox, on a connection of its own.
    pub fn inbox(&self) -> Inbox {
        Inbox::new(Arc::clone(&self.shared))
    }

    /// A transaction of the whole store.
    fn write<T>(
        &mut self,
        doing: &'static str,
        work: impl AsyncFnOnce(&mut Session) -> Tried<T>,
    ) -> Result<T> {
        self.link.write(doing, &[], async |session| {
            session.transaction(BEGIN, work).await
        })
    }
}

/// Looks at the ground and makes the tables.
async fn prepare(target: Target) -> Tried<()> {
    let mut first = link::connect_bare(target.clone()).await?;
    let mut second = link::connect_bare(target).await?;
    pooling::check(&mut first, &mut second).await?;
    schema::migrate(&mut first).await
}

impl Store for PostgresStore {
    fn generation(&self) -> u32 {
        self.shared.generation()
    }

    fn namespaces(&mut self) -> Result<Vec<Namespace>> {
        let spaces = self.link.read("listing namespaces", Space::read_all)?;
        Ok(spaces.into_iter().map(|space| space.row).collect())
    }

    /// If this process is a node, it owns the namespace.
    fn create_namespace(&mut self, name: &str, now_ms: u64) -> Result<Namespace> {
        check::name("namespace", name)?;
        check::number("now_ms", now_ms)?;
        let node = self.shared.held.node();
        let made = self.write("making a namespace", async |session| {
            make::make(session, name, now_ms, node).await
        })?;
        if node.is_some() && node == self.shared.held.node() {
            self.shared.held.hold(made.id, make::FIRST_EPOCH);
        }
        Ok(made)
    }

    fn remove_namespace(&mut self, namespace: NamespaceId) -> Result<()> {
        let epoch = self.know(namespace)?;
        let doing = "removing a namespace";
        self.write_to(doing, BEGIN, namespace, epoch, async |session, known| {
            known.space.removed = true;
            known.space.write(session).await
        })?;
        self.known.remove(&namespace);
        self.begun.remove(&namespace);
        self.shared.held.forget(namespace);
        Ok(())
    }

    fn sweep(&mut self, limit: usize) -> Result<u64> {
        self.write("sweeping", async |session| {
            purge::sweep(session, limit).await
        })
    }

    fn end(&mut self, namespace: NamespaceId) -> Result<u64> {
        if let Some(epoch) = self.shared.held.epoch(namespace) {
            self.served.insert(namespace, epoch);
            self.know(namespace)?;
            if let Some(known) = self.known.get(&namespace) {
                return Ok(known.end);
            }
        }
        self.link.read("reading the log", async |session| {
            session
                .transaction(SNAPSHOT, async |session| {
                    let space = Space::read(session, namespace).await?;
                    log::end(session, &space).await
                })
                .await
        })
    }

    fn append(&mut self, records: &[Append<'_>]) -> Result<()> {
        let mut epochs: BTreeMap<NamespaceId, (u64, u64)> = BTreeMap::new();
        for record in records {
            if let Entry::Vacant(entry) = epochs.entry(record.namespace) {
                let epoch = self.know(record.namespace)?;
                let end = self.known(record.namespace)?.end;
                entry.insert((epoch, end));
            }
        }
        let ends = check::append(records, |of| epochs.get(&of).map(|(_, end)| *end))?;
        let epochs: Vec<_> = epochs
            .iter()
            .map(|(&of, &(epoch, _))| (of, epoch))
            .collect();
        let concerned: Vec<_> = epochs.iter().map(|(of, _)| *of).collect();
        let doing = "appending to the log";
        let appended = self.link.write(doing, &concerned, async |session| {
            append::append(session, records, &epochs).await
        });
        if let Err(error) = appended {
            for (of, epoch) in epochs {
                let lost =
                    matches!(error, StoreError::NotOwned { namespace, .. } if namespace == of);
                self.known.remove(&of);
                if lost {
                    self.shared.held.forget_epoch(of, epoch);
                }
            }
            return Err(error);
        }
        for (of, end) in ends {
            if let Some(known) = self.known.get_mut(&of) {
                known.end = end;
            }
        }
        Ok(())
    }

    /// PostgreSQL looks after itself.
    fn tend(&mut self) -> Result<()> {
        Ok(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        let of = checkpoint.namespace;
        let epoch = self.know(of)?;
        let known = self.known(of)?;
        check::checkpoint(checkpoint, known.space.position, known.end)?;
        if known.staged.is_none() && self.begun.contains(&of) {
            return Err(self.begun_elsewhere(of));
        }
        values::rows(&checkpoint.rows)?;
        values::history(&checkpoint.ended)?;
        self.write_to("a checkpoint", BEGIN, of, epoch, async |session, known| {
            let staged = known.staged.take();
            let (space, end) = (&mut known.space, known.end);
            checkpoint::checkpoint(session, space, staged.as_ref(), checkpoint, end).await
        })?;
        self.begun.remove(&of);
        Ok(())
    }

    fn record(&mut self, namespace: NamespaceId, ended: &[HistoryRow]) -> Result<()> {
        check::history(ended)?;
        values::history(ended)?;
        let epoch = self.know(namespace)?;
        let doing = "writing history";
        self.write_to(doing, BEGIN, namespace, epoch, async |session, known| {
            history::put(session, namespace, &mut known.space.history, ended).await?;
            known.space.write(session).await
        })
    }

    fn stage(&mut self, checkpoint: &mut Sliced, limit: usize) -> Result<bool> {
        let of = checkpoint.namespace();
        let epoch = self.know(of)?;
        let known = self.known(of)?;
        check::bounds(checkpoint.frame(), known.space.position, known.end)?;
        let ended = checkpoint.next_ended(limit);
        if !ended.is_empty() {
            check::history(&ended)?;
            values::history(&ended)?;
            let doing = "writing history ahead";
            self.write_to(doing, BEGIN_UNSYNCED, of, epoch, async |session, known| {
                history::put(session, of, &mut known.space.history, &ended).await?;
                known.space.write(session).await
            })?;
            return Ok(true);
        }
        let is_first = known.staged.is_none();
        if is_first && checkpoint.is_begun {
            return Err(self.begun_elsewhere(of));
        }
        checkpoint.is_begun = true;
        let tasks_before = known.space.tasks_before;
        let staged = known.staged.get_or_insert_default();
        let rows = checkpoint.next_rows(limit, |change| staged.when(change, tasks_before));
        self.begun.insert(of);
        if rows.is_empty() && !is_first {
            return Ok(false);
        }
        check::rows(&rows)?;
        values::rows(&rows)?;
        let doing = "writing tasks ahead";
        self.write_to(doing, BEGIN_UNSYNCED, of, epoch, async |session, known| {
            if is_first {
                stage::discard(session, of, tasks_before).await?;
            }
            let staged = known.staged.get_or_insert_default();
            rows::change(session, of, &mut staged.rows, &rows).await
        })?;
        Ok(!rows.is_empty())
    }

    fn load(
        &mut self,
        namespace: NamespaceId,
        visit: &mut dyn FnMut(Loaded) -> ControlFlow<()>,
    ) -> Result<()> {
        self.forget(namespace);
        self.link.ensure("connecting")?;
        let epoch = self.epoch(namespace)?;
        let loaded = self
            .link
            .read_at_length("loading a namespace", async |session| {
                session
                    .transaction(SNAPSHOT, async |session| {
                        owned::assert(session, namespace, epoch).await?;
                        let space = Space::read(session, namespace).await?;
                        let end = load::load(session, &space, visit).await?;
                        Ok(Known::new(space, end))
                    })
                    .await
            });
        match loaded {
            Ok(known) => {
                self.forget_old();
                self.known.insert(namespace, known);
                Ok(())
            }
            Err(error) => {
                self.let_go(namespace, epoch, &error);
                Err(error)
            }
        }
    }

    fn purge(&mut self, namespace: NamespaceId, what: &Purge<'_>, limit: usize) -> Result<Purged> {
        let epoch = self.know(namespace)?;
        let doing = "purging history";
        self.write_to(doing, BEGIN, namespace, epoch, async |session, known| {
            purge::purge(session, &mut known.space, what, limit).await
        })
    }

    fn put_token(&mut self, token: &NewToken) -> Result<Token> {
        check::name("token", &token.name)?;
        check::number("created_ms", token.created_ms)?;
        self.write("keeping a token", async |session| {
            tokens::put(session, token).await
        })
    }

    fn tokens(&mut self) -> Result<Vec<Token>> {
        self.link.read("reading tokens", tokens::read)
    }

    fn revoke_token(&mut self, id: u64, now_ms: u64) -> Result<bool> {
        check::number("now_ms", now_ms)?;
        self.write("revoking a token", async |session| {
            tokens::revoke(session, id, now_ms).await
        })
    }

    fn put_setting(&mut self, name: &str, value: Option<&[u8]>) -> Result<()> {
        check::name("setting", name)?;
        self.write("keeping a setting", async |session| {
            settings_table::put(session, name, value).await
        })
    }

    fn setting(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        self.link.read("reading a setting", async |session| {
            settings_table::get(session, name).await
        })
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        Ok(Box::new(PostgresReader::new(Arc::clone(&self.shared))?))
    }

    fn loader(&self) -> Option<Arc<dyn Loader>> {
        let shared = Arc::clone(&self.shared);
        Some(Arc::new(PostgresLoader { shared }))
    }

    fn adopt(&mut self, namespace: NamespaceId) -> Result<u64> {
        self.forget(namespace);
        self.end(namespace)
    }

    fn stop(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

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
mod ledger;
mod link;
mod list;
mod load;
mod loader;
mod log;
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
use ledger::{Card, Space, id_column};
use link::{Link, Shared};
use loader::PostgresLoader;
pub use ownership::{Claim, Lease, NewNode, Node, NodeId, Ownership};
use reader::{PostgresReader, SNAPSHOT};
use runtime::Runtime;
use session::Session;
use stage::Staged;
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

/// What the owner of a namespace knows about it: nobody else changes it.
#[derive(Debug)]
struct Known {
    space: Space,
    end: u64,
    /// What was written ahead of the next checkpoint; none if nothing is known of that.
    staged: Option<Staged>,
}

impl Known {
    fn new(space: Space, end: u64) -> Self {
        Self {
            space,
            end,
            staged: None,
        }
    }
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

    /// The epoch under which this process may write to a namespace.
    fn epoch(&mut self, of: NamespaceId) -> Result<u64> {
        let Some(epoch) = self.shared.held.epoch(of) else {
            self.link.read("looking for a namespace", async |session| {
                Space::read(session, of).await.map(|_| ())
            })?;
            let why = "it was not claimed, or nobody knows what became of the last write";
            return Err(StoreError::NotOwned { namespace: of, why });
        };
        if *self.served.entry(of).or_insert(epoch) != epoch {
            let why = "it was claimed anew and not loaded since";
            return Err(StoreError::NotOwned { namespace: of, why });
        }
        Ok(epoch)
    }

    /// Makes sure that everything is known of a namespace that is owned. Returns its epoch.
    fn know(&mut self, of: NamespaceId) -> Result<u64> {
        self.link.ensure("connecting")?;
        let epoch = self.epoch(of)?;
        self.forget_old();
        if self.known.contains_key(&of) {
            return Ok(epoch);
        }
        let known = self.link.read("reading a namespace", async |session| {
            session
                .transaction(SNAPSHOT, async |session| {
                    let space = Space::read(session, of).await?;
                    let end = log::end(session, &space).await?;
                    Ok(Known::new(space, end))
                })
                .await
        })?;
        self.forget_old();
        self.known.insert(of, known);
        Ok(epoch)
    }

    /// Whatever was known is known anew.
    fn forget(&mut self, of: NamespaceId) {
        self.served.remove(&of);
        self.known.remove(&of);
        self.begun.remove(&of);
    }

    fn known(&mut self, of: NamespaceId) -> Result<&mut Known> {
        let known = self.known.get_mut(&of);
        known.ok_or(StoreError::UnknownNamespace(of))
    }

    /// What was written ahead without waiting for the disk may be lost with the connection.
    fn forget_old(&mut self) {
        if self.link.made() != self.known_from {
            self.known.clear();
            self.known_from = self.link.made();
        }
    }

    /// A transaction that writes to a namespace that is owned and known. What is known of it after
    /// that counts when it is committed; otherwise it is read again.
    fn write_to<T>(
        &mut self,
        doing: &'static str,
        begin: &str,
        of: NamespaceId,
        epoch: u64,
        work: impl AsyncFnOnce(&mut Session, &mut Known) -> Tried<T>,
    ) -> Result<T> {
        let known = self.known.remove(&of);
        let mut known = known.ok_or(StoreError::UnknownNamespace(of))?;
        let from = self.known_from;
        let done = self.link.write_on(from, doing, &[of], async |session| {
            session
                .transaction(begin, async |session| {
                    owned::lock(session, of, epoch).await?;
                    work(session, &mut known).await
                })
                .await
        });
        match done {
            Ok(value) => {
                self.known.insert(of, known);
                Ok(value)
            }
            Err(error) => {
                self.let_go(of, epoch, &error);
                Err(error)
            }
        }
    }

    /// Somebody else owns it.
    fn let_go(&mut self, of: NamespaceId, epoch: u64, error: &StoreError) {
        self.known.remove(&of);
        if matches!(error, StoreError::NotOwned { .. }) {
            self.shared.held.forget_epoch(of, epoch);
        }
    }

    /// A part of a checkpoint was written ahead on a connection that is gone, and may be lost: what is
    /// left of it must not be taken for all of it.
    fn begun_elsewhere(&mut self, of: NamespaceId) -> StoreError {
        self.shared.held.forget(of);
        let why = "what was written ahead of its checkpoint may be lost";
        StoreError::NotOwned { namespace: of, why }
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
            make(session, name, now_ms, node).await
        })?;
        if node.is_some() && node == self.shared.held.node() {
            self.shared.held.hold(made.id, FIRST_EPOCH);
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
                        owned_here(session, namespace, epoch).await?;
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

/// The epoch of a namespace that its maker owns.
const FIRST_EPOCH: u64 = 1;

/// Makes a namespace, owned by a node or by nobody.
async fn make(
    session: &mut Session,
    name: &str,
    now_ms: u64,
    node: Option<NodeId>,
) -> Tried<Namespace> {
    let mut card = Card::lock(session).await?;
    let taken = "SELECT 1 FROM interlock.namespaces WHERE name = $1 AND NOT removed";
    if session
        .query_opt(taken, &[&text::keep(name)])
        .await?
        .is_some()
    {
        return Err(StoreError::NameTaken(name.to_owned()).into());
    }
    card.namespaces_made += 1;
    card.write(session).await?;
    let row = Namespace {
        id: NamespaceId(card.namespaces_made),
        name: name.to_owned(),
        created_ms: now_ms,
    };
    Space::new(row.clone()).write(session).await?;
    // A node whose lease has ended owns nothing new either.
    let own = "INSERT INTO interlock.owners (namespace, node, epoch) VALUES ($1, (
            SELECT id FROM interlock.nodes
            WHERE id = $2 AND NOT ended AND lease_until > clock_timestamp() FOR SHARE), $3)
        RETURNING node";
    let node = node.map(|node| node.0.cast_signed());
    let epoch = FIRST_EPOCH.cast_signed();
    let rows = session
        .query(own, &[&id_column(row.id), &node, &epoch])
        .await?;
    let owner: Option<i64> = rows.first().map_or(Ok(None), |row| row.try_get(0))?;
    if owner != node {
        return Err(StoreError::LeaseEnded.into());
    }
    Ok(row)
}

/// Is this epoch in force, as of the moment that the transaction sees?
async fn owned_here(session: &mut Session, of: NamespaceId, epoch: u64) -> Tried<()> {
    let sql = "SELECT 1 FROM interlock.owners WHERE namespace = $1 AND epoch = $2";
    let found = session
        .query_opt(sql, &[&id_column(of), &epoch.cast_signed()])
        .await?;
    found.map(|_| ()).ok_or_else(|| owned::lost(of))
}

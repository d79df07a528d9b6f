//! The thread of a cell: loads the namespace, and serves it one life after the other.

use super::ask::Ask;
use super::batch::Kept;
use super::life::{Life, Over};
use super::{Cell, CellError, Orders, Pending, Shared, Verdicts, View};
use crate::activity::Activity;
use crate::clock::{self, Clock};
use crate::cluster::{Tenure, Term};
use crate::committer::Committer;
use crate::limits;
use crate::metrics::DecisionMetrics;
use interlock_core::Core;
use interlock_store::{NamespaceId, StoreError};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tracing::error;

/// Starts a cell: loads its namespace and serves it until it is told to stop.
pub fn start(
    namespace: NamespaceId,
    generation: u32,
    committer: Committer,
    metrics: DecisionMetrics,
    tenure: Arc<dyn Tenure>,
) -> std::io::Result<(Cell, JoinHandle<()>)> {
    let (inbox, asks) = sync_channel(limits::INBOX_MAX);
    let shared = Arc::new(Shared::new());
    let cell = Cell {
        namespace,
        inbox,
        shared: shared.clone(),
    };
    let (kept, keeps) = channel();
    let thread = Thread {
        namespace,
        generation,
        committer,
        shared,
        asks,
        kept,
        keeps,
        metrics,
        orders: RefCell::default(),
        verdicts: RefCell::default(),
        activity: RefCell::new(Activity::new(clock::wall().0)),
        tenure,
    };
    let name = format!("cell {namespace}");
    let thread = std::thread::Builder::new()
        .name(name)
        .spawn(|| thread.run())?;
    Ok((cell, thread))
}

pub(super) struct Thread {
    pub(super) namespace: NamespaceId,
    pub(super) generation: u32,
    pub(super) committer: Committer,
    pub(super) shared: Arc<Shared>,
    pub(super) asks: Receiver<Ask>,
    pub(super) kept: Sender<Kept>,
    pub(super) keeps: Receiver<Kept>,
    pub(super) metrics: DecisionMetrics,
    /// These outlive the lives of the cell, all on this thread.
    pub(super) orders: RefCell<Orders>,
    pub(super) verdicts: RefCell<Verdicts>,
    pub(super) activity: RefCell<Activity>,
    pub(super) tenure: Arc<dyn Tenure>,
}

impl Thread {
    fn run(self) {
        let mut full = false;
        loop {
            let begun = Instant::now();
            let Some((mut core, term)) = self.load() else {
                return;
            };
            let mut pending = Pending::default();
            core.take_ended()
                .into_iter()
                .for_each(|ended| pending.add(ended));
            // Loading again and again must leave most of the time for those who look.
            let time = limits::RECOVER_AFTER.max(begun.elapsed() * 4);
            if full && !self.show_for(time, &core, &pending) {
                return;
            }
            let mut life = Life::new(&self, term, core, pending);
            let over = life.begin().err().unwrap_or_else(|| {
                self.shared.ready.store(true, Ordering::Release);
                life.serve()
            });
            self.shared.ready.store(false, Ordering::Release);
            match over {
                Over::Stopped => return,
                Over::Failed(error) => {
                    full = error == CellError::Full;
                    life.fail(error);
                }
            }
        }
    }

    /// While there is no room on the disk nothing can be decided, but everything that is committed
    /// can be looked at. Says whether to go on.
    fn show_for(&self, time: Duration, core: &Core, pending: &Pending) -> bool {
        let clock = Clock::resume(core.now().elapsed);
        self.answer_for(time, |ask| match ask {
            Ask::Read(read) => {
                let now = clock.now();
                let view = View {
                    core,
                    now,
                    pending,
                    unfolded: 0,
                    orders: &self.orders.borrow(),
                    verdicts: &self.verdicts.borrow(),
                    activity: &self.activity.borrow(),
                };
                if let Some(release) = read(Ok(&view)) {
                    release(Ok(()));
                }
            }
            ask => ask.refuse(CellError::Full),
        })
    }

    /// Claims and loads the namespace, again and again until it works. None if the server is
    /// stopping, or the namespace is another node's.
    fn load(&self) -> Option<(Core, Term)> {
        loop {
            let term = match self.tenure.claim(self.namespace) {
                Ok(term) => term,
                Err(error) if is_elsewhere(&error) => {
                    self.shared.moved.store(true, Ordering::Release);
                    while self.answer_for(limits::RECOVER_AFTER, |ask| ask.refuse(CellError::Moved))
                    {
                    }
                    return None;
                }
                Err(error) => {
                    let namespace = self.namespace;
                    error!(%namespace, %error, "the namespace can't be claimed");
                    if !self.refuse_for(limits::RECOVER_AFTER) {
                        return None;
                    }
                    continue;
                }
            };
            let seed = hash_seed();
            match self.committer.load(self.namespace, seed) {
                Ok(Ok(core)) => {
                    // Whatever the committer still has of an earlier life is reported by now.
                    while self.keeps.try_recv().is_ok() {}
                    return Some((core, term));
                }
                Ok(Err(error)) => {
                    let namespace = self.namespace;
                    error!(%namespace, %error, "the namespace can't be loaded");
                }
                Err(_closed) => return None,
            }
            if !self.refuse_for(limits::RECOVER_AFTER) {
                return None;
            }
        }
    }

    /// Tells whoever asks in the meantime to come back. Says whether to go on.
    fn refuse_for(&self, time: Duration) -> bool {
        self.answer_for(time, |ask| ask.refuse(CellError::Loading))
    }

    /// Answers whoever asks for some time. Says whether to go on.
    fn answer_for(&self, time: Duration, answer: impl Fn(Ask)) -> bool {
        let until = Instant::now() + time;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.asks.recv_timeout(left) {
                Ok(Ask::Stop { .. }) | Err(RecvTimeoutError::Disconnected) => return false,
                Ok(ask) => {
                    self.shared.waiting.fetch_sub(1, Ordering::Relaxed);
                    answer(ask);
                }
                Err(RecvTimeoutError::Timeout) => return true,
            }
        }
    }
}

/// Does another node serve the namespace, or does nobody any more?
fn is_elsewhere(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Owned { .. } | StoreError::LeaseEnded | StoreError::UnknownNamespace(_)
    )
}

/// Keys the hash tables of a core, so that strangers can't aim for collisions.
fn hash_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0u8)
}

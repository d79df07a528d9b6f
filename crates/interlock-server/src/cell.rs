//! A cell: one namespace, and its only writer.
//!
//! [`Cell`] is the door to it. Behind the door a thread owns the core: it decides what has arrived
//! one after another, and passes the events on to the committer together with the answers, which
//! go out when everything decided up to them is committed, reads and refusals too. While one batch
//! is being written the next is gathered, and decided if that takes long. After a storage error
//! nothing goes on from memory: the core is thrown away and loaded from the store.

mod ask;
mod batch;
mod delivery;
mod encode;
mod follow;
mod history;
mod life;
mod load;
mod orders;
mod parked;
mod row_change;
mod thread;
mod verdicts;
mod watch;

pub(crate) use ask::Intake;
pub use batch::{Batch, Kept, Origin, Part, Release};
pub use delivery::Delivery;
pub use encode::{decode_records, encode_record, join_records};
pub use follow::{Committed, Followed, ProgressNote};
pub(crate) use history::outcome_word;
pub use history::{Pending, history_row, read_row};
pub use load::{LoadError, load, load_beside};
pub use orders::Orders;
pub use row_change::row_change;
pub use thread::start;
pub use verdicts::{Told, Verdicts};
pub use watch::Until;

use crate::activity::Activity;
use crate::limits;
use ask::{Ask, AskTake};
use interlock_core::command::Take;
use interlock_core::words::{Now, SessionId, TaskId};
use interlock_core::{Command, Core, Reply};
use interlock_store::NamespaceId;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use tokio::sync::{broadcast, oneshot};

/// Why a cell gave no answer. In each case but [`CellError::Unknown`] nothing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CellError {
    /// Too much has arrived already.
    #[error("too many requests wait in this namespace; try again")]
    Overloaded,
    /// The namespace is being loaded from the store.
    #[error("the namespace is being loaded; try again")]
    Loading,
    /// There is no room left on the disk.
    #[error("there is no room left on the disk; nothing was done")]
    Full,
    /// The store failed, and what was asked may or may not have been done.
    #[error("the store failed; whether this was done will be known when it is back")]
    Unknown,
    /// The server is stopping.
    #[error("the server is stopping; try another one, or again")]
    Stopping,
    /// Another node serves the namespace now, or will in a moment.
    #[error("another node serves the namespace, or will in a moment; nothing was done, try again")]
    Moved,
}

/// The answer to a command, and when it was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The answer.
    pub reply: Reply,
    /// The time of the decision.
    pub now: Now,
}

/// What a read sees: everything decided so far.
pub struct View<'a> {
    /// The state.
    pub core: &'a Core,
    /// The time now.
    pub now: Now,
    /// Tasks that ended and are not in the history yet.
    pub pending: &'a Pending,
    /// Events of the log that no checkpoint has folded into the tables yet.
    pub unfolded: u64,
    /// What tasks of groups came after.
    pub orders: &'a Orders,
    /// What the submitters of the latest tasks were told.
    pub verdicts: &'a Verdicts,
    /// What went on lately.
    pub activity: &'a Activity,
}

/// The door to a cell. Cheap to clone.
#[derive(Clone)]
pub struct Cell {
    namespace: NamespaceId,
    inbox: SyncSender<Ask>,
    shared: Arc<Shared>,
}

/// What the door, the thread and the committer know of one another.
pub struct Shared {
    /// Goes up with each load: what was decided before counts no more.
    pub(crate) epoch: AtomicU64,
    /// Whether the namespace is loaded and answers.
    pub(crate) ready: AtomicBool,
    /// Those who follow events.
    pub(crate) feed: broadcast::Sender<Followed>,
    /// How many requests wait to be decided, about.
    pub(crate) waiting: AtomicU64,
    /// Whether the namespace turned out to be another node's.
    pub(crate) moved: AtomicBool,
}

impl Cell {
    /// Which namespace it is.
    pub fn namespace(&self) -> NamespaceId {
        self.namespace
    }

    /// Whether the namespace is loaded and answers.
    pub fn is_ready(&self) -> bool {
        self.shared.ready.load(Ordering::Acquire)
    }

    /// Whether the namespace turned out to be another node's.
    pub(crate) fn has_moved(&self) -> bool {
        self.shared.moved.load(Ordering::Acquire)
    }

    /// How many requests wait to be decided, about.
    pub fn waiting(&self) -> u64 {
        self.shared.waiting.load(Ordering::Relaxed)
    }

    /// Decides a command, also if nobody polls; the answer comes when it is committed. Not for takes.
    pub fn decide(
        &self,
        command: Command,
    ) -> impl Future<Output = Result<Answered, CellError>> + Send + use<> {
        let (to, answer) = oneshot::channel();
        let asked = self.ask(Ask::Decide { command, to });
        async move {
            asked?;
            answer.await.unwrap_or(Err(CellError::Unknown))
        }
    }

    /// Decides what came through the store.
    pub(crate) fn consume(&self, intake: Intake) -> Result<(), CellError> {
        self.ask(Ask::Consume(intake))
    }

    /// Takes tasks. The answer may be long in coming. Whoever drops it undelivered, or stops waiting
    /// for it, gives the tasks back.
    pub async fn take(
        &self,
        take: Take,
    ) -> Result<Result<Delivery, interlock_core::Refusal>, CellError> {
        let (to, answer) = oneshot::channel();
        let cell = self.clone();
        self.ask(Ask::Take(AskTake { take, to, cell }))?;
        answer.await.unwrap_or(Err(CellError::Unknown))
    }

    /// Reads something; the answer comes when everything it shows is committed.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&View<'_>) -> T + Send + 'static,
    ) -> Result<T, CellError> {
        let (to, answer) = oneshot::channel();
        let read: ask::Read = Box::new(move |view| match view {
            Ok(view) => {
                let value = read(view);
                Some(Box::new(move |result| {
                    let _gone = to.send(result.map(|()| value));
                }))
            }
            Err(error) => {
                let _gone = to.send(Err(error));
                None
            }
        });
        self.ask(Ask::Read(read))?;
        answer.await.unwrap_or(Err(CellError::Unknown))
    }

    /// Waits until a task has started or ended; at once if it has, or is not known.
    pub async fn watch(&self, task: TaskId, until: Until) -> Result<(), CellError> {
        let (to, answer) = oneshot::channel();
        self.ask(Ask::Watch { task, until, to })?;
        answer.await.unwrap_or(Err(CellError::Unknown))
    }

    /// Sees to it that everything that ended up to now is in the history.
    pub async fn settle(&self) -> Result<(), CellError> {
        let (to, answer) = oneshot::channel();
        self.ask(Ask::Settle { to })?;
        answer.await.unwrap_or(Err(CellError::Unknown))
    }

    /// Follows what is committed from now on.
    pub fn follow(&self) -> broadcast::Receiver<Followed> {
        self.shared.feed.subscribe()
    }

    /// A hand-out could not be delivered.
    pub(crate) fn return_take(&self, session: SessionId, number: u64) {
        let command = Command::ReturnTake { session, number };
        let (to, _nobody) = oneshot::channel();
        // If the inbox is full the lease will see to it.
        let _lost = self.ask(Ask::Decide { command, to });
    }

    /// Stops the cell in order; returns when its last batch is with the committer.
    pub async fn stop(&self) {
        let (to, done) = oneshot::channel();
        if self.ask(Ask::Stop { to }).is_ok() {
            let _gone = done.await;
        }
    }

    fn ask(&self, ask: Ask) -> Result<(), CellError> {
        match self.inbox.try_send(ask) {
            Ok(()) => {
                self.shared.waiting.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Err(TrySendError::Full(_)) => Err(CellError::Overloaded),
            Err(TrySendError::Disconnected(_)) => Err(CellError::Stopping),
        }
    }
}

impl Shared {
    fn new() -> Self {
        let (feed, _) = broadcast::channel(limits::FEED_MAX);
        Self {
            epoch: AtomicU64::new(0),
            ready: AtomicBool::new(false),
            feed,
            waiting: AtomicU64::new(0),
            moved: AtomicBool::new(false),
        }
    }
}

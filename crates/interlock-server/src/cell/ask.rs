//! What can be asked of a cell.

use super::batch::Release;
use super::delivery::Delivery;
use super::watch::Until;
use super::{Answered, Cell, CellError, View};
use interlock_core::command::Take;
use interlock_core::words::{Now, TaskId};
use interlock_core::{Command, Refusal, Reply};
use interlock_store::Consumed;
use tokio::sync::oneshot;

/// Where the answer to a take goes.
pub(super) type TakeTo = oneshot::Sender<Result<Result<Delivery, Refusal>, CellError>>;

/// A read: looks at the state, if there is one, and says what to do when all of it is committed.
pub(super) type Read = Box<dyn FnOnce(Result<&View<'_>, CellError>) -> Option<Release> + Send>;

/// What can be asked of a cell.
pub(super) enum Ask {
    /// Decide a command.
    Decide {
        command: Command,
        to: oneshot::Sender<Result<Answered, CellError>>,
    },
    /// Decide what came through the store.
    Consume(Intake),
    /// Take tasks.
    Take(AskTake),
    /// Look at the state.
    Read(Read),
    /// Wait for a task.
    Watch {
        task: TaskId,
        until: Until,
        to: oneshot::Sender<Result<(), CellError>>,
    },
    /// Write everything that ended to the history.
    Settle {
        to: oneshot::Sender<Result<(), CellError>>,
    },
    /// Stop in order.
    Stop { to: oneshot::Sender<()> },
}

/// Submissions that came through the store, which are consumed by the commit that keeps what they
/// cause.
pub(crate) struct Intake {
    /// What those say that can be read.
    pub(crate) command: Option<Command>,
    /// What is consumed, from the answer.
    pub(crate) consumed: Box<dyn FnOnce(Option<Reply>, Now) -> Vec<Consumed> + Send>,
    /// Called when that is committed, or will not be.
    pub(crate) then: Release,
}

/// Take tasks.
pub(super) struct AskTake {
    pub(super) take: Take,
    pub(super) to: TakeTo,
    /// Where undelivered hand-outs are given back.
    pub(super) cell: Cell,
}

impl Ask {
    /// Tells the caller that nothing was done.
    pub(super) fn refuse(self, error: CellError) {
        match self {
            Ask::Decide { to, .. } => drop(to.send(Err(error))),
            Ask::Consume(intake) => (intake.then)(Err(error)),
            Ask::Take(ask) => drop(ask.to.send(Err(error))),
            Ask::Watch { to, .. } | Ask::Settle { to } => drop(to.send(Err(error))),
            Ask::Read(read) => drop(read(Err(error))),
            // The caller notices that nobody will answer.
            Ask::Stop { .. } => {}
        }
    }
}

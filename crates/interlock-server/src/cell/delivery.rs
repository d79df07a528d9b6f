//! The answer to a take on its way to the worker. If it does not get there, the tasks go back to
//! their places at once instead of after a lease.

use super::Cell;
use interlock_core::reply::Taken;
use interlock_core::words::SessionId;

/// Hand-outs on their way to a worker.
pub struct Delivery {
    taken: Option<Taken>,
    session: SessionId,
    number: u64,
    cell: Cell,
}

impl Delivery {
    pub(super) fn new(cell: Cell, session: SessionId, number: u64, taken: Taken) -> Self {
        Self {
            taken: Some(taken),
            session,
            number,
            cell,
        }
    }

    /// The tasks, to be written down for the worker.
    pub fn look(&self) -> Option<&Taken> {
        self.taken.as_ref()
    }

    /// The tasks; whoever calls this delivers them.
    pub fn accept(mut self) -> Taken {
        self.taken.take().unwrap_or_default()
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        if (self.taken.as_ref()).is_some_and(|taken| !taken.hand_outs.is_empty()) {
            self.cell.return_take(self.session, self.number);
        }
    }
}

//! Takes that wait for work, and the connections by which they will be answered.

use super::ask::TakeTo;
use super::{Cell, CellError, Delivery, Release};
use interlock_core::Refusal;
use interlock_core::reply::{Finished, Taken};
use interlock_core::words::SessionId;
use std::collections::BTreeMap;

/// Takes that wait, one per session.
#[derive(Default)]
pub(super) struct Parked {
    by_session: BTreeMap<SessionId, Waiting>,
}

struct Waiting {
    number: u64,
    to: TakeTo,
    cell: Cell,
    finished: Vec<Result<Finished, Refusal>>,
}

impl Parked {
    /// A take waits. One of the same session that waited before is let go, with nothing.
    pub(super) fn park(
        &mut self,
        (session, number): (SessionId, u64),
        finished: Vec<Result<Finished, Refusal>>,
        (to, cell): (TakeTo, Cell),
    ) -> Option<Release> {
        let waiting = Waiting {
            number,
            to,
            cell,
            finished,
        };
        let old = self.by_session.insert(session, waiting)?;
        Some(old.answer(session, Taken::default()))
    }

    /// The one that waits gets its answer. The hand-outs are given back if nobody waits.
    pub(super) fn answer(
        &mut self,
        session: SessionId,
        number: u64,
        taken: Taken,
    ) -> Option<Release> {
        let waiting = self.by_session.remove(&session)?;
        if waiting.number != number {
            self.by_session.insert(session, waiting);
            return None;
        }
        Some(waiting.answer(session, taken))
    }

    /// Whether this very take waits.
    pub(super) fn has(&self, session: SessionId, number: u64) -> bool {
        let waiting = self.by_session.get(&session);
        waiting.is_some_and(|waiting| waiting.number == number)
    }

    /// A later take of the session was answered at once: the one that waited is let go.
    pub(super) fn let_go(&mut self, session: SessionId) -> Option<Release> {
        let waiting = self.by_session.remove(&session)?;
        Some(waiting.answer(session, Taken::default()))
    }

    /// All of them are told that nothing is known any more.
    pub(super) fn fail(&mut self, error: CellError) {
        for waiting in std::mem::take(&mut self.by_session).into_values() {
            let _gone = waiting.to.send(Err(error));
        }
    }
}

impl Waiting {
    fn answer(self, session: SessionId, mut taken: Taken) -> Release {
        if taken.finished.is_empty() {
            taken.finished = self.finished;
        }
        deliver(
            self.to,
            Delivery::new(self.cell, session, self.number, taken),
        )
    }
}

/// Hands the answer over once it is committed; if nobody is there any more it is dropped, which
/// gives the tasks back.
pub(super) fn deliver(to: TakeTo, delivery: Delivery) -> Release {
    Box::new(move |result| {
        let _gone = to.send(result.map(|()| Ok(delivery)));
    })
}

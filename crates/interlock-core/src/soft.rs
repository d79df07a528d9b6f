//! Soft state: all of it is in this file. None of it is logged; after a restart it is rebuilt as
//! written beside each part.

use crate::command::Progress;
use crate::refusal::Refusal;
use crate::reply::Finished;
use crate::words::{Elapsed, KindId, SessionId, Token};
use std::collections::{BTreeMap, BTreeSet};

/// What a restart may forget.
#[derive(Default)]
pub(crate) struct Soft {
    /// When each run's lease ends. Rebuilt by `open`: a fresh lease for each live run.
    pub(crate) leases: BTreeMap<Token, Elapsed>,
    /// Runs whose worker was heard of, so their hand-out did arrive. Forgotten: a take that could
    /// not be delivered is returned by the same process that answered it.
    pub(crate) beaten: BTreeSet<Token>,
    /// The latest progress of each run. Forgotten.
    pub(crate) progress: BTreeMap<Token, Progress>,
    /// Takes that wait for work. Forgotten: the workers ask again.
    pub(crate) parked: BTreeMap<SessionId, ParkedTake>,
    /// The parked takes by kind, longest wait first.
    pub(crate) parked_by_kind: BTreeMap<KindId, BTreeSet<(u64, SessionId)>>,
    /// Draws the order of parked takes.
    pub(crate) parked_seq: u64,
    /// When a session was last heard of. Rebuilt by `open` as if heard then.
    pub(crate) heard: BTreeMap<SessionId, Elapsed>,
    /// When a worker of each kind was last heard of. Rebuilt by `open` as if heard then.
    pub(crate) kind_heard: BTreeMap<KindId, Elapsed>,
    /// The tasks of runs that ended, for a seeded bug only.
    pub(crate) ended_tasks: BTreeMap<Token, crate::words::TaskId>,
    /// Timers of all that.
    pub(crate) timers: BTreeSet<(Elapsed, SoftTimer)>,
}

/// A take that waits for work.
pub(crate) struct ParkedTake {
    pub(crate) number: u64,
    pub(crate) max: usize,
    pub(crate) seq: u64,
    /// Answers to the finishes that it carried, to go with its own answer.
    pub(crate) finished: Vec<Result<Finished, Refusal>>,
}

/// A timer of soft state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SoftTimer {
    /// A lease may have ended.
    Lease(Token),
    /// A run may have taken too long.
    RunWithin(Token),
    /// A parked take has waited long enough.
    Take(SessionId, u64),
    /// A kind may have no worker any more.
    Kind(KindId),
    /// A session may have been silent for too long.
    Session(SessionId),
}

impl Soft {
    /// Takes a parked take off all lists.
    pub(crate) fn unpark(&mut self, session: SessionId, kinds: &[KindId]) -> Option<ParkedTake> {
        let take = self.parked.remove(&session)?;
        for kind in kinds {
            if let Some(takes) = self.parked_by_kind.get_mut(kind) {
                takes.remove(&(take.seq, session));
                if takes.is_empty() {
                    self.parked_by_kind.remove(kind);
                }
            }
        }
        Some(take)
    }

    pub(crate) fn forget_run(&mut self, token: Token) {
        self.leases.remove(&token);
        self.progress.remove(&token);
        self.beaten.remove(&token);
    }
}

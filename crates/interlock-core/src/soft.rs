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
    /// What is known of each live run. Rebuilt by `open`: a fresh lease for each.
    pub(crate) runs: BTreeMap<Token, SoftRun>,
    /// Takes that wait for work. Forgotten: the workers ask again.
    pub(crate) parked: BTreeMap<SessionId, ParkedTake>,
    /// The parked takes by kind, longest wait first.
    pub(crate) parked_by_kind: BTreeMap<KindId, BTreeSet<(u64, SessionId)>>,
    /// Draws the order of parked takes.
    pub(crate) parked_seq: u64,
    /// When a session was last heard of. Rebuilt by `open` as if heard then.
    pub(crate) heard: BTreeMap<SessionId, Elapsed>,
    /// The longest lease that a session's runs have had. Rebuilt by `open` from the live runs.
    pub(crate) lease_ms_max: BTreeMap<SessionId, u64>,
    /// Until when each kind counts as having a worker. Rebuilt by `open` as if one was heard then.
    pub(crate) covered_until: BTreeMap<KindId, Elapsed>,
    /// The tasks of runs that ended, for a seeded bug only.
    pub(crate) ended_tasks: BTreeMap<Token, crate::words::TaskId>,
    /// Timers of all that.
    pub(crate) timers: BTreeSet<(Elapsed, SoftTimer)>,
}

/// What is known of a live run besides the log.
pub(crate) struct SoftRun {
    /// When its lease ends.
    pub(crate) lease_ends: Elapsed,
    /// When the timer of its lease is set for; a beat moves the end, not the timer.
    pub(crate) lease_timer: Elapsed,
    /// When the timer is set for by which it is told to stop.
    pub(crate) stop_timer: Option<Elapsed>,
    /// Its worker was heard of, or was answered twice, so the hand-out may have arrived. A take that could not be delivered is
    /// returned by the same process that answered it, so this may be forgotten.
    pub(crate) beaten: bool,
    /// How far it is.
    pub(crate) progress: Option<Progress>,
}

/// A take that waits for work.
pub(crate) struct ParkedTake {
    pub(crate) number: u64,
    pub(crate) max: usize,
    /// What its session ran when it asked, and what it asked for.
    pub(crate) at_once: usize,
    pub(crate) seq: u64,
    /// When it is answered empty.
    pub(crate) until: Elapsed,
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
        let timer = SoftTimer::Take(session, take.seq);
        self.timers.remove(&(take.until, timer));
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

    /// Forgets a run that ended, and its timers.
    pub(crate) fn forget_run(&mut self, token: Token) {
        let Some(run) = self.runs.remove(&token) else {
            return;
        };
        let timer = (run.lease_timer, SoftTimer::Lease(token));
        self.timers.remove(&timer);
        if let Some(at) = run.stop_timer {
            self.timers.remove(&(at, SoftTimer::RunWithin(token)));
        }
    }

    /// A kind has a worker until then, or for longer if it was known to already.
    pub(crate) fn cover(&mut self, kind: KindId, until: Elapsed) {
        let covered = self.covered_until.entry(kind).or_insert(until);
        *covered = until.max(*covered);
    }

    /// When the lease of a run ends.
    pub(crate) fn lease_ends(&self, token: Token) -> Option<Elapsed> {
        self.runs.get(&token).map(|run| run.lease_ends)
    }
}

//! Sessions of workers, and runs.

use crate::event::{Charges, InstanceName};
use crate::limits;
use crate::reply::{Finished, StopWhy};
use crate::words::{Elapsed, KindId, Name, Now, SessionId, TaskId, Token};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// One start of a worker.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Session {
    pub(crate) id: SessionId,
    pub(crate) name: Name,
    pub(crate) kinds: Arc<[KindId]>,
    pub(crate) runs: BTreeSet<Token>,
    /// The last take that handed something out.
    pub(crate) last_take: u64,
    pub(crate) lost: bool,
    pub(crate) draining: bool,
    /// Finishes that may be repeated, oldest first.
    pub(crate) finished: VecDeque<(Token, Finished)>,
}

impl Session {
    /// The first answer to a finish that already ended its run.
    pub(crate) fn first_answer(&self, token: Token) -> Option<Finished> {
        let found = self
            .finished
            .iter()
            .rev()
            .find(|(ended, _)| *ended == token);
        found.map(|&(_, answer)| answer)
    }

    pub(crate) fn remember(&mut self, token: Token, answer: Finished) {
        if self.finished.len() == limits::FINISHES_REMEMBERED {
            self.finished.pop_front();
        }
        self.finished.push_back((token, answer));
    }
}

/// One attempt of a task by one worker. Live as long as it is here.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) token: Token,
    pub(crate) task: TaskId,
    pub(crate) session: SessionId,
    pub(crate) take: u64,
    pub(crate) started: Now,
    pub(crate) lease_ms: u64,
    /// Asked to stop, and when.
    pub(crate) stop: Option<Stop>,
    /// Granted a fresh lease when the namespace was opened, and not heard of since.
    pub(crate) granted_afresh: Option<Elapsed>,
    /// Units taken for the start.
    pub(crate) charges: Charges,
    /// Units handed to it and not reported as used yet.
    pub(crate) budgets: SmallVec<[(InstanceName, u64); 1]>,
    /// Units granted through the server and not given back yet.
    pub(crate) permits: Vec<(InstanceName, u64)>,
}

/// A run was asked to stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stop {
    pub(crate) why: StopWhy,
    pub(crate) at: Elapsed,
    pub(crate) by: Option<Name>,
}

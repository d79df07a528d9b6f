//! The server of a world: decides what has arrived, commits it as one, and only then lets answers go.
//! It can die at any moment between, and recovers from what was committed.

use super::log::Log;
use super::rows::Rows;
use crate::actor::Request;
use crate::oracle::{Kept, Step};
use interlock_core::row::{Change, EndedTask};
use interlock_core::words::{Now, SessionId};
use interlock_core::{Bug, Command, Core, Decision, Reply};
use std::collections::{BTreeMap, VecDeque};

/// How many commands go into one commit at most.
const BATCH_MAX: usize = 8;
/// Keys the core's hash tables; of no influence on decisions.
const HASH_SEED: u64 = 42;

/// The server.
pub struct Server {
    /// The core, unless the server is dead.
    pub core: Option<Core>,
    /// What was committed.
    pub log: Log,
    /// What was kept at the last checkpoint.
    pub rows: Rows,
    /// The checkpoint that is being made.
    begun: Option<Begun>,
    /// Tasks that ended after the cut of the last one.
    unkept: Vec<EndedTask>,
    /// What has arrived and is not decided.
    pub inbox: VecDeque<Request>,
    /// Connections of takes that may still be answered, by session and number.
    pub waiting: BTreeMap<(SessionId, u64), Waiting>,
    /// The store's generation.
    pub generation: u32,
    /// Stands still until then.
    pub paused_until: u64,
    /// When it wants to be woken for a timer.
    pub tick_at: Option<u64>,
    /// Work in slices is left.
    pub more: bool,
    /// It comes back on another machine.
    pub resumes_elsewhere: bool,
    /// It dies again right after it came back.
    pub dies_again: bool,
    bug: Option<Bug>,
    steps: u64,
}

/// A checkpoint that is being made while decisions go on.
struct Begun {
    /// How many records of the log it is the fold of.
    records: usize,
    /// What was given out so far.
    changes: Vec<Change>,
    ended: Vec<EndedTask>,
}

/// A take that is not answered yet.
pub struct Waiting {
    /// The connections by which it came.
    pub requests: Vec<u64>,
    /// The answers to the finishes that it carried.
    pub finished: Vec<Result<interlock_core::reply::Finished, interlock_core::Refusal>>,
}

/// A decision and who asked for it.
pub struct Decided {
    /// The connection by which it was asked; none for the server's own ticks.
    pub request: Option<u64>,
    /// What was decided.
    pub step: Step,
}

impl Server {
    /// A server that was never started.
    pub fn new(bug: Option<Bug>) -> Self {
        Self {
            core: None,
            log: Log::default(),
            rows: Rows::default(),
            begun: None,
            unkept: Vec::new(),
            inbox: VecDeque::new(),
            waiting: BTreeMap::new(),
            generation: 1,
            paused_until: 0,
            tick_at: None,
            more: false,
            resumes_elsewhere: false,
            dies_again: false,
            bug,
            steps: 0,
        }
    }

    /// A core as recovery makes it: the rows of the last checkpoint and the fold of what was
    /// committed since, not opened yet.
    pub fn recover(&self) -> Core {
        match self.rows.records {
            0 => self.refold(),
            records => self.replay(self.rows.restore(HASH_SEED), records),
        }
    }

    /// The same from the log alone.
    pub fn refold(&self) -> Core {
        let mut core = Core::new(HASH_SEED);
        core.track_rows();
        self.replay(core, 0)
    }

    fn replay(&self, mut core: Core, from: usize) -> Core {
        core.set_bug(self.bug);
        for record in self.log.records(from) {
            core.replay(&record);
        }
        core
    }

    /// Begins to keep the rows that changed, as of the last commit, unless it has begun. Everything
    /// decided is committed.
    pub fn begin_checkpoint(&mut self) {
        let core = self.core.as_mut().expect("a dead server keeps nothing");
        if self.begun.is_some() {
            return;
        }
        let mut ended = std::mem::take(&mut self.unkept);
        ended.append(&mut core.take_ended());
        core.cut();
        self.begun = Some(Begun {
            records: self.log.len(),
            changes: Vec::new(),
            ended,
        });
    }

    /// Goes on with the checkpoint, if one has begun, by about so many rows. They count when there are
    /// no more.
    pub fn checkpoint_some(&mut self, rows: usize) -> Option<Kept> {
        let core = self.core.as_mut().expect("a dead server keeps nothing");
        let begun = self.begun.as_mut()?;
        begun.changes.append(&mut core.next_changes(rows));
        if core.is_cutting() {
            return None;
        }
        let begun = self.begun.take()?;
        self.rows.update(begun.changes, begun.records);
        self.unkept.append(&mut core.take_ended());
        Some(Kept {
            ended: begun.ended,
            later: self.unkept.clone(),
        })
    }

    /// Opens a recovered core.
    pub fn open(&mut self, mut core: Core, time: u64, now: Now) -> Step {
        let decision = core.open(now, self.generation);
        let step = self.step(&core, time, None, decision);
        self.core = Some(core);
        step
    }

    /// Decides what has arrived; nothing is committed yet.
    pub fn decide(&mut self, time: u64, now: Now) -> Vec<Decided> {
        let mut core = self.core.take().expect("a dead server decides nothing");
        let mut batch = Vec::new();
        if self.more || self.tick_at.is_some_and(|at| at <= time) {
            self.tick_at = None;
            let decision = core.decide(now, Command::Tick);
            let step = self.step(&core, time, Some(Command::Tick), decision);
            batch.push(Decided {
                request: None,
                step,
            });
        }
        while batch.len() < BATCH_MAX {
            let Some(request) = self.inbox.pop_front() else {
                break;
            };
            if let Some(begun) = &mut self.begun {
                begun.changes.append(&mut core.next_changes(1));
            }
            let decision = core.decide(now, request.command.clone());
            let step = self.step(&core, time, Some(request.command), decision);
            batch.push(Decided {
                request: Some(request.id),
                step,
            });
        }
        self.more = batch.last().map_or(self.more, |decided| decided.step.more);
        self.core = Some(core);
        batch
    }

    fn step(
        &mut self,
        core: &Core,
        time: u64,
        command: Option<Command>,
        decision: Decision,
    ) -> Step {
        self.steps += 1;
        Step {
            number: self.steps,
            time,
            at: core.now(),
            command,
            reply: decision.reply,
            wakes: decision.wakes,
            record: decision.record,
            more: decision.more,
            next: core.next_timer(),
        }
    }

    /// Makes a decision durable. From here on it is what the log says.
    pub fn commit(&mut self, step: &mut Step) {
        if let Some(record) = step.record.take() {
            step.record = Some(self.log.append(&record));
        }
    }

    /// Dies: everything that was not committed is gone, and so is every connection.
    pub fn die(&mut self) {
        self.core = None;
        self.begun = None;
        self.unkept.clear();
        self.inbox.clear();
        self.waiting.clear();
        self.tick_at = None;
        self.more = false;
    }

    /// Notes by which connection a take will be answered.
    pub fn note_parked(&mut self, request: u64, step: &Step) {
        if let (Some(Command::Take(take)), Reply::Parked { finished }) =
            (&step.command, &step.reply)
        {
            let key = (take.session, take.number);
            // A later take of the session replaces the parked one, whose connection is let go.
            self.waiting
                .retain(|(session, number), _| *session != key.0 || *number == key.1);
            let entry = self.waiting.entry(key).or_insert(Waiting {
                requests: Vec::new(),
                finished: Vec::new(),
            });
            entry.requests.push(request);
            entry.finished.clone_from(finished);
        }
    }
}

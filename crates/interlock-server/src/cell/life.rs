//! One life of a cell: from a load to a stop or a storage error.

mod answer;
mod keep;

use super::CellError;
use super::ask::Ask;
use super::batch::Release;
use super::history::Pending;
use super::parked::Parked;
use super::thread::Thread;
use super::watch::Watchers;
use crate::clock::{self, Clock};
use crate::cluster::Term;
use crate::limits;
use interlock_core::row::EndedTask;
use interlock_core::words::{Now, TaskId};
use interlock_core::{Command, Core, Record, Reply};
use interlock_store::Consumed;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};
use std::vec::IntoIter;
use tokio::sync::oneshot;
use tracing::info;

/// How soon a node whose lease is over looks whether it has been renewed.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Why a life of the cell ended.
pub(super) enum Over {
    /// It was told to stop.
    Stopped,
    /// The store failed.
    Failed(CellError),
}

/// A checkpoint on its way: what it carries, and who waits for it.
struct Keeping {
    position: u64,
    tasks: Vec<TaskId>,
    /// Ended tasks that are still to be given out.
    ended: IntoIter<Arc<EndedTask>>,
    /// Where the core was when the last part of it was given out.
    given_at: u64,
    settling: Vec<oneshot::Sender<Result<(), CellError>>>,
    /// Whether the committer has written what was given out.
    is_wanted: bool,
    /// Whether all of it is given out.
    is_given: bool,
}

/// One life of a cell: from a load to a stop or a storage error.
pub(super) struct Life<'a> {
    cell: &'a Thread,
    term: Term,
    epoch: u64,
    core: Core,
    clock: Clock,
    pending: Pending,
    parked: Parked,
    watchers: Watchers,
    /// Those who wait until everything that ended is in the history.
    settling: Vec<oneshot::Sender<Result<(), CellError>>>,
    /// What is being gathered.
    bytes: Vec<u8>,
    /// Room for the next batch: what an earlier one was written from.
    room: Vec<u8>,
    first: u64,
    consumed: Vec<Consumed>,
    releases: Vec<Release>,
    records: Vec<Arc<Record>>,
    more: bool,
    /// Batches with the committer.
    ahead: usize,
    /// Whether the last one had many answers.
    busy: bool,
    /// How long deciding a request took lately.
    each: Duration,
    /// Checkpoints on their way: one, or two at the end.
    keeping: VecDeque<Keeping>,
    /// Whether nobody has asked for anything for a moment.
    quiet: bool,
    /// Up to where the tables have everything.
    folded: u64,
    /// Since the last checkpoint.
    logged: usize,
    checkpointed: Instant,
    /// Where the log was at some times, oldest first: to know what is old enough to be deleted.
    marks: VecDeque<(u64, u64)>,
}

impl<'a> Life<'a> {
    pub(super) fn new(cell: &'a Thread, term: Term, core: Core, pending: Pending) -> Self {
        let clock = Clock::resume(core.now().elapsed);
        let position = core.position();
        let mut life = Self {
            cell,
            term,
            epoch: cell.shared.epoch.load(Ordering::Acquire),
            core,
            clock,
            pending,
            parked: Parked::default(),
            watchers: Watchers::default(),
            settling: Vec::new(),
            bytes: Vec::new(),
            room: Vec::new(),
            first: position,
            consumed: Vec::new(),
            releases: Vec::new(),
            records: Vec::new(),
            more: false,
            ahead: 0,
            busy: false,
            each: Duration::ZERO,
            keeping: VecDeque::new(),
            quiet: false,
            folded: position,
            logged: 0,
            checkpointed: Instant::now(),
            marks: VecDeque::new(),
        };
        let decision = life.core.open(life.clock.now(), cell.generation);
        life.take_in(decision, |_, reply| debug_assert_eq!(reply, Reply::Done));
        info!(namespace = %cell.namespace, position, "the namespace is open");
        life
    }

    /// Sees to it that the opening is committed: nothing is decided on top of one that may not be.
    pub(super) fn begin(&mut self) -> Result<(), Over> {
        self.flush()?;
        while self.ahead > 0 {
            self.wait_for_committer()?;
        }
        Ok(())
    }

    pub(super) fn serve(&mut self) -> Over {
        loop {
            if let Err(over) = self.flush() {
                return over;
            }
            let is_behind = self.ahead > 0 || self.more;
            if let Err(over) = self.let_gather() {
                return over;
            }
            let next = self.next_ask();
            self.quiet = matches!(next, Ok(None)) && !is_behind;
            if self.quiet {
                self.give_back_room();
            }
            match next {
                Ok(Some(ask)) => {
                    if let Err(over) = self.gather(ask) {
                        return over;
                    }
                }
                Ok(None) => {}
                Err(over) => return over,
            }
            if self.cell.tenure.is_over(self.term) {
                return Over::Failed(CellError::Moved);
            }
            let now = self.clock.now();
            let goes_on = self.more && !self.is_far_ahead();
            if goes_on && let Err(over) = self.keep_pace() {
                return over;
            }
            if self.may_answer() && (goes_on || self.is_due(now)) {
                let decision = self.decide(now, Command::Tick);
                self.take_in(decision, |_, _| {});
            }
        }
    }

    /// What concerns many tasks is done in slices, as fast as they are written and no faster: whoever
    /// asks meanwhile waits for those that are decided and not yet written.
    fn keep_pace(&mut self) -> Result<(), Over> {
        self.hear()?;
        while self.ahead >= limits::SLICES_AHEAD {
            self.wait_for_committer()?;
        }
        Ok(())
    }

    /// So does the checkpoint after the one that is being made, whose rows wait in memory.
    fn is_far_ahead(&self) -> bool {
        !self.keeping.is_empty() && self.core.replaced() >= limits::CHECKPOINT_REPLACED
    }

    /// Waits for something to do: a request, a timer, or a checkpoint.
    fn next_ask(&mut self) -> Result<Option<Ask>, Over> {
        let asks = &self.cell.asks;
        let answer = match self.patience() {
            Some(Duration::ZERO) => asks.try_recv().map_err(|error| match error {
                TryRecvError::Empty => RecvTimeoutError::Timeout,
                TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
            }),
            Some(time) => asks.recv_timeout(time),
            None => asks.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match answer {
            Ok(ask) => Ok(Some(ask)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Over::Stopped),
        }
    }

    /// How long nothing has to be done unless somebody asks.
    fn patience(&self) -> Option<Duration> {
        if !self.may_answer() {
            return Some(LOOK_AGAIN);
        }
        if self.more {
            let far = self.is_far_ahead();
            return Some(if far {
                limits::HEAR_SOON
            } else {
                Duration::ZERO
            });
        }
        let next = self.core.next_timer();
        let timer = clock::until(self.clock.now(), next.elapsed, next.wall);
        [timer, self.checkpoint_in(), self.hears_in()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Whether this process may speak for the namespace, as far as it knows.
    fn may_answer(&self) -> bool {
        self.cell.tenure.is_held(self.term)
    }

    fn is_due(&self, now: Now) -> bool {
        let next = self.core.next_timer();
        clock::until(now, next.elapsed, next.wall) == Some(Duration::ZERO)
    }

    /// While much goes on, requests are left to gather until the last ones are written: the cell is
    /// woken once for all of them.
    fn let_gather(&mut self) -> Result<(), Over> {
        match self.busy && self.ahead > 0 {
            true => self.wait_for_committer_a_moment(),
            false => Ok(()),
        }
    }

    /// Decides what has arrived, up to the size of a batch; and what arrives until the last batch is
    /// written.
    fn gather(&mut self, first: Ask) -> Result<(), Over> {
        let mut next = Some(first);
        let mut requests = 0;
        loop {
            if let Some(ask) = next {
                requests += self.decide_those_here(ask, requests)?;
            }
            self.hear()?;
            if self.ahead == 0 || self.cell.tenure.is_over(self.term) {
                return Ok(());
            }
            self.wait_for_committer_a_moment()?;
            next = self.next_of_batch(requests);
        }
    }

    /// Decides what has arrived, or what there is time for. Says how many requests that were.
    fn decide_those_here(&mut self, first: Ask, before: usize) -> Result<usize, Over> {
        let begun = Instant::now();
        let mut next = Some(first);
        let mut decided: u32 = 0;
        while let Some(ask) = next {
            self.cell.shared.waiting.fetch_sub(1, Ordering::Relaxed);
            self.answer(ask)?;
            decided += 1;
            if begun.elapsed() >= limits::DECIDE_FOR {
                self.hear()?;
                if self.ahead == 0 {
                    break;
                }
            }
            next = self.next_of_batch(before + decided as usize);
        }
        self.each = begun.elapsed() / decided;
        Ok(decided as usize)
    }

    /// What has arrived, if the batch has room for it.
    fn next_of_batch(&self, requests: usize) -> Option<Ask> {
        let has_room =
            requests < limits::BATCH_REQUESTS_MAX && self.bytes.len() < limits::BATCH_BYTES_MAX;
        has_room.then(|| self.cell.asks.try_recv().ok()).flatten()
    }

    /// The store failed: nobody gets an answer from memory.
    pub(super) fn fail(mut self, error: CellError) {
        let (then, now) = (self.epoch, self.epoch + 1);
        let _already = (self.cell.shared.epoch).compare_exchange(
            then,
            now,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        self.parked.fail(CellError::Loading);
        for release in self.releases.drain(..).chain(self.watchers.drain()) {
            release(Err(error));
        }
    }
}

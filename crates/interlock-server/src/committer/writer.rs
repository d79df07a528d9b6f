//! The writer: the store, and what goes with every commit. One at a time has it, from the desk: the
//! committer's thread, or a cell.

use super::foldings::Foldings;
use super::joined::Joined;
use super::{Call, Commit, Watcher};
use crate::cell::{Batch, CellError, Release};
use crate::limits;
use interlock_store::{Append, Store, StoreError};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tracing::{error, warn};

/// Where the writer lies. A cell may take it only if no job is on its way to the thread: so the
/// batches of a cell stay in order, and calls come between the batches that they were made between.
pub(super) struct Desk {
    writer: Mutex<Option<Writer>>,
    /// Jobs that were sent to the thread and are not done.
    announced: AtomicUsize,
}

/// The writer, while somebody has it.
pub(super) struct AtHand<'a>(MutexGuard<'a, Option<Writer>>);

impl std::ops::Deref for AtHand<'_> {
    type Target = Writer;

    fn deref(&self) -> &Writer {
        self.0.as_ref().expect("looked at when it was taken")
    }
}

impl std::ops::DerefMut for AtHand<'_> {
    fn deref_mut(&mut self) -> &mut Writer {
        self.0.as_mut().expect("looked at when it was taken")
    }
}

impl Desk {
    pub(super) fn new(writer: Writer) -> Self {
        Self {
            writer: Mutex::new(Some(writer)),
            announced: AtomicUsize::new(0),
        }
    }

    /// A job is on its way.
    pub(super) fn announce(&self) {
        self.announced.fetch_add(1, Ordering::SeqCst);
    }

    /// So many jobs are done.
    pub(super) fn done(&self, jobs: usize) {
        self.announced.fetch_sub(jobs, Ordering::SeqCst);
    }

    /// The writer, for a cell: if it lies there, nobody waits for it, and commits are short.
    pub(super) fn free(&self) -> Option<AtHand<'_>> {
        let is_wanted = || self.announced.load(Ordering::SeqCst) > 0;
        if is_wanted() {
            return None;
        }
        // If somebody panicked with it, the thread notices.
        let writer = AtHand(self.writer.try_lock().ok()?);
        let is_short = writer.0.as_ref().is_some_and(Writer::is_quick);
        (is_short && !is_wanted()).then_some(writer)
    }

    /// The writer, for the thread; none if somebody panicked with it.
    pub(super) fn take(&self) -> Option<AtHand<'_>> {
        let writer = self.writer.lock().ok()?;
        writer.is_some().then_some(AtHand(writer))
    }

    /// The writer for good.
    pub(super) fn clear(&self) -> Option<Writer> {
        let writer = self.writer.lock();
        writer.unwrap_or_else(PoisonError::into_inner).take()
    }
}

pub(super) struct Writer {
    pub(super) store: Box<dyn Store>,
    watcher: Box<dyn Watcher>,
    foldings: Foldings,
    /// Whether the store may want a moment for itself.
    untended: bool,
    /// Where the answers are sent from.
    runtime: Option<Handle>,
    lost: bool,
    /// How long the last commit took.
    took: Duration,
    /// How many there were.
    commits: u64,
    /// Whether the thread sleeps until somebody sends it something.
    pub(super) is_thread_asleep: bool,
}

/// What there is to do that nobody waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chore {
    Fold,
    Tend,
}

impl Writer {
    pub(super) fn new(
        store: Box<dyn Store>,
        watcher: Box<dyn Watcher>,
        runtime: Option<Handle>,
    ) -> Self {
        Self {
            store,
            watcher,
            foldings: Foldings::default(),
            untended: true,
            runtime,
            lost: false,
            took: Duration::MAX,
            commits: 0,
            is_thread_asleep: false,
        }
    }

    /// Whether commits are so short that nothing is gained by deciding while one is made.
    fn is_quick(&self) -> bool {
        self.took < limits::WRITE_AT_ONCE_BELOW
    }

    /// How many commits there were: whether anybody has come lately.
    pub(super) fn commits(&self) -> u64 {
        self.commits
    }

    /// What there is to do that nobody waits for.
    pub(super) fn chore(&mut self) -> Option<Chore> {
        self.foldings.drop_old();
        match self.foldings.are_due() {
            true => Some(Chore::Fold),
            false => self.untended.then_some(Chore::Tend),
        }
    }

    /// Does some of it.
    pub(super) fn idle(&mut self) {
        match self.chore() {
            Some(Chore::Fold) => self.fold(limits::FOLD_WHEN_IDLE),
            Some(Chore::Tend) => self.tend(),
            None => {}
        }
    }

    /// Whether the thread has to be told that there is something to do besides.
    pub(super) fn wakes_thread(&mut self) -> bool {
        self.untended && std::mem::take(&mut self.is_thread_asleep)
    }

    /// Writes batches as one commit, and some of the checkpoints, so that they keep up.
    pub(super) fn write(&mut self, batches: Vec<Batch>) {
        let begun = Instant::now();
        let events = batches.iter().map(Batch::events).sum();
        let is_kept = batches.iter().any(Batch::is_kept);
        self.commit(batches);
        if is_kept {
            self.took = begun.elapsed();
        }
        self.commits += 1;
        self.keep_up();
        let mut rows = self.foldings.rows_due(events).unwrap_or(0);
        while rows > 0 && self.foldings.are_due() {
            let some = rows.min(limits::FOLD_SLICE);
            self.fold(some);
            rows -= some;
        }
    }

    /// Does something with the store after every checkpoint that is under way.
    pub(super) fn call(&mut self, call: Call) {
        self.finish_folding();
        call(&mut *self.store);
    }

    /// Closes the store in order.
    pub(super) fn stop(mut self) -> Result<(), StoreError> {
        self.finish_folding();
        self.store.stop()
    }

    fn keep_up(&mut self) {
        if let Err(error) = self.store.keep_up() {
            self.note(&error);
        }
    }

    fn tend(&mut self) {
        self.untended = false;
        if let Err(error) = self.store.tend() {
            self.note(&error);
        }
    }

    fn commit(&mut self, batches: Vec<Batch>) {
        // What a cell decided before its store failed counts no more.
        let (batches, old): (Vec<_>, Vec<_>) = batches
            .into_iter()
            .partition(|batch| batch.origin.is_current());
        for batch in old {
            batch.fail(CellError::Unknown);
        }
        let Some(batches) = self.append_owned(batches) else {
            return;
        };
        let mut releases = Vec::new();
        for mut batch in batches {
            if let Some(part) = batch.part.take() {
                self.foldings.add(&batch.origin, part);
            }
            releases.append(&mut batch.committed());
        }
        self.release(releases);
        self.untended = true;
    }

    /// Appends what may be: batches of a namespace that is another node's now, or that consume what
    /// is gone, fail by themselves.
    fn append_owned(&mut self, mut batches: Vec<Batch>) -> Option<Vec<Batch>> {
        loop {
            match self.append(&batches) {
                Ok(()) => return Some(batches),
                Err(
                    error @ (StoreError::NotOwned { namespace, .. }
                    | StoreError::NotPending { namespace }),
                ) => {
                    let (lost, kept): (Vec<_>, Vec<_>) = (batches.into_iter())
                        .partition(|batch| batch.origin.namespace == namespace);
                    let none = lost.is_empty() || kept.is_empty();
                    self.fail(lost, &error);
                    if none {
                        self.fail(kept, &error);
                        return None;
                    }
                    batches = kept;
                }
                Err(error) => {
                    self.fail(batches, &error);
                    return None;
                }
            }
        }
    }

    fn append(&mut self, batches: &[Batch]) -> Result<(), StoreError> {
        let joined = Joined::of(batches);
        let records: Vec<Append<'_>> = joined.iter().map(Joined::append).collect();
        if records.is_empty() {
            return Ok(());
        }
        let begun = Instant::now();
        self.store.append(&records)?;
        self.watcher.committed(Commit {
            batches: batches.len(),
            bytes: joined.iter().map(Joined::len).sum(),
            took: begun.elapsed(),
        });
        Ok(())
    }

    /// Lets answers go. On a thread of the runtime, where waking whoever waits for one is cheap.
    fn release(&self, releases: Vec<Release>) {
        let release = move || releases.into_iter().for_each(|release| release(Ok(())));
        match &self.runtime {
            Some(runtime) => drop(runtime.spawn(async { release() })),
            None => release(),
        }
    }

    fn fold(&mut self, rows: u64) {
        self.foldings.drop_old();
        if let Err((origin, error)) = self.foldings.write(&mut *self.store, rows) {
            let answer = self.answer_to(&error);
            origin.fail(answer);
        }
        self.untended = true;
    }

    /// Whoever loads or removes a namespace finds no checkpoint of it half made: a cell that has
    /// stopped has given out all of its last one, and what came from a life that is over counts no
    /// more.
    fn finish_folding(&mut self) {
        while self.foldings.are_due() {
            self.fold(limits::FOLD_WHEN_IDLE);
        }
    }

    fn fail(&mut self, batches: Vec<Batch>, error: &StoreError) {
        let answer = self.answer_to(error);
        for batch in batches {
            batch.fail(answer);
        }
    }

    /// Notes an error; what those are told whom it concerns.
    fn answer_to(&mut self, error: &StoreError) -> CellError {
        self.note(error);
        match error {
            StoreError::Full { .. } => CellError::Full,
            StoreError::NotOwned { .. } => CellError::Moved,
            // It was taken by a commit that this cell had no answer to; now it looks again.
            StoreError::NotPending { .. } => CellError::Loading,
            error if error.retryable() => CellError::Loading,
            _ => CellError::Unknown,
        }
    }

    fn note(&mut self, error: &StoreError) {
        if error.retryable() || error.heals_by_loading() {
            warn!(%error, "the store refused a write");
        } else if !self.lost {
            self.lost = true;
            error!(%error, "the store failed");
            self.watcher.lost(error);
        }
    }
}

//! The thread of a cell.

use super::ask::{Ask, AskTake};
use super::batch::{Batch, Kept, Release};
use super::follow::{Followed, ProgressNote};
use super::history::Pending;
use super::parked::{Parked, deliver};
use super::watch::{Until, Watchers};
use super::{Answered, Cell, CellError, Delivery, Shared, View, encode};
use crate::clock::{self, Clock};
use crate::committer::Committer;
use crate::limits;
use crate::metrics::DecisionMetrics;
use interlock_core::command::Beat;
use interlock_core::reply::{Decision, Wake};
use interlock_core::row::Change;
use interlock_core::view::Found;
use interlock_core::words::{Now, TaskId};
use interlock_core::{Command, Core, Record, Reply};
use interlock_store::{Checkpoint, NamespaceId, RowChange, Shown, Table};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tracing::{error, info};

/// Starts a cell: loads its namespace and serves it until it is told to stop.
pub fn start(
    namespace: NamespaceId,
    generation: u32,
    committer: Committer,
    metrics: DecisionMetrics,
) -> std::io::Result<(Cell, JoinHandle<()>)> {
    let (inbox, asks) = sync_channel(limits::INBOX_MAX);
    let shared = Arc::new(Shared::new());
    let cell = Cell {
        namespace,
        inbox,
        shared: shared.clone(),
    };
    let (kept, keeps) = channel();
    let thread = Thread {
        namespace,
        generation,
        committer,
        shared,
        asks,
        kept,
        keeps,
        metrics,
    };
    let name = format!("cell {namespace}");
    let thread = std::thread::Builder::new()
        .name(name)
        .spawn(|| thread.run())?;
    Ok((cell, thread))
}

struct Thread {
    namespace: NamespaceId,
    generation: u32,
    committer: Committer,
    shared: Arc<Shared>,
    asks: Receiver<Ask>,
    kept: Sender<Kept>,
    keeps: Receiver<Kept>,
    metrics: DecisionMetrics,
}

/// Why a life of the cell ended.
enum Over {
    /// It was told to stop.
    Stopped,
    /// The store failed.
    Failed(CellError),
}

impl Thread {
    fn run(self) {
        loop {
            let Some(core) = self.load() else {
                return;
            };
            let mut life = Life::new(&self, core);
            self.shared.ready.store(true, Ordering::Release);
            let over = life.serve();
            self.shared.ready.store(false, Ordering::Release);
            match over {
                Over::Stopped => return,
                Over::Failed(error) => life.fail(error),
            }
        }
    }

    /// Loads the namespace, again and again until it works. None if the server is stopping.
    fn load(&self) -> Option<Core> {
        loop {
            let seed = hash_seed();
            match self.committer.load(self.namespace, seed) {
                Ok(Ok(core)) => {
                    // Whatever the committer still has of an earlier life is reported by now.
                    while self.keeps.try_recv().is_ok() {}
                    return Some(core);
                }
                Ok(Err(error)) => {
                    let namespace = self.namespace;
                    error!(%namespace, %error, "the namespace can't be loaded");
                }
                Err(_closed) => return None,
            }
            if !self.refuse_for(limits::RECOVER_AFTER) {
                return None;
            }
        }
    }

    /// Tells whoever asks in the meantime to come back. Says whether to go on.
    fn refuse_for(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.asks.recv_timeout(left) {
                Ok(Ask::Stop { .. }) | Err(RecvTimeoutError::Disconnected) => return false,
                Ok(ask) => {
                    self.shared.waiting.fetch_sub(1, Ordering::Relaxed);
                    ask.refuse(CellError::Loading);
                }
                Err(RecvTimeoutError::Timeout) => return true,
            }
        }
    }
}

/// What a checkpoint on its way carries, and who waits for it.
struct Keeping {
    tasks: Vec<TaskId>,
    settling: Vec<oneshot::Sender<Result<(), CellError>>>,
}

/// One life of a cell: from a load to a stop or a storage error.
struct Life<'a> {
    cell: &'a Thread,
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
    first: u64,
    releases: Vec<Release>,
    records: Vec<Arc<Record>>,
    more: bool,
    /// Batches with the committer, and the ended tasks that their checkpoints carry.
    ahead: usize,
    keeping: VecDeque<Keeping>,
    /// Since the last checkpoint.
    logged: usize,
    checkpointed: Instant,
    /// Where the log was at some times, oldest first: to know what is old enough to be deleted.
    marks: VecDeque<(u64, u64)>,
}

impl<'a> Life<'a> {
    fn new(cell: &'a Thread, core: Core) -> Self {
        let clock = Clock::resume(core.now().elapsed);
        let position = core.position();
        let mut life = Self {
            cell,
            epoch: cell.shared.epoch.load(Ordering::Acquire),
            core,
            clock,
            pending: Pending::default(),
            parked: Parked::default(),
            watchers: Watchers::default(),
            settling: Vec::new(),
            bytes: Vec::new(),
            first: position,
            releases: Vec::new(),
            records: Vec::new(),
            more: false,
            ahead: 0,
            keeping: VecDeque::new(),
            logged: 0,
            checkpointed: Instant::now(),
            marks: VecDeque::new(),
        };
        let decision = life.core.open(life.clock.now(), cell.generation);
        life.take_in(decision, |_, reply| debug_assert_eq!(reply, Reply::Done));
        info!(namespace = %cell.namespace, position, "the namespace is open");
        life
    }

    fn serve(&mut self) -> Over {
        loop {
            if let Err(over) = self.flush() {
                return over;
            }
            match self.next_ask() {
                Ok(Some(ask)) => {
                    if let Err(over) = self.gather(ask) {
                        return over;
                    }
                }
                Ok(None) => {}
                Err(over) => return over,
            }
            let now = self.clock.now();
            if self.more || self.is_due(now) {
                let decision = self.decide(now, Command::Tick);
                self.take_in(decision, |_, _| {});
            }
        }
    }

    /// Waits for something to do: a request, a timer, or a checkpoint.
    fn next_ask(&mut self) -> Result<Option<Ask>, Over> {
        let asks = &self.cell.asks;
        let answer = match self.patience() {
            Some(Duration::ZERO) => asks.try_recv().map_err(|error| match error {
                std::sync::mpsc::TryRecvError::Empty => RecvTimeoutError::Timeout,
                std::sync::mpsc::TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
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
        if self.more {
            return Some(Duration::ZERO);
        }
        let next = self.core.next_timer();
        let timer = clock::until(self.clock.now(), next.elapsed, next.wall);
        let unkept = self.core.changed() > 0 || !self.pending.is_empty();
        let checkpoint =
            unkept.then(|| limits::CHECKPOINT_EVERY.saturating_sub(self.checkpointed.elapsed()));
        // Also to hear from the committer.
        let reports = (self.ahead > 0).then_some(Duration::from_millis(20));
        [timer, checkpoint, reports].into_iter().flatten().min()
    }

    fn is_due(&self, now: Now) -> bool {
        let next = self.core.next_timer();
        clock::until(now, next.elapsed, next.wall) == Some(Duration::ZERO)
    }

    /// Decides what has arrived, up to the size of a batch. As long as the committer is behind there
    /// is time to gather more.
    fn gather(&mut self, first: Ask) -> Result<(), Over> {
        let mut next = Some(first);
        let mut requests = 0;
        loop {
            while let Some(ask) = next.take() {
                self.cell.shared.waiting.fetch_sub(1, Ordering::Relaxed);
                self.answer(ask)?;
                requests += 1;
                if requests < limits::BATCH_REQUESTS_MAX
                    && self.bytes.len() < limits::BATCH_BYTES_MAX
                {
                    next = self.cell.asks.try_recv().ok();
                }
            }
            self.hear()?;
            if self.ahead < limits::BATCHES_AHEAD {
                return Ok(());
            }
            self.wait_for_committer()?;
            if requests < limits::BATCH_REQUESTS_MAX && self.bytes.len() < limits::BATCH_BYTES_MAX {
                next = self.cell.asks.try_recv().ok();
            }
        }
    }

    fn answer(&mut self, ask: Ask) -> Result<(), Over> {
        let now = self.clock.now();
        match ask {
            Ask::Decide { command, to } => {
                self.note_progress(&command);
                let decision = self.decide(now, command);
                self.take_in(decision, move |life, reply| {
                    life.releases.push(Box::new(move |result| {
                        let _gone = to.send(result.map(|()| Answered { reply, now }));
                    }));
                });
            }
            Ask::Take(ask) => self.take(now, ask),
            Ask::Read(read) => {
                let view = View {
                    core: &self.core,
                    now,
                    pending: &self.pending,
                };
                let release = read(Ok(&view));
                self.releases.extend(release);
            }
            Ask::Watch { task, until, to } => {
                let release: Release = Box::new(move |result| {
                    let _gone = to.send(result);
                });
                if self.is_over(task, until) || self.watchers.len() >= limits::WATCHERS_MAX {
                    self.releases.push(release);
                } else {
                    self.watchers.add(task, until, release);
                }
            }
            Ask::Settle { to } => self.settling.push(to),
            Ask::Stop { to } => {
                self.stop();
                let _gone = to.send(());
                return Err(Over::Stopped);
            }
        }
        Ok(())
    }

    fn is_over(&self, task: TaskId, until: Until) -> bool {
        match self.core.task(task) {
            Found::Live(view) => until == Until::Started && view.reasons.is_empty(),
            Found::Ended(_) | Found::Unknown => true,
        }
    }

    fn take(&mut self, now: Now, ask: AskTake) {
        let AskTake { take, to, cell } = ask;
        let (session, number) = (take.session, take.number);
        let decision = self.decide(now, Command::Take(take));
        // A wake for the same take without hand-outs was for an earlier request of it.
        let parks = matches!(decision.reply, Reply::Parked { .. });
        let (earlier, wakes): (Vec<Wake>, Vec<Wake>) =
            (decision.wakes.into_iter()).partition(|wake| {
                parks
                    && (wake.session, wake.number) == (session, number)
                    && wake.taken.hand_outs.is_empty()
            });
        earlier.into_iter().for_each(|wake| self.wake(wake));
        let decision = Decision { wakes, ..decision };
        self.take_in(decision, move |life, reply| {
            let old = match reply {
                Reply::Parked { finished } => {
                    life.parked.park((session, number), finished, (to, cell))
                }
                Reply::Taken(taken) => {
                    let old = life.parked.let_go(session);
                    let delivery = Delivery::new(cell, session, number, taken);
                    life.releases.push(deliver(to, delivery));
                    old
                }
                Reply::Refused(refusal) => {
                    life.releases.push(Box::new(move |result| {
                        let _gone = to.send(result.map(|()| Err(refusal)));
                    }));
                    None
                }
                other => unreachable!("a take is not answered by {other:?}"),
            };
            life.releases.extend(old);
        });
    }

    fn decide(&mut self, now: Now, command: Command) -> Decision {
        self.cell.metrics.command(&command);
        self.core.decide(now, command)
    }

    /// Takes in a decision: its events, its answer, and what it means for others.
    fn take_in(&mut self, decision: Decision, answer: impl FnOnce(&mut Self, Reply)) {
        let Decision {
            record,
            reply,
            wakes,
            more,
        } = decision;
        self.more = more;
        self.cell.metrics.decided(&reply, record.as_ref());
        if let Some(record) = record {
            encode::encode_record(&mut self.bytes, &record);
            if !self.watchers.is_empty() {
                for event in &record.events {
                    self.watchers.notice(event, &mut self.releases);
                }
            }
            if self.cell.shared.feed.receiver_count() > 0 {
                self.records.push(Arc::new(record));
            }
        }
        answer(self, reply);
        wakes.into_iter().for_each(|wake| self.wake(wake));
    }

    fn wake(&mut self, wake: Wake) {
        let Wake {
            session,
            number,
            taken,
        } = wake;
        if self.parked.has(session, number) {
            let release = self.parked.answer(session, number, taken);
            self.releases.extend(release);
        } else if !taken.hand_outs.is_empty() {
            // Nobody is there to take them: they go back at once.
            let command = Command::ReturnTake { session, number };
            let decision = self.decide(self.clock.now(), command);
            self.take_in(decision, |_, _| {});
        }
    }

    /// Progress is not logged; those who follow are told as it comes.
    fn note_progress(&self, command: &Command) {
        let Command::Beat(Beat { runs, .. }) = command else {
            return;
        };
        if self.cell.shared.feed.receiver_count() == 0 {
            return;
        }
        for run in runs {
            if let (Some(progress), Some(task)) = (&run.progress, self.core.task_of(run.token)) {
                let note = ProgressNote {
                    task,
                    progress: progress.clone(),
                };
                let _nobody = (self.cell.shared.feed).send(Followed::Progress(Arc::new(note)));
            }
        }
    }

    /// Passes on what was gathered, if there is anything.
    fn flush(&mut self) -> Result<(), Over> {
        self.hear()?;
        for ended in self.core.take_ended() {
            self.pending.add(ended);
        }
        let checkpoint = self.wants_checkpoint().then(|| self.checkpoint());
        if self.bytes.is_empty() && self.releases.is_empty() && checkpoint.is_none() {
            return Ok(());
        }
        self.send(checkpoint);
        Ok(())
    }

    fn send(&mut self, checkpoint: Option<Checkpoint>) {
        let bytes = std::mem::take(&mut self.bytes);
        self.logged += bytes.len();
        let next = self.core.position();
        self.cell.committer.write(Batch {
            namespace: self.cell.namespace,
            epoch: self.epoch,
            positions: (self.first, next),
            at_ms: clock::wall().0,
            bytes,
            checkpoint,
            releases: std::mem::take(&mut self.releases),
            records: std::mem::take(&mut self.records),
            shared: self.cell.shared.clone(),
            kept: self.cell.kept.clone(),
        });
        self.first = next;
        self.ahead += 1;
    }

    fn wants_checkpoint(&self) -> bool {
        let unkept = self.core.changed() > 0 || !self.pending.is_empty();
        // One at a time: the ended tasks of the last one must be out of memory first.
        if !self.keeping.is_empty() {
            return false;
        }
        !self.settling.is_empty()
            || unkept
                && (self.core.changed() >= limits::CHECKPOINT_ROWS
                    || self.pending.len() >= limits::CHECKPOINT_ENDED
                    || self.logged >= limits::CHECKPOINT_BYTES
                    || self.checkpointed.elapsed() >= limits::CHECKPOINT_EVERY)
    }

    /// Everything that changed, as of the last decision.
    fn checkpoint(&mut self) -> Checkpoint {
        self.logged = 0;
        self.checkpointed = Instant::now();
        let position = self.core.position();
        let (tasks, ended) = self.pending.rows();
        let settling = std::mem::take(&mut self.settling);
        self.keeping.push_back(Keeping { tasks, settling });
        Checkpoint {
            namespace: self.cell.namespace,
            position,
            rows: self.core.changes().into_iter().map(row_change).collect(),
            ended,
            keep_log_from: self.keep_log_from(position),
        }
    }

    /// Events older than both an hour and a million others may go.
    fn keep_log_from(&mut self, position: u64) -> u64 {
        let now = clock::wall().0;
        self.marks.push_back((now, position));
        let old = |(at, _): &(u64, u64)| now.saturating_sub(*at) > limits::EVENTS_KEPT_MS;
        while self.marks.len() > 1 && self.marks.get(1).is_some_and(old) {
            self.marks.pop_front();
        }
        let by_age = (self.marks.front().filter(|mark| old(mark))).map_or(0, |(_, at)| *at);
        by_age.max(position.saturating_sub(limits::EVENTS_KEPT))
    }

    /// Takes in what the committer reported.
    fn hear(&mut self) -> Result<(), Over> {
        while let Ok(kept) = self.cell.keeps.try_recv() {
            self.heard(kept)?;
        }
        Ok(())
    }

    fn wait_for_committer(&mut self) -> Result<(), Over> {
        match self.cell.keeps.recv() {
            Ok(kept) => self.heard(kept),
            Err(_) => Err(Over::Stopped),
        }
    }

    fn heard(&mut self, kept: Kept) -> Result<(), Over> {
        self.ahead -= 1;
        match kept {
            Kept::Batch => Ok(()),
            Kept::Checkpoint(_) => {
                if let Some(kept) = self.keeping.pop_front() {
                    self.pending.kept(&kept.tasks);
                    for to in kept.settling {
                        let _gone = to.send(Ok(()));
                    }
                }
                Ok(())
            }
            Kept::Failed(error) => Err(Over::Failed(error)),
        }
    }

    /// Sends the last batch, with everything in it.
    fn stop(&mut self) {
        for ended in self.core.take_ended() {
            self.pending.add(ended);
        }
        let checkpoint = self.checkpoint();
        self.send(Some(checkpoint));
    }

    /// The store failed: nobody gets an answer from memory.
    fn fail(mut self, error: CellError) {
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

fn row_change(change: Change) -> RowChange {
    use interlock_core::row::Table as CoreTable;
    let task = || {
        let key = <[u8; 8]>::try_from(change.key.as_slice()).unwrap_or_default();
        u64::from_be_bytes(key)
    };
    match (change.table, change.body) {
        (CoreTable::Task, None) => RowChange::DeleteTask { task: task() },
        (CoreTable::Task, Some(body)) => RowChange::PutTask {
            task: task(),
            shown: shown(change.shown),
            body,
        },
        (table, None) => RowChange::Delete {
            table: Table(table as u8),
            key: change.key,
        },
        (table, Some(body)) => RowChange::Put {
            table: Table(table as u8),
            key: change.key,
            body,
        },
    }
}

fn shown(shown: Option<interlock_core::row::Shown>) -> Shown {
    shown.map_or_else(Shown::default, |shown| Shown {
        kind: shown.kind.to_string(),
        resources: (shown.claims.iter())
            .map(|claim| claim.resource.to_string())
            .collect(),
        stage: shown.stage.to_owned(),
        priority: shown.priority,
        submitted_ms: shown.submitted.0,
    })
}

/// Keys the hash tables of a core, so that strangers can't aim for collisions.
fn hash_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0u8)
}

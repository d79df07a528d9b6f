//! The loop of a worker: few requests, and all of them from one place.
//!
//! One take is under way at a time. What has finished rides on the next one; while one is parked, it
//! goes by itself, at once. Beats name all runs and carry their progress and use of quotas; a worker
//! that runs nothing sends none.

mod beat;
mod finish;
mod session;
mod start;
mod take;

use super::clock::boot_ms;
use super::error::WorkerError;
use super::fence::{Fence, LastResort};
use super::handler::Handler;
use super::live::{AtWork, Live, StopReason, Wishes};
use super::stop::Told;
use crate::client::Client;
use crate::retry::Backoff;
use beat::Beating;
use finish::Finishing;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use interlock_api::id::RunToken;
use interlock_api::kind::KindPolicy;
use interlock_api::run::{Beaten, Finish, Finished, Taken};
use start::Done;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use take::Taking;
use tokio::sync::{mpsc, watch};

/// How long finishes wait for the answer to a take that is expected any moment, to ride on the next.
const HOLD_BACK: Duration = Duration::from_millis(1);
/// How far beats that only tell progress are apart.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);
/// How far beats are apart at the least.
const BEAT_GAP: Duration = Duration::from_millis(50);
/// How often everything is looked at while something runs.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How often a handler that shall stop is looked at.
const LOOK_AT_STOPPING: Duration = Duration::from_millis(10);
/// How often a worker that does nothing looks up.
const LOOK_IDLE: Duration = Duration::from_secs(60);
/// How many times in a row quick handlers are given a chance to come back before the next call.
const GATHER_MAX: usize = 3;

/// What a worker is set to.
pub(super) struct Settings {
    pub(super) client: Client,
    pub(super) name: String,
    pub(super) concurrency: usize,
    pub(super) if_named: IfNamed,
    pub(super) handlers: BTreeMap<String, Handler>,
    pub(super) policies: Vec<KindPolicy>,
    pub(super) last_resort: LastResort,
}

/// What to do if another process works under the same name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IfNamed {
    /// Wait until it has nothing to do or is gone.
    #[default]
    Wait,
    /// End with [`WorkerError::NameInUse`].
    Refuse,
    /// Replace it: the caller vouches that it is dead. What it ran goes back to its place at once.
    TakeOver,
}

/// A run that the worker has.
struct Entry {
    live: Arc<Live>,
    at_work: Weak<AtWork>,
    state: EntryState,
    /// The server has ended it: nothing is said of it any more.
    gone: bool,
}

enum EntryState {
    /// Its lease is too far gone to begin before a beat was answered.
    Late(Option<interlock_api::json::Json>),
    /// Its handler is at work.
    AtWork,
    /// Its handler was dropped, and something of it is still at work.
    Stopping,
    /// It has ended, and the server may not know yet.
    Ended,
}

impl Entry {
    fn is_busy(&self) -> bool {
        !matches!(self.state, EntryState::Ended)
    }
}

/// The answer to a call.
enum Answer {
    Taken(Result<Taken, crate::Error>),
    /// The take was called off.
    CalledOff,
    Finished(Finishing, Result<Finished, crate::Error>),
    Beaten(Beating, Result<Beaten, crate::Error>),
}

/// The loop of a worker.
pub(super) struct Engine {
    settings: Settings,
    fence: Fence,
    wishes: Arc<Wishes>,
    told: watch::Receiver<Told>,
    session: Option<u64>,
    /// A run was lost: nothing new until the worker has registered again.
    lost: bool,
    draining: bool,
    /// Why it ends when nothing runs any more.
    end: Option<WorkerError>,
    replaced: Vec<Instant>,
    runs: BTreeMap<RunToken, Entry>,
    /// Runs whose handler is at work, or will be.
    busy: usize,
    stopping: usize,
    finishes: Vec<Finish>,
    finishing: bool,
    finish_again: Again,
    number: u64,
    take: Option<Taking>,
    take_again: Again,
    /// The last answer was full, so that the next one comes at once.
    plenty: bool,
    /// A take was called off whose answer may have been on its way.
    unanswered: bool,
    /// The shortest lease that is known of.
    lease_ms_min: u64,
    beating: bool,
    beat_due_ms: u64,
    beat_again: Again,
    last_beat: Option<Instant>,
    calls: FuturesUnordered<BoxFuture<'static, Answer>>,
    done: mpsc::UnboundedReceiver<Done>,
    tell: mpsc::UnboundedSender<Done>,
}

/// When a call that failed is tried again.
struct Again {
    at: Option<Instant>,
    backoff: Backoff,
}

impl Again {
    fn new() -> Self {
        let (first, most) = (Duration::from_millis(50), Duration::from_secs(1));
        Self {
            at: None,
            backoff: Backoff::new(first, most),
        }
    }

    fn failed(&mut self) {
        self.at = Some(Instant::now() + self.backoff.next());
    }

    fn worked(&mut self) {
        *self = Self::new();
    }

    fn may(&self, now: Instant) -> bool {
        self.at.is_none_or(|at| at <= now)
    }
}

impl Engine {
    pub(super) fn new(settings: Settings, told: watch::Receiver<Told>) -> std::io::Result<Self> {
        let (tell, done) = mpsc::unbounded_channel();
        let leases = settings.policies.iter();
        let leases = leases
            .filter_map(|policy| policy.lease)
            .map(|span| span.ms());
        let lease_ms_min = leases
            .min()
            .unwrap_or(u64::MAX)
            .min(session::LEASE_MS_USUAL);
        Ok(Self {
            fence: Fence::new(settings.last_resort.clone())?,
            settings,
            wishes: Wishes::new(),
            told,
            session: None,
            lost: false,
            draining: false,
            end: None,
            replaced: Vec::new(),
            runs: BTreeMap::new(),
            busy: 0,
            stopping: 0,
            finishes: Vec::new(),
            finishing: false,
            finish_again: Again::new(),
            number: 0,
            take: None,
            take_again: Again::new(),
            plenty: false,
            unanswered: false,
            lease_ms_min,
            beating: false,
            beat_due_ms: u64::MAX,
            beat_again: Again::new(),
            last_beat: None,
            calls: FuturesUnordered::new(),
            done,
            tell,
        })
    }

    /// Works until told to stop.
    pub(super) async fn run(mut self) -> Result<(), WorkerError> {
        loop {
            self.heed();
            if *self.told.borrow() == Told::AtOnce {
                return self.stop_at_once().await;
            }
            self.look_at_stopping();
            if self.is_over() {
                return self.leave().await;
            }
            if self.wants_session() {
                self.register().await?;
                continue;
            }
            self.send();
            let tick = self.next_look();
            tokio::select! {
                Some(done) = self.done.recv() => self.ended(done),
                Some(answer) = self.calls.next(), if !self.calls.is_empty() => self.hear(answer)?,
                () = self.wishes.wake.notified() => {}
                Ok(()) = self.told.changed() => {}
                () = tokio::time::sleep(tick) => {}
            }
            self.gather().await;
        }
    }

    fn hear(&mut self, answer: Answer) -> Result<(), WorkerError> {
        match answer {
            Answer::Taken(answer) => self.taken(answer),
            Answer::CalledOff => Ok(()),
            Answer::Finished(finishing, answer) => self.finished(finishing, answer),
            Answer::Beaten(beating, answer) => self.beaten(beating, answer),
        }
    }

    /// Quick handlers may have come back already: what they say rides on the next call.
    async fn gather(&mut self) {
        for _ in 0..GATHER_MAX {
            let before = self.finishes.len();
            while let Ok(done) = self.done.try_recv() {
                self.ended(done);
            }
            if self.take.is_some() || self.busy == 0 {
                return;
            }
            tokio::task::yield_now().await;
            while let Ok(done) = self.done.try_recv() {
                self.ended(done);
            }
            if self.finishes.len() == before {
                return;
            }
        }
    }

    /// Sends whatever is to be sent now.
    fn send(&mut self) {
        let now = Instant::now();
        self.send_beat(now);
        if self.wants_take() && self.take_again.may(now) {
            self.send_take();
        }
        if self.finishes.is_empty() || self.finishing || !self.finish_again.may(now) {
            return;
        }
        // A take that is refused or away carries nothing.
        let rides = self.wants_take();
        let soon = self.plenty && self.take.as_ref().is_some_and(|take| take.is_fresh(now));
        if !rides && !soon {
            self.send_finishes();
        }
    }

    fn next_look(&self) -> Duration {
        let now = Instant::now();
        let mut next = match (self.stopping, self.runs.is_empty()) {
            (0, true) => LOOK_IDLE,
            (0, false) => LOOK_EVERY,
            _ => LOOK_AT_STOPPING,
        };
        let mut at = |at: Option<Instant>| {
            if let Some(at) = at {
                next = next.min(at.saturating_duration_since(now));
            }
        };
        if self.wants_take() {
            at(self.take_again.at);
        }
        if !self.finishes.is_empty() && !self.finishing {
            at(self.finish_again.at);
            if self.plenty {
                at((self.take.as_ref()).map(Taking::fresh_until));
            }
        }
        at(self.next_beat(now));
        // What has fallen due meanwhile is looked at once more, in a moment.
        next.max(Duration::from_millis(1))
    }

    fn next_beat(&self, now: Instant) -> Option<Instant> {
        if self.beating || self.runs.is_empty() {
            return None;
        }
        let due = Duration::from_millis(self.beat_due_ms.saturating_sub(boot_ms()));
        let mut at = now.checked_add(due)?;
        let after = |gap| self.last_beat.map_or(now, |last| last + gap);
        if self.wishes.soon.load(Ordering::Acquire) {
            at = at.min(after(PROGRESS_EVERY));
        }
        if self.wishes.now.load(Ordering::Acquire) {
            at = at.min(after(BEAT_GAP));
        }
        Some(self.beat_again.at.map_or(at, |again| at.max(again)))
    }

    /// Handlers that were dropped, and of which nothing is at work any more.
    fn look_at_stopping(&mut self) {
        if self.stopping == 0 {
            return;
        }
        let stopped = self.runs.values().filter(|entry| {
            matches!(entry.state, EntryState::Stopping) && entry.at_work.strong_count() == 0
        });
        let stopped: Vec<RunToken> = stopped.map(|entry| entry.live.token()).collect();
        for token in stopped {
            self.stopping -= 1;
            self.give_back(token);
        }
    }

    /// Heeds what the worker was told.
    fn heed(&mut self) {
        if *self.told.borrow_and_update() >= Told::Drain {
            self.drain();
        }
    }

    /// The server refuses to hear of the worker as it is: whatever runs is stopped, then it ends.
    fn give_up(&mut self, error: WorkerError) {
        self.end.get_or_insert(error);
        self.stop_all(StopReason::Lost);
        self.drain();
    }

    fn stop_all(&mut self, why: StopReason) {
        for entry in self.runs.values_mut().filter(|entry| entry.is_busy()) {
            entry.live.cancel(why);
            entry.live.abort();
        }
    }
}

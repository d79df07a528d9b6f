//! Self-fencing: a thread of its own that looks at the clock, so that no handler can keep it from
//! doing so. A run whose lease is not renewed is told to stop, then dropped; and if its handler is
//! still there when the resource is about to be handed on, the process ends.

use super::clock::boot_ms;
use super::live::{AtWork, Live, StopReason};
use interlock_api::id::RunToken;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tracing::warn;

/// How often the clock is looked at while something runs: a machine that wakes up tells nobody.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How long a handler has to be gone that could not be dropped in time, since its worker was asleep.
const GONE_WITHIN_MS: u64 = 100;

/// What is called when a handler does not stop in time. It must not come back while the handler is
/// still at work; by default the process ends.
pub(super) type LastResort = Arc<dyn Fn(&str) + Send + Sync>;

/// The runs that are watched.
pub(super) struct Fence {
    state: Arc<Shared>,
}

struct Shared {
    watched: Mutex<Watched>,
    changed: Condvar,
    last_resort: LastResort,
}

#[derive(Default)]
struct Watched {
    runs: BTreeMap<RunToken, One>,
    /// The thread waits for a first run.
    idle: bool,
    over: bool,
}

struct One {
    live: Arc<Live>,
    at_work: Weak<AtWork>,
    aborted_at: Option<u64>,
}

impl Fence {
    pub(super) fn new(last_resort: LastResort) -> std::io::Result<Self> {
        let state = Arc::new(Shared {
            watched: Mutex::default(),
            changed: Condvar::new(),
            last_resort,
        });
        let shared = state.clone();
        std::thread::Builder::new()
            .name("interlock-fence".to_owned())
            .spawn(move || shared.watch())?;
        Ok(Self { state })
    }

    /// From now on this run is watched.
    pub(super) fn watch(&self, live: &Arc<Live>, at_work: Weak<AtWork>) {
        let mut watched = self.state.lock();
        let one = One {
            live: live.clone(),
            at_work,
            aborted_at: None,
        };
        watched.runs.insert(live.token(), one);
        if watched.idle {
            self.state.changed.notify_one();
        }
    }

    /// Its handler has come back.
    pub(super) fn forget(&self, token: RunToken) {
        self.state.lock().runs.remove(&token);
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        self.state.lock().over = true;
        self.state.changed.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self) {
        let mut watched = self.lock();
        // A worker that is dropped while something runs is no reason to stop looking.
        while !(watched.over && watched.runs.is_empty()) {
            if watched.runs.is_empty() {
                watched.idle = true;
                let woken = self.changed.wait(watched);
                watched = woken.unwrap_or_else(PoisonError::into_inner);
                watched.idle = false;
                continue;
            }
            let now = boot_ms();
            watched.runs.retain(|_, one| one.at_work.strong_count() > 0);
            for one in watched.runs.values_mut() {
                self.look(one, now);
            }
            drop(watched);
            std::thread::sleep(LOOK_EVERY);
            watched = self.lock();
        }
    }

    fn look(&self, one: &mut One, now: u64) {
        let lease = &one.live.lease;
        if now < lease.cancel_at() {
            return;
        }
        if one.live.why.get() != Some(&StopReason::Lost) && !one.live.stop.is_cancelled() {
            let (task, token) = (one.live.facts.task, one.live.token());
            warn!(task, %token, "the lease could not be renewed: the handler is told to stop");
        }
        one.live.cancel(StopReason::Lost);
        if now < lease.abort_at() {
            return;
        }
        let aborted_at = *one.aborted_at.get_or_insert(now);
        one.live.abort();
        let gone_by = match lease.exit_at() {
            exit_at if aborted_at < exit_at => exit_at,
            _ => aborted_at + GONE_WITHIN_MS,
        };
        if now >= gone_by && one.at_work.strong_count() > 0 {
            let (kind, task) = (&one.live.facts.kind, one.live.facts.task);
            let why = format!("the handler of task {task} ({kind}) does not stop");
            (self.last_resort)(&why);
        }
    }
}

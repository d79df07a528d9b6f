//! A run as everybody in the worker sees it: its handler, the loop, and the thread that fences it.

use super::budget::Budget;
use super::clock::boot_ms;
use super::lease::Lease;
use crate::client::Client;
use interlock_api::id::RunToken;
use interlock_api::progress::Progress;
use interlock_api::run::{HandOut, StopWhy, Units};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

/// Why a run was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// Somebody cancelled the task.
    Cancelled,
    /// It has run longer than its kind allows.
    TooLong,
    /// Its lease could not be renewed in time, or the server has given the task to another run:
    /// whatever it comes to counts no more.
    Lost,
    /// The worker stops at once.
    WorkerStops,
}

impl From<StopWhy> for StopReason {
    fn from(why: StopWhy) -> Self {
        match why {
            StopWhy::Cancelled => StopReason::Cancelled,
            StopWhy::TooLong => StopReason::TooLong,
        }
    }
}

/// What runs ask of the loop.
#[derive(Debug)]
pub(super) struct Wishes {
    pub(super) wake: Notify,
    /// A beat as soon as is decent.
    pub(super) soon: AtomicBool,
    /// A beat now.
    pub(super) now: AtomicBool,
}

impl Wishes {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            wake: Notify::new(),
            soon: AtomicBool::new(false),
            now: AtomicBool::new(false),
        })
    }

    pub(super) fn beat_soon(&self) {
        if !self.soon.swap(true, Ordering::AcqRel) {
            self.wake.notify_one();
        }
    }

    pub(super) fn beat_now(&self) {
        if !self.now.swap(true, Ordering::AcqRel) {
            self.wake.notify_one();
        }
    }
}

/// A budget, whose turn it is to spend from it, and news of it.
#[derive(Debug)]
pub(super) struct OwnBudget {
    pub(super) quota: String,
    pub(super) turn: tokio::sync::Mutex<()>,
    pub(super) news: Notify,
    budget: Mutex<Budget>,
}

impl OwnBudget {
    pub(super) fn lock(&self) -> MutexGuard<'_, Budget> {
        self.budget.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Units of a quota that go through the server: how many are wanted by all who wait, and who asks.
#[derive(Debug, Default)]
pub(super) struct Counter {
    pub(super) wanted: AtomicU64,
    /// Units granted and not yet given to anybody.
    pub(super) stock: tokio::sync::Mutex<u64>,
}

/// A run as everybody in the worker sees it.
pub(super) struct Live {
    pub(super) facts: HandOut,
    pub(super) session: u64,
    pub(super) client: Client,
    pub(super) lease: Lease,
    pub(super) stop: CancellationToken,
    pub(super) why: OnceLock<StopReason>,
    pub(super) handler: OnceLock<AbortHandle>,
    pub(super) budgets: Vec<OwnBudget>,
    pub(super) counters: Mutex<BTreeMap<String, Arc<Counter>>>,
    pub(super) wishes: Arc<Wishes>,
    news: Mutex<News>,
}

/// What the next beat tells.
#[derive(Debug, Default)]
pub(super) struct News {
    pub(super) progress: Option<Progress>,
    pub(super) dropped: Vec<Units>,
}

impl Live {
    pub(super) fn new(
        facts: HandOut,
        (client, session): (Client, u64),
        granted_from: u64,
        wishes: Arc<Wishes>,
    ) -> Self {
        let now = boot_ms();
        let budgets = facts.budgets.iter().map(|wire| OwnBudget {
            quota: wire.quota.clone(),
            turn: tokio::sync::Mutex::new(()),
            news: Notify::new(),
            budget: Mutex::new(Budget::new(wire, now)),
        });
        Self {
            budgets: budgets.collect(),
            lease: Lease::new(granted_from, facts.lease.ms()),
            facts,
            session,
            client,
            stop: CancellationToken::new(),
            why: OnceLock::new(),
            handler: OnceLock::new(),
            counters: Mutex::default(),
            wishes,
            news: Mutex::default(),
        }
    }

    pub(super) fn token(&self) -> RunToken {
        self.facts.token
    }

    /// Tells the handler to stop.
    pub(super) fn cancel(&self, why: StopReason) {
        let _first = self.why.set(why);
        self.stop.cancel();
    }

    /// Drops the handler where it waits next.
    pub(super) fn abort(&self) {
        if let Some(handler) = self.handler.get() {
            handler.abort();
        }
    }

    /// Whether its result counts no more, by its own clock.
    pub(super) fn is_lost(&self) -> bool {
        matches!(
            self.why.get(),
            Some(StopReason::Lost | StopReason::WorkerStops)
        ) || self.lease.is_over(boot_ms())
    }

    pub(super) fn news(&self) -> MutexGuard<'_, News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the last report of its budgets says.
    pub(super) fn last_use(&self) -> Vec<Units> {
        let each = self.budgets.iter().map(|own| Units {
            quota: own.quota.clone(),
            units: own.lock().last_report(),
        });
        each.filter(|used| used.units > 0).collect()
    }
}

/// Somebody is at work on the run: its handler, or a thread that has a clone of its [`super::Run`].
#[derive(Debug)]
pub(super) struct AtWork;

//! Spending inside a run: from its own budget where it has one, else through the server; and pauses.

use super::budget::Spent;
use super::clock::boot_ms;
use super::error::Error;
use super::live::{Counter, Live, OwnBudget};
use super::run::Run;
use interlock_api::quota::PauseQuota;
use interlock_api::run::{Spend, Spending, Units};
use interlock_api::{Code, Span};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// How often a budget that is used up is looked at again: more may have come without a word.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// The longest wait before the server is asked again.
const ASK_AGAIN_MAX: Duration = Duration::from_secs(5);

/// Units of a quota. Keep it while the call that they are for is under way: they count until one
/// window after it is dropped.
#[derive(Debug)]
#[must_use = "keep the permit until the call that it is for has come back"]
pub struct Permit {
    live: Arc<LiveRef>,
    quota: String,
    /// Units of the run's own budget that are held; or units of the server's.
    units: u64,
    /// Units of its own budget that had to be reported early.
    early: u64,
}

struct LiveRef(Arc<Live>);

impl std::fmt::Debug for LiveRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.token())
    }
}

impl Run {
    /// Takes units of a quota, and waits for as long as its limits demand.
    ///
    /// A quota per resource, of a resource that the run alone holds, is counted here in the worker,
    /// with what others used just before; every other goes through the server. It fails if the run
    /// is told to stop meanwhile, or if the limits never allow so many units at once.
    pub async fn spend(&self, quota: &str, units: u64) -> Result<Permit, Error> {
        let own = self.live.budgets.iter().find(|own| own.quota == quota);
        let spent = async {
            match own {
                Some(own) => self.spend_own(own, units).await,
                None => self.spend_shared(quota, units).await,
            }
        };
        tokio::select! {
            biased;
            _ = self.cancelled() => Err(Error::stopped()),
            permit = spent => permit,
        }
    }

    /// Whoever is outside has said "too many requests, come back later": nobody spends the quota for
    /// so long, in no run.
    pub async fn pause_quota(&self, quota: &str, length: Duration) -> Result<(), crate::Error> {
        let length_ms = u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
        let own = self.live.budgets.iter().find(|own| own.quota == quota);
        if let Some(own) = own {
            own.lock().pause(boot_ms(), length_ms);
        }
        // Which of its resources the quota counts by, if any, the server knows.
        let resources = self.resources().iter().map(|claim| claim.resource.clone());
        let mut scopes: Vec<Option<String>> = resources.map(Some).collect();
        match own {
            Some(_) => scopes.push(None),
            None => scopes.insert(0, None),
        }
        let mut refused = None;
        for resource in scopes {
            let length = Span::from_ms(length_ms);
            let pause = PauseQuota { length, resource };
            match self.live.client.quotas().pause(quota, &pause).await {
                Err(error) if error.code() == Some(Code::BadValue) => refused = Some(error),
                answer => return answer.map(|_| ()),
            }
        }
        match refused {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    async fn spend_own(&self, own: &OwnBudget, units: u64) -> Result<Permit, Error> {
        let mut permit = Permit {
            live: Arc::new(LiveRef(self.live.clone())),
            quota: own.quota.clone(),
            units: 0,
            early: 0,
        };
        let _turn = own.turn.lock().await;
        loop {
            let news = own.news.notified();
            tokio::pin!(news);
            news.as_mut().enable();
            let missing = units - permit.units - permit.early;
            let now = boot_ms();
            let spent = own.lock().try_spend(now, missing);
            match spent {
                Spent::Yes => {
                    permit.units += missing;
                    return Ok(permit);
                }
                Spent::Never => return Err(never_enough(&own.quota, units)),
                Spent::At(at) => {
                    tokio::select! {
                        () = tokio::time::sleep(Duration::from_millis(at - now)) => {}
                        () = news => {}
                    }
                }
                Spent::Held => news.await,
                Spent::NeedsMore => {
                    permit.take_part(own, missing);
                    self.live.wishes.beat_now();
                    tokio::select! {
                        () = tokio::time::sleep(LOOK_AGAIN) => {}
                        () = news => {}
                    }
                }
            }
        }
    }

    async fn spend_shared(&self, quota: &str, units: u64) -> Result<Permit, Error> {
        let counter = {
            let counters = self.live.counters.lock();
            let mut counters = counters.unwrap_or_else(PoisonError::into_inner);
            counters.entry(quota.to_owned()).or_default().clone()
        };
        let _wanted = Wanted::new(&counter, units);
        let mut stock = counter.stock.lock().await;
        while *stock < units {
            *stock += self.ask_for(quota, &counter, units - *stock).await?;
        }
        *stock -= units;
        Ok(Permit {
            live: Arc::new(LiveRef(self.live.clone())),
            quota: quota.to_owned(),
            units,
            early: 0,
        })
    }

    /// Asks for what all who wait want, or for what this one misses if that is too much. Returns how
    /// many units were granted.
    async fn ask_for(&self, quota: &str, counter: &Counter, missing: u64) -> Result<u64, Error> {
        let all = counter.wanted.load(Ordering::Acquire).max(missing);
        for units in [all, missing] {
            match self.ask_once(quota, units).await {
                Ok(Spending { granted: true, .. }) => return Ok(units),
                Ok(_) if units > missing => {}
                Ok(Spending { wait, .. }) => {
                    let wait = wait.map_or(LOOK_AGAIN, |span| Duration::from_millis(span.ms()));
                    tokio::time::sleep(wait.clamp(Duration::from_millis(1), ASK_AGAIN_MAX)).await;
                    return Ok(0);
                }
                Err(error) if error.code() == Some(Code::NeverEnough) => {
                    if units <= missing {
                        return Err(never_enough(quota, units));
                    }
                }
                // Should the units have been granted all the same, they are given back with the run.
                Err(error) if error.is_retryable() => {
                    tokio::time::sleep(LOOK_AGAIN / 4).await;
                    return Ok(0);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(0)
    }

    async fn ask_once(&self, quota: &str, units: u64) -> Result<Spending, crate::Error> {
        let spend = Spend {
            session: self.live.session,
            token: self.token(),
            quota: quota.to_owned(),
            units,
        };
        self.live.client.work().spend(&spend).await
    }
}

impl Permit {
    /// How many units they are.
    pub fn units(&self) -> u64 {
        self.units + self.early
    }

    /// Takes what the slice has. What was taken before is reported, so that there will be more.
    fn take_part(&mut self, own: &OwnBudget, missing: u64) {
        let mut budget = own.lock();
        let part = budget.room().min(missing);
        if part > 0 && budget.try_spend(boot_ms(), part) == Spent::Yes {
            self.units += part;
        }
        if self.units > 0 {
            budget.give_back(boot_ms(), self.units);
            self.early += std::mem::take(&mut self.units);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let live = &self.live.0;
        match live.budgets.iter().find(|own| own.quota == self.quota) {
            Some(own) => {
                let now = boot_ms();
                let mut budget = own.lock();
                budget.give_back(now, self.units);
                budget.count_again(now, self.early);
                drop(budget);
                own.news.notify_waiters();
            }
            None if self.units > 0 => {
                let quota = self.quota.clone();
                let units = self.units;
                live.news().dropped.push(Units { quota, units });
                live.wishes.beat_soon();
            }
            None => {}
        }
    }
}

/// Units that somebody waits for, for as long as it does.
struct Wanted<'a>(&'a AtomicU64, u64);

impl<'a> Wanted<'a> {
    fn new(counter: &'a Counter, units: u64) -> Self {
        counter.wanted.fetch_add(units, Ordering::AcqRel);
        Self(&counter.wanted, units)
    }
}

impl Drop for Wanted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Ordering::AcqRel);
    }
}

fn never_enough(quota: &str, units: u64) -> Error {
    Error::give_up(format!("the quota {quota} never allows {units} units"))
}

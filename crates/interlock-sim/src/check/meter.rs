//! The observer's own account of quotas: what was charged, granted, reported and lost, and when.

use crate::oracle::{Ledger, RunRow, Step};
use interlock_core::Event;
use interlock_core::event::{InstanceName, RunEnd};
use interlock_core::words::{Elapsed, Limit};
use std::collections::{BTreeMap, VecDeque};

/// Nothing older than this matters to any window of the simulator.
const FORGET_MS: u64 = 200_000;

/// An account of every count of every quota.
#[derive(Default)]
pub struct Meter {
    accounts: BTreeMap<InstanceName, Account>,
}

/// What one count has seen.
#[derive(Default)]
pub struct Account {
    /// Units that occupy their windows from then.
    used: VecDeque<(Elapsed, u64)>,
    /// Units of permits that were not given back.
    pub permits: u64,
    /// Units that live runs took with their start.
    pub held: u64,
}

impl Account {
    /// Units in a window that ends now and is that long.
    pub fn in_window(&self, now: Elapsed, per_ms: u64) -> u64 {
        let recent = self
            .used
            .iter()
            .rev()
            .take_while(|(at, _)| now.since(*at) < per_ms);
        recent.map(|(_, units)| units).sum::<u64>() + self.permits
    }

    fn add(&mut self, now: Elapsed, units: u64) {
        if units > 0 {
            self.used.push_back((now, units));
        }
        while self
            .used
            .front()
            .is_some_and(|(at, _)| now.since(*at) > FORGET_MS)
        {
            self.used.pop_front();
        }
    }

    /// Whether `units` more would break a limit now.
    pub fn breaks(&self, limit: Limit, now: Elapsed, units: u64) -> bool {
        match limit {
            Limit::Window {
                units: most,
                per_ms,
            } => self.in_window(now, per_ms) + units > most,
            Limit::AtOnce(most) => self.held + self.permits + units > most,
        }
    }
}

impl Meter {
    /// One count.
    pub fn account(&mut self, instance: &InstanceName) -> &mut Account {
        if !self.accounts.contains_key(instance) {
            self.accounts.insert(instance.clone(), Account::default());
        }
        self.accounts
            .get_mut(instance)
            .expect("it was just put there")
    }

    /// Takes in an event, before the ledger folds it.
    pub fn event(&mut self, ledger: &Ledger, step: &Step, event: &Event) {
        let now = step.at.elapsed;
        match event {
            Event::Started(started) => {
                for (instance, units) in &started.charges {
                    let account = self.account(instance);
                    account.add(now, u64::from(*units));
                    account.held += u64::from(*units);
                }
            }
            Event::BudgetUsed {
                token, quota, used, ..
            } => {
                let run = ledger.run(*token);
                let name = run.and_then(|run| run.slices.keys().find(|name| name.quota == *quota));
                if let Some(instance) = name {
                    self.account(instance).add(now, *used);
                }
            }
            Event::PermitGranted {
                instance, units, ..
            } => self.account(instance).permits += units,
            Event::PermitDropped {
                instance, units, ..
            } => {
                let account = self.account(instance);
                account.permits = account.permits.saturating_sub(*units);
                account.add(now, *units);
            }
            Event::RunEnded(ended) => {
                if let Some(run) = ledger.run(ended.token) {
                    self.run_ended(run, &ended.how, now);
                }
            }
            _ => {}
        }
    }

    fn run_ended(&mut self, run: &RunRow, how: &RunEnd, now: Elapsed) {
        for (instance, units) in &run.charges {
            let account = self.account(instance);
            account.held = account.held.saturating_sub(u64::from(*units));
        }
        for (instance, units) in &run.permits {
            let account = self.account(instance);
            account.permits = account.permits.saturating_sub(*units);
            account.add(now, *units);
        }
        if matches!(how, RunEnd::Lost | RunEnd::Stopped { lost: true, .. }) {
            for (instance, units) in &run.slices {
                self.account(instance).add(now, *units);
            }
        }
    }
}

//! The checkers. Each one watches one promise, knows only what an outside observer can know, and has
//! a test that shows it can fail.

mod acting;
mod admission;
mod barriers;
mod cancels;
mod children;
mod coalescing;
mod dependencies;
mod durability;
mod endings;
mod exclusion;
mod explain;
mod fencing;
mod gates;
mod groups;
mod history;
mod idempotency;
mod lifecycle;
mod losses;
mod meter;
mod order;
mod payloads;
mod places;
mod progress;
mod quotas;
mod recovery;
mod retries;
mod satisfaction;
mod schedules;
pub mod selfcheck;
mod spending;
mod staffing;
mod stages;
mod stall;
mod stops;
mod takes;
mod throttle;

#[cfg(test)]
pub mod fixture;

use crate::oracle::{Deed, Findings, Kept, Ledger, Step};
use interlock_core::{Core, Event};

/// Watches one promise.
pub trait Checker {
    /// The name that violations are reported under.
    fn name(&self) -> &'static str;

    /// Sees an event before the ledger folds it.
    fn event(&mut self, _: &Ledger, _: &Step, _position: u64, _: &Event, _: &mut Findings) {}

    /// Sees a decision after the ledger folded all of it.
    fn step(&mut self, _: &Ledger, _: &Step, _: &mut Findings) {}

    /// Sees what a worker really did.
    fn deed(&mut self, _: &Ledger, _time: u64, _: &Deed, _: &mut Findings) {}

    /// Compares what the core shows with the ledger, now and then.
    fn scan(&mut self, _: &Ledger, _: &Core, _draw: u64, _: &mut Findings) {}

    /// Sees a core that was recovered from the log, and the one before it if it was at a commit point.
    fn recovered(&mut self, _: &Ledger, _: &Core, _before: Option<&Core>, _: &mut Findings) {}

    /// Sees the tasks that a checkpoint keeps, and those that ended since its cut.
    fn checkpointed(&mut self, _: &Ledger, _: &Kept, _: &mut Findings) {}
}

/// All checkers.
pub fn all() -> Vec<Box<dyn Checker>> {
    vec![
        Box::new(exclusion::Exclusion),
        Box::new(acting::Acting::default()),
        Box::new(durability::Durability),
        Box::new(satisfaction::Satisfaction),
        Box::new(endings::Endings),
        Box::new(gates::Gates),
        Box::new(order::Order::default()),
        Box::new(progress::Progress),
        Box::new(stages::Stages),
        Box::new(stall::Stall),
        Box::new(explain::Explain),
        Box::new(fencing::Fencing::default()),
        Box::new(quotas::Quotas::default()),
        Box::new(spending::Spending::default()),
        Box::new(throttle::Throttle::default()),
        Box::new(coalescing::Coalescing::default()),
        Box::new(payloads::Payloads),
        Box::new(barriers::Barriers),
        Box::new(lifecycle::Lifecycle::default()),
        Box::new(admission::Admission),
        Box::new(retries::Retries::default()),
        Box::new(losses::Losses),
        Box::new(stops::Stops),
        Box::new(cancels::Cancels::default()),
        Box::new(schedules::Schedules::default()),
        Box::new(groups::Groups),
        Box::new(dependencies::Dependencies),
        Box::new(children::Children),
        Box::new(idempotency::Idempotency::default()),
        Box::new(takes::Takes::default()),
        Box::new(staffing::Staffing),
        Box::new(places::Places),
        Box::new(recovery::Recovery),
        Box::new(history::History::default()),
        Box::new(selfcheck::SelfCheck),
    ]
}

//! The queues of quotas: the first in the queue is served first, and nobody waits for units that are free.

use super::Checker;
use super::meter::Meter;
use crate::oracle::{Findings, Ledger, Step, TaskRow};
use interlock_core::Event;
use interlock_core::event::{InstanceName, Started};
use interlock_core::limits::QUOTA_BUCKETS;
use interlock_core::words::Limit;

/// Looks at the heads of all queues after every so many decisions.
const EVERY: u64 = 8;

/// Watches who waits for units.
#[derive(Default)]
pub struct Throttle {
    meter: Meter,
}

impl Checker for Throttle {
    fn name(&self) -> &'static str {
        "throttle"
    }

    fn event(&mut self, ledger: &Ledger, step: &Step, _: u64, event: &Event, found: &mut Findings) {
        if let Event::Started(started) = event {
            first_come(ledger, started, found);
        }
        self.meter.event(ledger, step, event);
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        if step.more || !ledger.is_settled() || !step.number.is_multiple_of(EVERY) {
            return;
        }
        for queue in ledger.queues.values() {
            let Some(task) = queue.values().next().and_then(|id| ledger.tasks.get(id)) else {
                continue;
            };
            let short = ledger
                .costs(task)
                .iter()
                .any(|(instance, units)| self.is_short(ledger, step, task, instance, *units));
            found.expect(short, || {
                format!(
                    "task {} is throttled at {:?} though units are free",
                    task.id, step.at.elapsed
                )
            });
        }
    }
}

/// Whoever takes units without having them set aside is ahead of all who wait for them.
fn first_come(ledger: &Ledger, started: &Started, found: &mut Findings) {
    let Some(task) = ledger
        .tasks
        .get(&started.task)
        .filter(|task| !task.set_aside)
    else {
        return;
    };
    for (instance, _) in started.charges.iter().filter(|(_, units)| *units > 0) {
        let first = ledger
            .queues
            .get(instance)
            .and_then(|queue| queue.iter().next());
        if let Some((order, id)) = first {
            found.expect(*order > task.order(), || {
                format!("task {} takes units that task {id} waits for", task.id)
            });
        }
    }
}

impl Throttle {
    /// Whether units are lacking, with every doubt in favour of the core: buckets are rounded against
    /// the spender, and what a live run may spend by itself counts as spent.
    fn is_short(
        &mut self,
        ledger: &Ledger,
        step: &Step,
        task: &TaskRow,
        instance: &InstanceName,
        units: u64,
    ) -> bool {
        let now = step.at.elapsed;
        if units == 0 {
            return false;
        }
        if ledger
            .pauses
            .get(instance)
            .is_some_and(|until| *until > now)
        {
            return true;
        }
        let Some(quota) = ledger.quotas.get(&instance.quota) else {
            return true;
        };
        let promised = promised(ledger, task, instance);
        let account = self.meter.account(instance);
        quota.limits.iter().any(|limit| {
            let limit = match *limit {
                Limit::Window { units, per_ms } => Limit::Window {
                    units,
                    per_ms: per_ms + 2 * per_ms.div_ceil(QUOTA_BUCKETS) + 2,
                },
                at_once @ Limit::AtOnce(_) => at_once,
            };
            account.breaks(limit, now, units + promised)
        })
    }
}

/// Units that are set aside for other tasks, or in the hands of live runs.
fn promised(ledger: &Ledger, task: &TaskRow, instance: &InstanceName) -> u64 {
    let aside = ledger
        .tasks
        .values()
        .filter(|other| other.set_aside && other.id != task.id);
    let aside: u64 = aside
        .flat_map(|other| &other.aside)
        .filter(|(name, _)| name == instance)
        .map(|(_, units)| u64::from(*units))
        .sum();
    let slices: u64 = ledger
        .deadlines
        .iter()
        .filter_map(|(_, token)| ledger.runs[token].slices.get(instance))
        .sum();
    aside + slices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use crate::scenery::name;
    use interlock_core::event::Stage;
    use interlock_core::words::{Quota, QuotaId, QuotaUse, Scope, SessionId, TaskId};
    use std::sync::Arc;

    fn instance() -> InstanceName {
        InstanceName {
            quota: QuotaId(0),
            resource: None,
        }
    }

    fn story() -> Story {
        let mut story = Story::with_kind(Throttle::default(), |kind| {
            kind.quotas = vec![QuotaUse {
                quota: name("slots"),
                cost: 1,
            }];
        });
        story.events(vec![Event::QuotaSet {
            id: QuotaId(0),
            quota: Arc::new(Quota {
                name: name("slots"),
                scope: Scope::Namespace,
                limits: vec![Limit::AtOnce(1)],
            }),
        }]);
        story.admit_with(1, &[], |task| {
            task.to = Stage::Throttled {
                instance: instance(),
            };
        });
        story
    }

    #[test]
    fn nobody_waits_for_units_that_are_free() {
        let mut story = story();
        for _ in 0..EVERY {
            story.events(Vec::new());
        }
        story.caught("units are free");
    }

    #[test]
    fn nobody_takes_units_past_the_first_in_the_queue() {
        let mut story = story();
        story.admit(2, &[]);
        story.events(vec![Event::Started(Box::new(Started {
            task: TaskId(2),
            session: SessionId(2),
            take: 1,
            lease_ms: 15_000,
            charges: [(instance(), 1)].into(),
            budgets: Default::default(),
        }))]);
        story.caught("task 1 waits for");
    }
}

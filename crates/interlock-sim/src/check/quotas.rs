//! Quotas on the server's clock: nothing is granted beyond any limit, nothing while a quota pauses, and
//! every start is charged what its kind says.

use super::Checker;
use super::meter::Meter;
use crate::oracle::{Findings, Ledger, Step, TaskRow};
use interlock_core::event::{InstanceName, Started};
use interlock_core::words::{Elapsed, Limit, Quota, QuotaId};
use interlock_core::{Command, Event, Reply};
use std::collections::BTreeMap;

/// Watches what the server grants.
#[derive(Default)]
pub struct Quotas {
    meter: Meter,
    /// Windows that are new, and when they began: of what was before them nothing is known.
    begun: BTreeMap<(QuotaId, u64), Elapsed>,
}

impl Checker for Quotas {
    fn name(&self) -> &'static str {
        "quotas"
    }

    fn event(&mut self, ledger: &Ledger, step: &Step, _: u64, event: &Event, found: &mut Findings) {
        match event {
            Event::Started(started) => {
                for (instance, units) in &started.charges {
                    self.grant(ledger, step, instance, u64::from(*units), true, found);
                }
                if let Some(task) = ledger.tasks.get(&started.task) {
                    charged(ledger, task, started, found);
                }
            }
            Event::QuotaSet { id, quota } => self.defined(ledger, step, *id, quota),
            Event::PermitGranted {
                instance, units, ..
            } => self.grant(ledger, step, instance, *units, false, found),
            _ => {}
        }
        self.meter.event(ledger, step, event);
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        let Some(Command::PauseQuota {
            quota,
            resource,
            for_ms,
        }) = &step.command
        else {
            return;
        };
        let Some((id, _)) = ledger
            .quota_named(quota)
            .filter(|_| step.reply == Reply::Done)
        else {
            return;
        };
        let instance = InstanceName {
            quota: id,
            resource: resource.clone(),
        };
        let until = ledger.pauses.get(&instance).copied().unwrap_or_default();
        let asked = step.at.elapsed.plus(*for_ms);
        let heard = if *for_ms == 0 {
            until <= asked
        } else {
            until >= asked
        };
        found.expect(heard, || {
            format!("{instance:?} was paused until {asked:?}, but is until {until:?}")
        });
    }
}

impl Quotas {
    fn defined(&mut self, ledger: &Ledger, step: &Step, id: QuotaId, quota: &Quota) {
        let Some(old) = ledger.quotas.get(&id) else {
            return;
        };
        let spans = |quota: &Quota| -> Vec<u64> { quota.limits.iter().filter_map(span).collect() };
        let before = spans(old);
        for per_ms in spans(quota)
            .into_iter()
            .filter(|per_ms| !before.contains(per_ms))
        {
            self.begun.insert((id, per_ms), step.at.elapsed);
        }
    }

    fn grant(
        &mut self,
        ledger: &Ledger,
        step: &Step,
        instance: &InstanceName,
        units: u64,
        starts: bool,
        found: &mut Findings,
    ) {
        let now = step.at.elapsed;
        let Some(quota) = ledger.quotas.get(&instance.quota).filter(|_| units > 0) else {
            return;
        };
        let account = self.meter.account(instance);
        let begun = &self.begun;
        let binds = |limit: &&Limit| match limit {
            Limit::AtOnce(_) => starts,
            Limit::Window { per_ms, .. } => begun
                .get(&(instance.quota, *per_ms))
                .is_none_or(|since| now.since(*since) >= *per_ms),
        };
        for limit in quota.limits.iter().filter(binds) {
            found.expect(!account.breaks(*limit, now, units), || {
                format!("{units} more of {instance:?} break {limit:?} at {now:?}")
            });
        }
        let paused = ledger
            .pauses
            .get(instance)
            .is_some_and(|until| *until > now);
        found.expect(!paused, || {
            format!("{units} of {instance:?} were granted in a pause")
        });
    }
}

fn span(limit: &Limit) -> Option<u64> {
    match limit {
        Limit::Window { per_ms, .. } => Some(*per_ms),
        Limit::AtOnce(_) => None,
    }
}

fn charged(ledger: &Ledger, task: &TaskRow, started: &Started, found: &mut Findings) {
    for (instance, cost) in ledger.costs(task) {
        let charge = started.charges.iter().find(|(name, _)| *name == instance);
        let units = charge.map_or(0, |(_, units)| u64::from(*units));
        found.expect(units == cost, || {
            format!(
                "task {} starts with {units} of {instance:?}, its kind says {cost}",
                task.id
            )
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use crate::scenery::name;
    use interlock_core::words::{QuotaUse, Scope, SessionId, TaskId};
    use std::sync::Arc;

    fn story(limit: Limit) -> Story {
        let mut story = Story::with_kind(Quotas::default(), |kind| {
            kind.quotas = vec![QuotaUse {
                quota: name("calls"),
                cost: 2,
            }];
        });
        let quota = Quota {
            name: name("calls"),
            scope: Scope::Namespace,
            limits: vec![limit],
        };
        story.events(vec![Event::QuotaSet {
            id: QuotaId(0),
            quota: Arc::new(quota),
        }]);
        story
    }

    fn start(story: &mut Story, id: u64, units: u32) {
        let instance = InstanceName {
            quota: QuotaId(0),
            resource: None,
        };
        story.admit(id, &[]);
        story.events(vec![Event::Started(Box::new(Started {
            task: TaskId(id),
            session: SessionId(2),
            take: 1,
            lease_ms: 15_000,
            charges: [(instance, units)].into(),
            budgets: Default::default(),
        }))]);
    }

    #[test]
    fn a_window_is_never_overfilled() {
        let mut story = story(Limit::Window {
            units: 4,
            per_ms: 1_000,
        });
        start(&mut story, 1, 2);
        start(&mut story, 2, 2);
        story.fine().at(1_999);
        start(&mut story, 3, 2);
        story.caught("break Window");
    }

    #[test]
    fn at_once_means_at_once() {
        let mut story = story(Limit::AtOnce(3));
        start(&mut story, 1, 2);
        story.fine().at(900_000);
        start(&mut story, 2, 2);
        story.caught("break AtOnce");
    }

    #[test]
    fn a_start_costs_what_the_kind_says() {
        let mut story = story(Limit::AtOnce(3));
        start(&mut story, 1, 1);
        story.caught("its kind says 2");
    }

    #[test]
    fn a_pause_that_was_asked_for_is_in_the_log() {
        let mut story = story(Limit::AtOnce(3));
        let pause = Command::PauseQuota {
            quota: name("calls"),
            resource: None,
            for_ms: 500,
        };
        story.decide(pause, Reply::Done, Vec::new());
        story.caught("was paused until");
    }

    #[test]
    fn a_pause_is_for_everyone() {
        let mut story = story(Limit::AtOnce(3));
        story.events(vec![Event::QuotaPaused {
            instance: InstanceName {
                quota: QuotaId(0),
                resource: None,
            },
            until: Elapsed(5_000),
        }]);
        start(&mut story, 1, 2);
        story.caught("in a pause");
    }
}

//! Quotas as the world outside sees them: what workers really used, in every sliding window of the
//! world's own time, whoever granted it and whichever worker spent it.

use super::Checker;
use crate::oracle::{Deed, Findings, Ledger, Step};
use interlock_core::Event;
use interlock_core::words::{Limit, Name, Quota, ResourceName};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// A limit that was in force within this time may still be the one a run keeps to.
const OLD_LIMITS_MS: u64 = 300_000;

/// One count of a quota: its name, and the resource if it is per resource.
type Count = (Name, Option<ResourceName>);

/// Watches what is really used.
#[derive(Default)]
pub struct Spending {
    /// When, and how many units.
    used: BTreeMap<Count, VecDeque<(u64, u64)>>,
    defined: BTreeMap<Name, Vec<(u64, Arc<Quota>)>>,
}

impl Checker for Spending {
    fn name(&self) -> &'static str {
        "spending"
    }

    fn event(&mut self, ledger: &Ledger, step: &Step, _: u64, event: &Event, found: &mut Findings) {
        match event {
            Event::QuotaSet { quota, .. } => {
                let defined = self.defined.entry(quota.name.clone()).or_default();
                if let Some(last) = defined.last_mut() {
                    last.0 = step.time;
                }
                defined.push((u64::MAX, quota.clone()));
            }
            Event::Started(started) => {
                for (instance, units) in &started.charges {
                    if let Some(quota) = ledger.quotas.get(&instance.quota) {
                        let (name, units) = (quota.name.clone(), u64::from(*units));
                        self.use_up(step.time, name, instance.resource.clone(), units, found);
                    }
                }
            }
            _ => {}
        }
    }

    fn deed(&mut self, _: &Ledger, time: u64, deed: &Deed, found: &mut Findings) {
        if let Deed::Spends {
            quota,
            resource,
            units,
            ..
        } = deed
        {
            self.use_up(time, quota.clone(), resource.clone(), *units, found);
        }
    }
}

impl Spending {
    fn use_up(
        &mut self,
        time: u64,
        quota: Name,
        resource: Option<ResourceName>,
        units: u64,
        found: &mut Findings,
    ) {
        if units == 0 {
            return;
        }
        let limits = self.windows(time, &quota);
        let used = self
            .used
            .entry((quota.clone(), resource.clone()))
            .or_default();
        used.push_back((time, units));
        while used
            .front()
            .is_some_and(|(at, _)| time - at > OLD_LIMITS_MS)
        {
            used.pop_front();
        }
        for (most, per_ms) in limits {
            let recent = used.iter().rev().take_while(|(at, _)| time - at < per_ms);
            let sum: u64 = recent.map(|(_, units)| units).sum();
            found.expect(sum <= most, || {
                format!("{sum} units of {quota} {resource:?} were used within {per_ms} ms, {most} are allowed")
            });
        }
    }

    /// Windows in force, each with the most generous number of units it had lately. One that was not
    /// there all the time binds nobody yet.
    fn windows(&self, time: u64, quota: &Name) -> Vec<(u64, u64)> {
        let Some(defined) = self.defined.get(quota) else {
            return Vec::new();
        };
        let lately: Vec<&Arc<Quota>> = defined
            .iter()
            .filter(|(until, _)| until.saturating_add(OLD_LIMITS_MS) > time)
            .map(|(_, quota)| quota)
            .collect();
        let Some(current) = lately.last() else {
            return Vec::new();
        };
        let spans = current.limits.iter().filter_map(span);
        spans
            .filter_map(|per_ms| {
                let units = lately.iter().map(|quota| units_of(quota, per_ms));
                let most = units.collect::<Option<Vec<u64>>>()?.into_iter().max()?;
                Some((most, per_ms))
            })
            .collect()
    }
}

fn span(limit: &Limit) -> Option<u64> {
    match limit {
        Limit::Window { per_ms, .. } => Some(*per_ms),
        Limit::AtOnce(_) => None,
    }
}

fn units_of(quota: &Quota, per: u64) -> Option<u64> {
    quota.limits.iter().find_map(|limit| match limit {
        Limit::Window { units, per_ms } if *per_ms == per => Some(*units),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use crate::scenery::{name, resource};
    use interlock_core::words::{QuotaId, Scope};

    #[test]
    fn a_shop_that_moves_to_another_worker_keeps_within_its_second() {
        let mut story = Story::new(Spending::default());
        story.events(vec![Event::QuotaSet {
            id: QuotaId(0),
            quota: Arc::new(Quota {
                name: name("calls"),
                scope: Scope::Per(name("shop")),
                limits: vec![Limit::Window {
                    units: 3,
                    per_ms: 1_000,
                }],
            }),
        }]);
        let spends = |shop: &str, units| Deed::Spends {
            quota: name("calls"),
            resource: Some(resource(shop)),
            units,
        };
        story
            .at(5_000)
            .deed(spends("shop:1", 3))
            .deed(spends("shop:2", 3));
        story.at(6_000).deed(spends("shop:1", 2)).fine();
        story.at(6_500).deed(spends("shop:1", 2));
        story.caught("4 units");
    }
}

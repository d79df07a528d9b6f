//! The scenery of a world: kinds, quotas, resources and who handles what. Drawn once per seed.

mod kinds;
mod quotas;

use crate::feature::{Feature, Features};
use crate::rng::Rng;
use interlock_core::words::{Kind, Name, Namespace, Quota, ResourceName, Scope};

pub use kinds::draw_policy;
pub use quotas::draw_limits;

/// The type of resource that quotas are counted over.
pub const METERED_TYPE: &str = "shop";

/// A checked name; every name in the simulator is a good one.
pub fn name(text: &str) -> Name {
    Name::new(text).expect("the simulator's names are good")
}

/// A checked resource name.
pub fn resource(text: &str) -> ResourceName {
    ResourceName::new(text).expect("the simulator's resources are good")
}

/// What a world is made of.
pub struct Scenery {
    /// Settings.
    pub namespace: Namespace,
    /// Kinds, as first set.
    pub kinds: Vec<Kind>,
    /// Quotas, as first set.
    pub quotas: Vec<Quota>,
    /// Resources that are not metered.
    pub resources: Vec<ResourceName>,
    /// Resources that quotas are counted over.
    pub shops: Vec<ResourceName>,
    /// Workers.
    pub workers: Vec<WorkerPlan>,
    /// Mean time between submissions.
    pub submit_every_ms: u64,
    /// How long a run works at most, as a rule.
    pub work_ms: u64,
    /// Percent of runs that fail.
    pub fail_percent: u64,
}

/// A worker as it is meant to be.
#[derive(Clone)]
pub struct WorkerPlan {
    /// Its name.
    pub name: Name,
    /// What it handles.
    pub kinds: Vec<Name>,
    /// How much it does at once.
    pub capacity: usize,
}

impl Scenery {
    /// The scenery of a seed.
    pub fn draw(rng: &mut Rng, features: Features) -> Self {
        let quotas = if features.has(Feature::Quotas) {
            quotas::draw(rng)
        } else {
            Vec::new()
        };
        let kinds = kinds::draw(rng, features, &quotas);
        let workers = draw_workers(rng, features, &kinds);
        Self {
            namespace: draw_namespace(rng, features),
            kinds,
            quotas,
            resources: names_of(rng.range(2, 5), "repo"),
            shops: names_of(rng.range(1, 3), METERED_TYPE),
            workers,
            submit_every_ms: *rng.pick(&[40, 80, 120, 250]),
            work_ms: *rng.pick(&[100, 300, 800, 2_000]),
            fail_percent: *rng.pick(&[5, 20, 50]),
        }
    }

    /// The quota of this name.
    pub fn quota(&self, name: &Name) -> Option<&Quota> {
        self.quotas.iter().find(|quota| &quota.name == name)
    }

    /// Whether the quota is counted per resource.
    pub fn is_per_resource(&self, name: &Name) -> bool {
        self.quota(name)
            .is_some_and(|quota| matches!(quota.scope, Scope::Per(_)))
    }

    /// Whether tasks of a kind of this name must claim exactly one shop.
    pub fn is_metered(&self, kind: &Name) -> bool {
        self.kinds
            .iter()
            .filter(|known| &known.name == kind)
            .flat_map(|known| &known.quotas)
            .any(|used| self.is_per_resource(&used.quota))
    }
}

fn draw_namespace(rng: &mut Rng, features: Features) -> Namespace {
    let mut namespace = Namespace {
        step_ms: *rng.pick(&[500, 2_000, 10_000, 3_600_000]),
        ..Namespace::default()
    };
    if features.has(Feature::Caps) {
        namespace.waiting_max = rng.range(20, 120);
        namespace.waiting_per_resource_max = rng.range(10, 60);
    }
    namespace
}

fn names_of(count: u64, kind: &str) -> Vec<ResourceName> {
    (1..=count)
        .map(|n| resource(&format!("{kind}:{n}")))
        .collect()
}

fn draw_workers(rng: &mut Rng, features: Features, kinds: &[Kind]) -> Vec<WorkerPlan> {
    let count = rng.range(2, 5);
    (0..count)
        .map(|index| {
            let everything = index == 0 && !features.has(Feature::Unstaffed);
            let mut handled: Vec<Name> = kinds
                .iter()
                .filter(|_| everything || rng.percent(60))
                .map(|kind| kind.name.clone())
                .collect();
            if handled.is_empty() {
                handled.push(kinds[0].name.clone());
            }
            WorkerPlan {
                name: name(&format!("w{index}")),
                kinds: handled,
                capacity: rng.range(1, 4) as usize,
            }
        })
        .collect()
}

//! The core against a model of quotas: start costs, windows and `at_once`, for the namespace and per
//! shop, several at once; order in the queues, units set aside, changed limits and pauses.
//!
//! Time goes in steps of ten seconds and no window ends near such a step or half of it, so that the
//! rounding of its buckets can't be seen; how a window rounds is judged in `window`.

mod model;
mod world;

use crate::check;
use interlock_core::words::{Limit, Op};
use proptest::prelude::*;
use world::World;

/// Shops of a world.
const SHOPS: usize = 2;
/// The grid of time.
const STEP_MS: u64 = 10_000;

/// Quotas, and what a start of each kind costs of them.
#[derive(Clone, Debug)]
struct Setup {
    /// Limits, and whether it is per shop.
    quotas: Vec<(Vec<Limit>, bool)>,
    /// Quota and cost, by kind.
    kinds: Vec<Vec<(usize, u32)>>,
}

#[derive(Clone, Debug)]
enum Step {
    Submit {
        kind: usize,
        shop: usize,
        op: Op,
        priority: u8,
    },
    Take {
        max: usize,
    },
    Finish {
        run: usize,
        succeed: bool,
    },
    Wait(u64),
    Cancel {
        task: usize,
    },
    /// More or fewer units for every limit.
    SetUnits {
        quota: usize,
        units: u64,
    },
    Pause {
        quota: usize,
        shop: usize,
        steps: u64,
    },
}

/// Limits that pay for the dearest start, with windows of these lengths.
fn limits(lengths: Vec<u64>) -> impl Strategy<Value = Vec<Limit>> {
    let window = (3..7_u64, prop::sample::select(lengths));
    let limit = prop_oneof![
        window.prop_map(|(units, per_ms)| Limit::Window { units, per_ms }),
        (3..6_u64).prop_map(Limit::AtOnce),
    ];
    prop::collection::vec(limit, 1..3)
}

fn setup(lengths: Vec<u64>) -> impl Strategy<Value = Setup> {
    let quota = (limits(lengths), any::<bool>());
    let uses = prop::sample::subsequence(vec![0, 1, 2], 0..=2);
    let kind = (uses, [0..=3_u32, 0..=3])
        .prop_map(|(quotas, costs)| quotas.into_iter().zip(costs).collect::<Vec<_>>());
    (
        prop::collection::vec(quota, 3),
        prop::collection::vec(kind, 3),
    )
        .prop_map(|(quotas, kinds)| Setup { quotas, kinds })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let op = prop_oneof![2 => Just(Op::Read), 1 => Just(Op::Update)];
    let step = prop_oneof![
        8 => (0..3_usize, 0..SHOPS, op, 0..4_u8)
            .prop_map(|(kind, shop, op, priority)| Step::Submit { kind, shop, op, priority }),
        5 => (1..6_usize).prop_map(|max| Step::Take { max }),
        4 => (0..20_usize, prop::bool::weighted(0.8))
            .prop_map(|(run, succeed)| Step::Finish { run, succeed }),
        3 => (1..5_u64).prop_map(Step::Wait),
        1 => (0..50_usize).prop_map(|task| Step::Cancel { task }),
        1 => (0..3_usize, 3..7_u64).prop_map(|(quota, units)| Step::SetUnits { quota, units }),
        1 => (0..3_usize, 0..SHOPS, 0..5_u64)
            .prop_map(|(quota, shop, steps)| Step::Pause { quota, shop, steps }),
    ];
    prop::collection::vec(step, 1..60)
}

#[test]
fn starts_wait_for_units_as_in_the_model() {
    // Windows of one length end at one time, so that nothing happens between two steps that the
    // model does not know of.
    check(300, &(setup(vec![57_000]), steps()), |(setup, steps)| {
        World::new(setup).run(&steps)
    });
}

#[test]
fn starts_wait_for_one_quota_as_in_the_model() {
    let one = setup(vec![27_000, 57_000, 97_000]).prop_map(|mut setup| {
        for uses in &mut setup.kinds {
            uses.truncate(1);
        }
        setup
    });
    check(200, &(one, steps()), |(setup, steps)| {
        World::new(setup).run(&steps)
    });
}

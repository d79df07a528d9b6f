//! The core against the model: verdicts, lines, barriers, coalescing, retries, holds, losses.

use crate::check;
use crate::steps::{Setup, Step, setup, steering, submissions, trouble, work};
use crate::world::World;
use proptest::prelude::*;

fn everything() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => submissions(),
        9 => work(),
        2 => trouble(),
        3 => steering(),
    ];
    prop::collection::vec(step, 1..50)
}

fn run(setup: Setup, steps: &[Step]) -> Result<(), String> {
    World::new(setup, true)?.run(steps)
}

#[test]
fn the_core_decides_as_the_model_does() {
    check(400, &(setup(), everything()), |(setup, steps)| {
        run(setup, &steps)
    });
}

#[test]
fn the_core_keeps_lines_and_barriers_as_the_model_does() {
    let plain = setup().prop_map(|mut setup| {
        for kind in &mut setup.kinds {
            (kind.coalesce, kind.run_within_ms) = (None, None);
            kind.cancels.clear();
        }
        setup
    });
    check(300, &(plain, everything()), |(setup, steps)| {
        run(setup, &steps)
    });
}

#[test]
fn the_core_coalesces_as_the_model_does() {
    // Few things to do, so that the same comes often.
    let same = setup().prop_map(|mut setup| {
        for kind in &mut setup.kinds {
            let coalesce = kind.coalesce.clone();
            kind.coalesce = coalesce.or(Some(interlock_core::words::Coalesce {
                payload: interlock_core::words::PayloadRule::Append,
                gather_ms: 0,
            }));
        }
        setup
    });
    let few = everything().prop_map(|mut steps| {
        for step in &mut steps {
            if let Step::Submit(asks) = step {
                for ask in asks {
                    ask.kind %= 2;
                    ask.claims.truncate(1);
                    ask.claims[0].0 = 0;
                }
            }
        }
        steps
    });
    check(300, &(same, few), |(setup, steps)| run(setup, &steps));
}

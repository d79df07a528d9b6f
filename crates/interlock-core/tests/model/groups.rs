//! The core against the model with groups and dependencies.

use crate::check;
use crate::steps::{Afterwards, Ask, Step, ask, setup, steering, submissions, trouble, work};
use crate::world::World;
use proptest::prelude::*;

/// A submission that may wait for others.
fn after(items: usize) -> impl Strategy<Value = Ask> {
    let on = prop_oneof![
        (0..100_usize).prop_map(Afterwards::Task),
        (0..items).prop_map(Afterwards::Item),
    ];
    let on = on.prop_filter("only a group has items", move |on| {
        items > 1 || matches!(on, Afterwards::Task(_))
    });
    (ask(), prop::collection::vec(on, 0..3)).prop_map(|(mut ask, on)| {
        ask.after = on;
        ask
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => submissions(),
        3 => after(1).prop_map(|ask| Step::Submit(vec![ask])),
        3 => prop::collection::vec(after(4), 4).prop_map(Step::Group),
        1 => (0..10_usize).prop_map(Step::CancelGroup),
        10 => work(),
        1 => trouble(),
        2 => steering(),
    ];
    prop::collection::vec(step, 1..40)
}

#[test]
fn groups_and_dependencies_go_as_in_the_model() {
    let plain = setup().prop_map(|mut setup| {
        for kind in &mut setup.kinds {
            kind.coalesce = None;
        }
        setup
    });
    check(200, &(plain, steps()), |(setup, steps)| {
        World::new(setup, true)?.run(&steps)
    });
}

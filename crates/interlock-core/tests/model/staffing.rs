//! The core against the model where kinds run out of workers: without a live worker for a lease a
//! task stands in no line and blocks no one.

use crate::check;
use crate::steps::{Step, setup, steering, submissions, trouble, work};
use crate::world::World;
use proptest::prelude::*;

#[test]
fn a_kind_without_a_worker_for_a_lease_blocks_no_one() {
    let step = prop_oneof![
        6 => submissions(),
        6 => work(),
        4 => trouble(),
        1 => steering(),
    ];
    let steps = prop::collection::vec(step, 1..40);
    check(200, &(setup(), steps), |(setup, steps): (_, Vec<Step>)| {
        World::new(setup, false)?.run(&steps)
    });
}

//! Wherever things have come to, there is a way on to a node that serves the namespace.

use crate::protocol;
use interlock_model::bounds::Bounds;
use interlock_model::dead_end;

fn check<const N: usize>(bounds: Bounds) {
    let (states, stuck) = dead_end::find(&protocol::<N>(bounds));
    assert!(stuck.is_none(), "no way on from one of {states}: {stuck:?}");
    assert!(
        states > 1_000,
        "{states} states are too few to say anything"
    );
}

#[test]
fn two_nodes_can_always_serve_again() {
    check::<2>(Bounds::WRITES);
    check::<2>(Bounds::BEATS);
}

#[test]
fn three_nodes_can_always_serve_again() {
    check::<3>(Bounds::WRITES);
}

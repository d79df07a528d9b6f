//! The protocol keeps its promises in every state that can be reached. With `INTERLOCK_TEST_LONG`,
//! which `./test --long` sets, there is more in the world.

use crate::{is_long, protocol};
use interlock_model::bounds::Bounds;
use stateright::{Checker, Model};
use std::time::{Duration, Instant};

/// How long a check may take: it would have to be cut down.
const WITHIN: Duration = Duration::from_secs(120);
const LONG_WITHIN: Duration = Duration::from_secs(1800);

fn check<const N: usize>(bounds: Bounds) {
    let within = if is_long() { LONG_WITHIN } else { WITHIN };
    let begun = Instant::now();
    let checker = protocol::<N>(bounds).checker().threads(2).timeout(within);
    let checker = checker.spawn_bfs().join();
    let (states, took) = (checker.unique_state_count(), begun.elapsed());
    println!("{N} nodes: {states} states in {took:.1?}");
    checker.assert_properties();
    assert!(took < within, "not finished after {states} states");
}

#[test]
fn two_nodes_lose_nothing_that_was_acknowledged() {
    check::<2>(Bounds {
        lost_appends: 2,
        ..Bounds::WRITES
    });
}

#[test]
fn three_nodes_lose_nothing_that_was_acknowledged() {
    check::<3>(Bounds::WRITES);
}

#[test]
fn two_nodes_release_no_run_whose_worker_goes_on() {
    check::<2>(Bounds {
        set_backs: 1,
        ..Bounds::BEATS
    });
}

#[test]
fn three_nodes_release_no_run_whose_worker_goes_on() {
    check::<3>(Bounds::BEATS);
}

#[test]
fn two_nodes_never_both_answer_however_late_renewals_are() {
    check::<2>(Bounds::CLOCKS);
}

#[test]
fn three_nodes_never_two_answer_however_late_renewals_are() {
    check::<3>(Bounds {
        lease: 2,
        set_backs: u8::from(is_long()),
        ..Bounds::CLOCKS
    });
}

#[test]
fn two_nodes_answer_nothing_that_is_out_of_date() {
    let drifting = Bounds {
        lease: 3,
        drift: true,
        ..Bounds::READS
    };
    check::<2>(if is_long() { drifting } else { Bounds::READS });
}

#[test]
fn three_nodes_answer_nothing_that_is_out_of_date() {
    check::<3>(Bounds {
        lost_appends: u8::from(is_long()),
        ..Bounds::READS
    });
}

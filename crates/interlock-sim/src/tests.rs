//! Whole worlds as tests.

use crate::feature::{Feature, Features};
use crate::options::Options;
use crate::world::World;

#[test]
fn thirty_worlds_keep_every_promise() {
    for seed in 0..30 {
        let outcome = World::run(&Options::new(seed));
        assert_eq!(outcome.violation, None, "seed {seed}");
        assert!(
            outcome.commands >= 2_000,
            "seed {seed} ran {} commands",
            outcome.commands
        );
    }
}

#[test]
fn the_same_seed_gives_the_same_world_step_by_step() {
    for seed in [1, 3, 11] {
        let (first, second) = (
            World::run(&Options::new(seed)),
            World::run(&Options::new(seed)),
        );
        assert_eq!((first.hash, first.commands), (second.hash, second.commands));
        let other = World::run(&Options::new(seed + 1));
        assert_ne!(first.hash, other.hash);
    }
}

#[test]
fn a_world_cut_short_is_a_prefix_of_its_failure_and_still_drains() {
    let mut options = Options::new(5);
    options.commands = 300;
    let outcome = World::run(&options);
    assert_eq!(outcome.violation, None);
    assert!(outcome.commands >= 300);
}

#[test]
fn a_share_of_all_worlds_has_several_nodes() {
    let has_nodes = |seed| Features::default().and_nodes(seed).has(Feature::Nodes);
    let share = (0..1_000).filter(|seed| has_nodes(*seed)).count();
    assert!((300..400).contains(&share), "{share} of 1000");
}

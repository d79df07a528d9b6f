//! Submit, take, finish: how many cycles per second over many resources.

use super::load::{BATCH, Load, Loop};
use super::scale::Scale;
use super::world::{KIND, World};
use crate::measure::{median, rate};
use crate::report::{Figure, Unit};

const AIM: f64 = 300_000.0;

/// Rates of the three ways in which a worker may loop.
pub(crate) fn figures(scale: &Scale) -> Vec<Figure> {
    let mut load = Load::new(scale.resources);
    let mut world = World::new(&[KIND]);
    load.run(&mut world, Loop::Batch(BATCH), scale.warm_up);
    let mut measured = |looping| {
        let turn = |_| rate(scale.cycles, || load.run(&mut world, looping, scale.cycles));
        median((0..scale.turns).map(turn).collect())
    };
    let batch = measured(Loop::Batch(BATCH));
    let single = measured(Loop::Batch(1));
    let separate = measured(Loop::Separate);
    vec![
        Figure::at_least("cycles, takes of 64", batch, Unit::PerSecond, AIM),
        Figure::info("cycles, takes of 1", single, Unit::PerSecond),
        Figure::info(
            "cycles, takes of 1, finishes apart",
            separate,
            Unit::PerSecond,
        ),
    ]
}

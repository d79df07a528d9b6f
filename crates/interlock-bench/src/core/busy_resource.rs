//! Thousands of tasks wait on one busy resource, older than everything else: work elsewhere must not
//! notice.

use super::load::{BATCH, Load, Loop};
use super::scale::Scale;
use super::world::{KIND, World, submission};
use crate::measure::{in_turns, rate};
use crate::report::{Figure, Unit};

const RATIO_LEAST: f64 = 0.8;
const BUSY: &str = "repository:busy";

/// The ratio of the rate with a busy resource to the rate without.
pub(crate) fn figures(scale: &Scale) -> Vec<Figure> {
    let mut with = Elsewhere::new(scale, scale.busy);
    let mut without = Elsewhere::new(scale, 0);
    let pair = in_turns(scale.turns, || with.turn(), || without.turn());
    vec![Figure::at_least(
        format!("cycles, {} on one busy resource, to none", scale.busy),
        pair.ratio,
        Unit::Ratio,
        RATIO_LEAST,
    )]
}

struct Elsewhere {
    world: World,
    load: Load,
    cycles: u64,
}

impl Elsewhere {
    fn new(scale: &Scale, waiting: u64) -> Self {
        let mut world = World::new(&[KIND]);
        world.occupy([BUSY.to_owned()]);
        for _ in 0..waiting {
            world.submit(submission(KIND, BUSY, ""));
        }
        Self {
            world,
            load: Load::new(scale.resources),
            cycles: scale.cycles,
        }
    }

    fn turn(&mut self) -> f64 {
        self.world.beat();
        rate(self.cycles, || {
            self.load
                .run(&mut self.world, Loop::Batch(BATCH), self.cycles);
        })
    }
}

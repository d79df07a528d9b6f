//! One resource goes from run to run while its line is long: one leaves at the head, one joins at
//! the end.

use super::scale::Scale;
use super::world::{KIND, World, submission};
use crate::measure::{in_turns, rate};
use crate::report::{Figure, Unit};

const RATIO_LEAST: f64 = 0.5;
const RESOURCE: &str = "repository:f16";

/// The ratio of the rate with a long line to the rate with a short one.
pub(crate) fn figures(scale: &Scale) -> Vec<Figure> {
    let (short, long) = scale.line;
    let mut long_line = Line::new(scale, long);
    let mut short_line = Line::new(scale, short);
    let pair = in_turns(scale.turns, || long_line.turn(), || short_line.turn());
    let title = format!("hand-over, {long} in line");
    vec![
        Figure::info(title.clone(), pair.first, Unit::PerSecond),
        Figure::at_least(
            format!("{title}, to {short} in line"),
            pair.ratio,
            Unit::Ratio,
            RATIO_LEAST,
        ),
    ]
}

struct Line {
    world: World,
    cycles: u64,
    length: u64,
}

impl Line {
    fn new(scale: &Scale, length: u64) -> Self {
        let mut world = World::new(&[KIND]);
        for _ in 0..length {
            world.submit(submission(KIND, RESOURCE, ""));
        }
        Self {
            world,
            cycles: scale.cycles,
            length,
        }
    }

    fn turn(&mut self) -> f64 {
        let rate = rate(self.cycles, || {
            for _ in 0..self.cycles {
                self.world.submit(submission(KIND, RESOURCE, ""));
                self.world.take(1);
                self.world.pass(1);
            }
        });
        // One of them runs.
        assert!(
            self.world.waiting() + 1 >= self.length,
            "the line keeps its length"
        );
        rate
    }
}

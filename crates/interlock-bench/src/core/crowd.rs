//! The same cycles while others wait: few of them or very many. The others are of the same kind, so
//! the same worker could have them, and stand in the way in each manner there is.

use super::load::{BATCH, Load, Loop};
use super::scale::Scale;
use super::world::{KIND, World, submission};
use crate::measure::{in_turns, rate};
use crate::report::{Figure, Unit};
use interlock_core::limits::PRIORITY_MAX;
use interlock_core::words::Due;

const RATIO_LEAST: f64 = 0.7;

/// Why the others wait.
#[derive(Clone, Copy)]
enum Why {
    /// Nothing but their lower priority.
    Ready,
    /// Behind runs, in lines that are long, and older than everything that is measured.
    Blocked,
    /// Not due yet.
    Scheduled,
    /// A third each.
    Mixed,
}

/// Ratios of the rate with many waiting to the rate with few.
pub(crate) fn figures(scale: &Scale) -> Vec<Figure> {
    let cases = [
        ("mixed", Why::Mixed),
        ("ready", Why::Ready),
        ("blocked", Why::Blocked),
        ("scheduled", Why::Scheduled),
    ];
    cases
        .into_iter()
        .flat_map(|(name, why)| case(scale, name, why))
        .collect()
}

fn case(scale: &Scale, name: &str, why: Why) -> [Figure; 2] {
    let (few, many) = scale.crowd;
    let mut crowded = Crowded::new(scale, why, many);
    let mut sparse = Crowded::new(scale, why, few);
    let pair = in_turns(scale.turns, || crowded.turn(), || sparse.turn());
    let title = format!("cycles, {many} others {name}");
    [
        Figure::info(title.clone(), pair.first, Unit::PerSecond),
        Figure::at_least(
            format!("{title}, to {few} others"),
            pair.ratio,
            Unit::Ratio,
            RATIO_LEAST,
        ),
    ]
}

/// A world in which others wait.
struct Crowded {
    world: World,
    load: Load,
    cycles: u64,
    others: u64,
}

impl Crowded {
    fn new(scale: &Scale, why: Why, others: u64) -> Self {
        let mut crowded = Self {
            world: World::new(&[KIND]),
            load: Load::new(scale.resources).with_priority(PRIORITY_MAX),
            cycles: scale.cycles,
            others,
        };
        match why {
            Why::Ready => crowded.add_ready(others),
            Why::Blocked => crowded.add_blocked(others),
            Why::Scheduled => crowded.add_scheduled(others),
            Why::Mixed => {
                crowded.add_ready(others / 3);
                crowded.add_blocked(others / 3);
                crowded.add_scheduled(others - 2 * (others / 3));
            }
        }
        crowded
    }

    /// Ten on each resource, the first of them ready.
    fn add_ready(&mut self, count: u64) {
        for number in 0..count {
            let mut other = submission(KIND, &format!("host:{}", number / 10), "");
            other.priority = Some(0);
            self.world.submit(other);
        }
    }

    /// A thousand behind each run.
    fn add_blocked(&mut self, count: u64) {
        let runs = count.div_ceil(1_000);
        let shop = |id| format!("shop:{id}");
        self.world.occupy((0..runs).map(shop));
        for number in 0..count {
            let mut other = submission(KIND, &shop(number % runs), "");
            other.priority = Some(PRIORITY_MAX);
            self.world.submit(other);
        }
    }

    /// Ten on each resource, each due at a time of its own.
    fn add_scheduled(&mut self, count: u64) {
        const DAY: u64 = 86_400_000;
        for number in 0..count {
            let mut other = submission(KIND, &format!("mirror:{}", number / 10), "");
            other.due = Some(Due::In(DAY + number * 7_919 % DAY));
            self.world.submit(other);
        }
    }

    fn turn(&mut self) -> f64 {
        self.world.beat();
        let rate = rate(self.cycles, || {
            self.load
                .run(&mut self.world, Loop::Batch(BATCH), self.cycles);
        });
        assert_eq!(self.world.waiting(), self.others, "the others still wait");
        rate
    }
}

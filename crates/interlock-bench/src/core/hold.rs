//! Holding a kind with very many waiting tasks: what everybody else notices of it while the tasks
//! are moved in slices.

use super::load::Load;
use super::scale::Scale;
use super::world::{KIND, World, name, submission};
use crate::measure::{median, micros, percentile};
use crate::report::{Figure, Unit};
use interlock_core::Command;
use interlock_core::command::HoldTarget;
use interlock_core::limits::PRIORITY_MAX;

const HELD: &str = "reindex";
const MICROS_MOST: f64 = 1_000.0;
const ROUNDS: usize = 3;

/// Latencies of decisions during a hold and the release after it, by what was decided.
pub(crate) fn figures(scale: &Scale) -> Vec<Figure> {
    let mut world = World::new(&[KIND, HELD]);
    for number in 0..scale.hold {
        world.submit(submission(HELD, &format!("host:{}", number / 10), ""));
    }
    let mut rounds: Vec<Latencies> = Vec::new();
    let mut load = Load::new(scale.resources).with_priority(PRIORITY_MAX);
    for _ in 0..ROUNDS {
        rounds.push(moved(&mut world, &mut load, true));
        rounds.push(moved(&mut world, &mut load, false));
    }
    let of = |pick: fn(&Latencies) -> f64| median(rounds.iter().map(pick).collect());
    let title = format!("hold of {}", scale.hold);
    let figure = |what: &str, value| Figure::info(format!("{title}: {what}"), value, Unit::Micros);
    vec![
        figure("the command itself", of(|round| round.command)),
        figure(
            "other decisions, p50",
            of(|round| percentile(&round.others, 0.5)),
        ),
        figure(
            "other decisions, p99",
            of(|round| percentile(&round.others, 0.99)),
        ),
        Figure::at_most(
            format!("{title}: other decisions, worst"),
            of(|round| percentile(&round.others, 1.0)),
            Unit::Micros,
            MICROS_MOST,
        ),
        figure("slices, p50", of(|round| percentile(&round.slices, 0.5))),
        figure("slices, worst", of(|round| percentile(&round.slices, 1.0))),
        Figure::info(
            format!("{title}: slices"),
            of(|round| round.slices.len() as f64),
            Unit::Count,
        ),
    ]
}

/// How long decisions took while tasks were moved, in microseconds, sorted.
struct Latencies {
    command: f64,
    others: Vec<f64>,
    slices: Vec<f64>,
}

/// Holds or releases the kind and goes on until every task is moved: one slice, then one cycle of
/// another kind, each decision timed by itself.
fn moved(world: &mut World, load: &mut Load, hold: bool) -> Latencies {
    let what = HoldTarget::Kind(name(HELD));
    let command = if hold {
        Command::Hold { what, by: None }
    } else {
        Command::Release { what, by: None }
    };
    let (took, decision) = micros(|| world.decide(command));
    let mut latencies = Latencies {
        command: took,
        others: Vec::new(),
        slices: Vec::new(),
    };
    let mut more = decision.more;
    while more {
        let (took, decision) = micros(|| world.decide(Command::Tick));
        latencies.slices.push(took);
        more = decision.more;
        cycle(world, load, &mut latencies.others);
        world.pass(1);
    }
    latencies.others.sort_by(f64::total_cmp);
    latencies.slices.sort_by(f64::total_cmp);
    latencies
}

fn cycle(world: &mut World, load: &mut Load, others: &mut Vec<f64>) {
    let submission = load.next();
    others.push(micros(|| world.submit(submission)).0);
    others.push(micros(|| world.take(1)).0);
    others.push(micros(|| world.finish()).0);
}

//! What the benchmark itself costs, and what the barest queue would: figures below which no core
//! could come.

use super::load::{BATCH, Load};
use super::scale::Scale;
use super::world::{submit, succeed, take};
use crate::measure::{median, rate};
use crate::report::{Figure, Unit};
use interlock_core::words::{SessionId, Submission, Token};
use std::collections::{HashMap, VecDeque};
use std::hint::black_box;

/// Rates of building the commands and of a bare queue.
pub(crate) fn figures(scale: &Scale) -> Vec<Figure> {
    let mut load = Load::new(scale.resources);
    let building = rates(scale, || build(&mut load, scale.cycles));
    let mut load = Load::new(scale.resources);
    let mut queue = BareQueue::default();
    let queueing = rates(scale, || queue.run(&mut load, scale.cycles));
    vec![
        Figure::info(
            "commands built and dropped, no core",
            building,
            Unit::PerSecond,
        ),
        Figure::info(
            "bare hash map and queues, no rules",
            queueing,
            Unit::PerSecond,
        ),
    ]
}

fn rates(scale: &Scale, mut work: impl FnMut()) -> f64 {
    median(
        (0..scale.turns)
            .map(|_| rate(scale.cycles, &mut work))
            .collect(),
    )
}

/// Builds the commands of so many cycles and drops them.
fn build(load: &mut Load, cycles: u64) {
    for number in 0..cycles / BATCH {
        for _ in 0..BATCH {
            black_box(submit(load.next()));
        }
        let token = |position| Token {
            generation: 1,
            position,
        };
        let finishes = (0..BATCH).map(token).map(succeed).collect();
        black_box(take(SessionId(1), number, BATCH as usize, finishes));
    }
}

/// A line per resource and a queue of what is ready: no claims, ranks, leases, events or reasons.
#[derive(Default)]
struct BareQueue {
    lines: HashMap<String, VecDeque<Submission>>,
    ready: VecDeque<String>,
}

impl BareQueue {
    fn run(&mut self, load: &mut Load, cycles: u64) {
        for _ in 0..cycles / BATCH {
            for _ in 0..BATCH {
                self.submit(load.next());
            }
            let taken: Vec<String> = self.ready.drain(..).collect();
            for resource in taken {
                self.finish(resource);
            }
        }
    }

    fn submit(&mut self, submission: Submission) {
        let resource = submission.claims[0].resource.as_str().to_owned();
        let line = self.lines.entry(resource.clone()).or_default();
        if line.is_empty() {
            self.ready.push_back(resource);
        }
        line.push_back(submission);
    }

    fn finish(&mut self, resource: String) {
        let line = self
            .lines
            .get_mut(&resource)
            .expect("what is taken has a line");
        black_box(line.pop_front());
        if line.is_empty() {
            self.lines.remove(&resource);
        } else {
            self.ready.push_back(resource);
        }
    }
}

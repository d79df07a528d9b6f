//! What determines a world: the same options give the same world, step by step.

use crate::feature::Features;
use crate::seeded::{NodeBug, Seeded};

/// Commands of the safety phase, unless said otherwise.
pub const COMMANDS_DEFAULT: u64 = 2_000;

/// What determines a world.
#[derive(Clone, Debug)]
pub struct Options {
    /// The seed.
    pub seed: u64,
    /// Commands until the liveness phase begins.
    pub commands: u64,
    /// Features turned off, whatever the seed says.
    pub without: Features,
    /// A seeded bug.
    pub bug: Option<Seeded>,
    /// Print every step.
    pub trace: bool,
}

impl Options {
    /// The world of a seed.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            commands: COMMANDS_DEFAULT,
            without: Features::default(),
            bug: None,
            trace: false,
        }
    }

    /// The seeded bug, if it is one of nodes.
    pub fn node_bug(&self) -> Option<NodeBug> {
        self.bug.and_then(Seeded::of_nodes)
    }

    /// The command line that repeats this world.
    pub fn repeat_line(&self) -> String {
        let mut line = format!(
            "cargo run --release -p interlock-sim -- repeat --seed {}",
            self.seed
        );
        if self.commands != COMMANDS_DEFAULT {
            line += &format!(" --commands {}", self.commands);
        }
        if self.without != Features::default() {
            line += &format!(" --without {}", self.without.text());
        }
        if let Some(bug) = self.bug {
            line += &format!(" --bug {}", bug.name());
        }
        line
    }
}

//! Shrinks a failure: turns features off one by one and tries neighbouring seeds, as long as the same
//! checker still fails, so that what is left to read is short.

use crate::feature::{Feature, Features};
use crate::options::Options;
use crate::world::World;

/// Seeds tried with the features that are left, for a shorter failure.
const NEIGHBOURS: u64 = 60;

/// A failure that is as small as it gets.
pub struct Shrunk {
    /// What determines it.
    pub options: Options,
    /// Commands until it shows.
    pub commands: u64,
    /// What is wrong.
    pub message: String,
}

/// Shrinks the failure of these options, which must fail.
pub fn shrink(options: &Options) -> Shrunk {
    let first = World::run(options);
    let violation = first.violation.expect("only a failure can be shrunk");
    let mut small = Shrunk {
        options: options.clone(),
        commands: first.commands,
        message: violation.message,
    };
    for feature in Feature::ALL {
        let without = small.options.without.text();
        let with_this = format!("{without},{}", feature.name());
        let Ok(without) = Features::parse(&with_this) else {
            continue;
        };
        let smaller = Options {
            without,
            ..small.options.clone()
        };
        keep_if_smaller(&mut small, smaller, violation.checker, u64::MAX);
    }
    for seed in 0..NEIGHBOURS {
        let other = Options {
            seed,
            ..small.options.clone()
        };
        let most = small.commands;
        keep_if_smaller(&mut small, other, violation.checker, most);
    }
    small
}

fn keep_if_smaller(small: &mut Shrunk, options: Options, checker: &str, most: u64) {
    let outcome = World::run(&options);
    if let Some(violation) = outcome.violation.filter(|found| found.checker == checker)
        && outcome.commands < most
    {
        *small = Shrunk {
            options,
            commands: outcome.commands,
            message: violation.message,
        };
    }
}

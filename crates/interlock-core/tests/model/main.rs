//! Property tests of the rules, most of them against a reference model that is slow and obviously
//! right: plain lists, every question answered by looking at all tasks.
//!
//! Inputs come from a fixed seed, so that a run repeats exactly. `PROPTEST_CASES` raises the number
//! of cases of every property, `PROPTEST_RNG_SEED` takes another seed. A mismatch is shrunk, and
//! printed as the commands that lead to it.

mod barrier;
mod groups;
mod lines;
mod names;
mod payloads;
mod print;
mod quotas;
mod reference;
mod staffing;
mod steps;
mod window;
mod world;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

/// Checks a property on at least `cases` inputs.
fn check<S: Strategy>(cases: u32, inputs: &S, property: impl Fn(S::Value) -> Result<(), String>) {
    let asked = std::env::var("PROPTEST_CASES").ok();
    let asked = asked.and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut config = Config {
        cases: cases.max(asked),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    };
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(0x0014_17e2_10c4);
    }
    let outcome =
        TestRunner::new(config).run(inputs, |input| property(input).map_err(TestCaseError::fail));
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(why, input)) => {
            panic!("{why}\n\nfor the input\n{input:?}")
        }
        Err(TestError::Abort(why)) => panic!("gave up: {why}"),
    }
}

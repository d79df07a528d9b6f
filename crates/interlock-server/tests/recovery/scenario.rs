//! The core's own random commands over a small world, which meet each other a lot.

#[path = "../../../interlock-core/tests/rules/scenario/parse.rs"]
#[allow(dead_code, reason = "the core's tables use more of it")]
mod parse;
#[path = "../../../interlock-core/tests/rules/scenario/random.rs"]
#[allow(dead_code, reason = "the core's tables use more of it")]
mod random;
#[path = "../../../interlock-core/tests/rules/scenario/span.rs"]
#[allow(dead_code, reason = "the core's tables use more of it")]
mod span;
#[path = "../../../interlock-core/tests/rules/scenario/words.rs"]
#[allow(dead_code, reason = "the core's tables use more of it")]
mod words;

pub(crate) use random::{Random, Script};

mod world {
    use interlock_core::words::Wall;

    pub(crate) const EPOCH: Wall = Wall(1_767_225_600_000);
}

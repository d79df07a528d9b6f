//! Everything that two and three nodes can do.

mod mutations;
mod nodes;
mod progress;

use interlock_model::bounds::Bounds;
use interlock_model::model::Checked;
use interlock_model::mutation::Mutation;
use interlock_model::step::Protocol;

/// The protocol as it is.
fn protocol<const N: usize>(bounds: Bounds) -> Checked<N> {
    let protocol = Protocol::new(bounds);
    let merge = true;
    Checked { protocol, merge }
}

/// The protocol of two nodes with a mistake in it.
fn mistaken(bounds: Bounds, mutation: Mutation) -> Checked<2> {
    let protocol = Protocol::with(bounds, mutation);
    let merge = false;
    Checked { protocol, merge }
}

/// Whether there is time for more.
fn is_long() -> bool {
    std::env::var_os("INTERLOCK_TEST_LONG").is_some()
}

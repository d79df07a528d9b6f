//! The two clocks. *Elapsed* never jumps and drives leases, grace, gather and quota windows;
//! *wall* never goes back and drives due times, retries and schedules. The caller brings both.

use serde::{Deserialize, Serialize};

/// Milliseconds on the boot-time clock, continued over restarts from the last logged value.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Elapsed(pub u64);

/// Milliseconds since the Unix epoch.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Wall(pub u64);

/// The time at which a command is decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Now {
    /// The boot-time clock.
    pub elapsed: Elapsed,
    /// The calendar clock.
    pub wall: Wall,
}

impl Elapsed {
    /// This instant plus `ms`, saturating.
    pub fn plus(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// How long after `earlier` this is; zero if it is not.
    pub fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl Wall {
    /// This instant plus `ms`, saturating.
    pub fn plus(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// How long after `earlier` this is; zero if it is not.
    pub fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl Now {
    /// Both clocks, neither behind `floor`: the core's time never goes back.
    pub fn no_earlier_than(self, floor: Now) -> Now {
        Now {
            elapsed: self.elapsed.max(floor.elapsed),
            wall: self.wall.max(floor.wall),
        }
    }

    /// Both clocks moved on by `ms`.
    pub fn plus(self, ms: u64) -> Now {
        Now {
            elapsed: self.elapsed.plus(ms),
            wall: self.wall.plus(ms),
        }
    }
}

//! The two clocks that the core is driven by.
//!
//! *Elapsed* is the boot-time clock, which goes on while the machine sleeps, continued from the last
//! value in the log; *wall* is the calendar. The core itself sees to it that neither goes back.

use interlock_core::words::{Elapsed, Now, Wall};
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Reads both clocks.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// What the core's elapsed time was when this clock was made.
    elapsed: u64,
    /// What the machine's boot-time clock was then.
    boot_ms: u64,
}

impl Clock {
    /// A clock that continues from the last time that was logged.
    pub fn resume(last: Elapsed) -> Self {
        Self {
            elapsed: last.0,
            boot_ms: boot_ms(),
        }
    }

    /// The time now.
    pub fn now(&self) -> Now {
        Now {
            elapsed: Elapsed(self.elapsed + boot_ms().saturating_sub(self.boot_ms)),
            wall: wall(),
        }
    }
}

/// The calendar.
pub fn wall() -> Wall {
    Wall(milliseconds(ClockId::Realtime))
}

/// How long until both clocks have passed these times, whichever comes first.
pub(crate) fn until(now: Now, elapsed: Option<Elapsed>, wall: Option<Wall>) -> Option<Duration> {
    let elapsed = elapsed.map(|at| at.since(now.elapsed));
    let wall = wall.map(|at| at.since(now.wall));
    let first = elapsed.into_iter().chain(wall).min()?;
    Some(Duration::from_millis(first))
}

pub(crate) fn boot_ms() -> u64 {
    milliseconds(ClockId::Boottime)
}

fn milliseconds(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanoseconds = u64::try_from(time.tv_nsec).unwrap_or(0);
    seconds * 1_000 + nanoseconds / 1_000_000
}

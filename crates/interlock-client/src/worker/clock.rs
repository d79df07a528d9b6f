//! The clock that leases are counted on: it goes on while the machine sleeps.

use rustix::time::{ClockId, clock_gettime};

/// Milliseconds since the machine was started, sleep included.
pub(super) fn boot_ms() -> u64 {
    let time = clock_gettime(ClockId::Boottime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanoseconds = u64::try_from(time.tv_nsec).unwrap_or(0);
    seconds * 1_000 + nanoseconds / 1_000_000
}

//! Time. The world's time is the truth and only goes on; the server's two clocks are read off it, with
//! offsets that faults change.

use interlock_core::words::{Elapsed, Now, Wall};

/// Where the world's time begins.
const START: u64 = 1_000_000;
/// What the calendar says then.
const WALL_START: u64 = 1_750_000_000_000;

/// The clocks.
#[derive(Debug)]
pub struct Clock {
    /// The world's time.
    pub time: u64,
    elapsed_offset: i64,
    wall_offset: i64,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            time: START,
            elapsed_offset: -(START as i64),
            wall_offset: (WALL_START - START) as i64,
        }
    }
}

impl Clock {
    /// What the server's clocks show.
    pub fn now(&self) -> Now {
        let shift = |offset: i64| self.time.saturating_add_signed(offset);
        Now {
            elapsed: Elapsed(shift(self.elapsed_offset)),
            wall: Wall(shift(self.wall_offset)),
        }
    }

    /// How far the server's boot-time clock is from the world's time.
    pub fn elapsed_offset(&self) -> i64 {
        self.elapsed_offset
    }

    /// The calendar jumps.
    pub fn jump_wall(&mut self, by_ms: i64) {
        self.wall_offset += by_ms;
    }

    /// The calendar catches up with the core's, which never goes back.
    pub fn catch_up_wall(&mut self, wall: Wall) {
        let behind = wall.since(self.now().wall);
        self.wall_offset += behind as i64;
    }

    /// Another machine goes on from the last value in the log: its boot-time clock says less.
    pub fn resume_elapsed(&mut self, last: Elapsed) {
        let ahead = self.now().elapsed.since(last);
        self.elapsed_offset -= ahead as i64;
    }

    /// The world's time at which the boot-time clock will show this.
    pub fn time_of_elapsed(&self, at: Elapsed) -> u64 {
        at.0.saturating_add_signed(-self.elapsed_offset)
    }

    /// The world's time at which the calendar will show this, unless it jumps.
    pub fn time_of_wall(&self, at: Wall) -> u64 {
        at.0.saturating_add_signed(-self.wall_offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_goes_on_from_the_log_never_runs_ahead() {
        let mut clock = Clock::default();
        clock.time += 5_000;
        assert_eq!(clock.now().elapsed, Elapsed(5_000));
        clock.resume_elapsed(Elapsed(3_000));
        assert_eq!(clock.now().elapsed, Elapsed(3_000));
        assert_eq!(clock.time_of_elapsed(Elapsed(3_000)), clock.time);
    }
}

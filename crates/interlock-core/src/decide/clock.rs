//! Timers: all that are due fire before a command is decided, the longest overdue first.

use crate::Core;
use crate::bugs::Bug;
use crate::event::{EndWhy, Event};
use crate::reply::StopWhy;
use crate::soft::SoftTimer;
use crate::state::timers::{ElapsedTimer, WallTimer};
use crate::words::{Outcome, TaskId, Token};

/// The next timer that is due.
enum Next {
    Wall,
    Elapsed,
    Soft,
}

impl Core {
    pub(crate) fn fire_timers(&mut self) {
        while let Some(next) = self.next_due() {
            match next {
                Next::Wall => self.fire_wall(),
                Next::Elapsed => self.fire_elapsed(),
                Next::Soft => self.fire_soft(),
            }
        }
    }

    /// The timer that has been due for longest. When the moves are used up only those of soft state count.
    fn next_due(&self) -> Option<Next> {
        let now = self.state.now;
        let timers = &self.state.timers;
        let wall = timers
            .wall
            .first()
            .map(|(at, _)| (*at <= now.wall, now.wall.since(*at)));
        let elapsed =
            (timers.elapsed.first()).map(|(at, _)| (*at <= now.elapsed, now.elapsed.since(*at)));
        let soft =
            (self.soft.timers.first()).map(|(at, _)| (*at <= now.elapsed, now.elapsed.since(*at)));
        let overdue =
            |timer: Option<(bool, u64)>| timer.and_then(|(due, for_ms)| due.then_some(for_ms));
        let (wall, elapsed) = match self.moves {
            0 => (None, None),
            _ => (overdue(wall), overdue(elapsed)),
        };
        let soft = overdue(soft);
        let longest = [wall, elapsed, soft].into_iter().flatten().max()?;
        Some(if soft == Some(longest) {
            Next::Soft
        } else if elapsed == Some(longest) {
            Next::Elapsed
        } else {
            Next::Wall
        })
    }

    fn fire_wall(&mut self) {
        let Some((_, timer)) = self.state.timers.wall.first().cloned() else {
            return;
        };
        self.moves -= 1;
        match timer {
            WallTimer::Due(id) => self.arrive(id, Some(self.state.now.elapsed), &[]),
            WallTimer::StartBy(id) => self.give_up(id),
            WallTimer::Schedule(name) => self.fire_schedule(&name),
        }
    }

    /// A task that should have started by now is given up.
    fn give_up(&mut self, id: TaskId) {
        if self.bug(Bug::StartWithinIgnored) {
            self.state.timers.wall.pop_first();
        } else {
            self.end_waiting(id, Outcome::Cancelled, EndWhy::NotStartedInTime);
        }
    }

    fn fire_elapsed(&mut self) {
        let Some((_, timer)) = self.state.timers.elapsed.first().cloned() else {
            return;
        };
        self.moves -= 1;
        match timer {
            ElapsedTimer::Gathered(id) => self.arrive(id, Some(self.state.now.elapsed), &[]),
            ElapsedTimer::Quota(name) => {
                self.state.timers.elapsed.pop_first();
                if let Some(instance) = self.state.quotas.instances.get_mut(&name) {
                    instance.timer = None;
                }
                self.state.dirty.instances.insert(name);
            }
        }
    }

    fn fire_soft(&mut self) {
        let Some((_, timer)) = self.soft.timers.pop_first() else {
            return;
        };
        match timer {
            SoftTimer::Lease(token) => self.lease_timer(token),
            SoftTimer::RunWithin(token) => self.run_within_timer(token),
            SoftTimer::Take(session, number) => self.take_timer(session, number),
            SoftTimer::Kind(kind) => self.kind_timer(kind),
            SoftTimer::Session(session) => self.session_timer(session),
        }
    }

    /// A lease may have ended; a beat may also have moved its end.
    fn lease_timer(&mut self, token: Token) {
        let Some(run) = self.soft.runs.get_mut(&token) else {
            return;
        };
        if run.lease_ends > self.state.now.elapsed {
            run.lease_timer = run.lease_ends;
            let timer = (run.lease_ends, SoftTimer::Lease(token));
            self.soft.timers.insert(timer);
        } else if !self.bug(Bug::LeaseNeverEnds) {
            self.lose(token);
        }
    }

    fn run_within_timer(&mut self, token: Token) {
        let run = self.state.runs.get(&token);
        if let Some(run) = run.filter(|run| run.stop.is_none()) {
            self.emit(Event::StopAsked {
                token,
                task: run.task,
                why: StopWhy::TooLong,
                by: None,
            });
        }
    }
}

//! Time: what is due when, fired in order (design §6, §7 and §12), and which kinds have workers.

use super::{Index, Model, Over, State};
use interlock_core::reply::StopWhy;
use interlock_core::words::{Elapsed, Now, Outcome, SessionId, Wall};

/// Something that happens by the passing of time alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    LeaseEnds(Index),
    RanTooLong(Index),
    Gathered(Index),
    ComesDue(Index),
    TriesAgain(Index),
    NotStarted(Index),
    TakeIsUp(usize),
}

impl Timer {
    fn is_by_wall(&self) -> bool {
        matches!(
            self,
            Self::ComesDue(_) | Self::TriesAgain(_) | Self::NotStarted(_)
        )
    }
}

impl Model {
    /// Lets both clocks go on by `ms`, or only the wall clock if it jumps. All timers that are due fire
    /// in order; what they set in motion is left to be settled.
    pub(crate) fn advance(&mut self, ms: u64, wall_only: bool) {
        let mut left = ms;
        while let Some((after, timer)) = self.next(wall_only).filter(|next| next.0 <= left) {
            self.go_on(after, wall_only);
            left -= after;
            self.fire(timer);
        }
        self.go_on(left, wall_only);
    }

    /// In how many ms the next thing happens.
    pub(crate) fn next_timer(&self) -> Option<u64> {
        self.next(false).map(|next| next.0)
    }

    /// How far the wall clock can jump, at most this far, so that timers of one time are due and no
    /// later ones.
    pub(crate) fn jump(&self, ms: u64) -> u64 {
        let timers = (0..self.tasks.len()).flat_map(|task| self.timers_of(task));
        let by_wall = timers.filter(|(_, timer)| timer.is_by_wall());
        let mut times: Vec<_> = by_wall.map(|(after, _)| after).collect();
        times.sort_unstable();
        times.dedup();
        times.get(1).map_or(ms, |second| ms.min(second - 1))
    }

    fn go_on(&mut self, ms: u64, wall_only: bool) {
        let elapsed = if wall_only { 0 } else { ms };
        self.now = Now {
            elapsed: Elapsed(self.now.elapsed.0 + elapsed),
            wall: Wall(self.now.wall.0 + ms),
        };
        self.note_workers();
    }

    fn next(&self, wall_only: bool) -> Option<(u64, Timer)> {
        let tasks = (0..self.tasks.len()).flat_map(|task| self.timers_of(task));
        let takes = self.takes.iter().enumerate();
        let takes =
            takes.map(|(index, take)| (self.elapsed_until(take.until), Timer::TakeIsUp(index)));
        tasks
            .chain(takes)
            .filter(|(_, timer)| !wall_only || timer.is_by_wall())
            .min()
    }

    fn timers_of(&self, me: Index) -> Vec<(u64, Timer)> {
        let task = &self.tasks[me];
        let mut timers = Vec::new();
        match &task.state {
            State::Scheduled => {
                timers.push((self.wall_until(task.due.unwrap_or(0)), Timer::ComesDue(me)));
            }
            State::Gathering { until } => {
                timers.push((self.elapsed_until(*until), Timer::Gathered(me)));
            }
            State::Retrying { until } => {
                timers.push((self.wall_until(*until), Timer::TriesAgain(me)));
            }
            State::Running(run) => {
                timers.push((self.elapsed_until(run.lease_ends), Timer::LeaseEnds(me)));
                if let (Some(within), None) = (self.policy(me).run_within_ms, run.stop) {
                    let until = run.started.elapsed.0 + within;
                    timers.push((self.elapsed_until(until), Timer::RanTooLong(me)));
                }
            }
            _ => {}
        }
        if let Some(start_by) = task
            .start_by
            .filter(|_| task.is_waiting() && task.starts == 0)
        {
            timers.push((self.wall_until(start_by), Timer::NotStarted(me)));
        }
        timers
    }

    fn fire(&mut self, timer: Timer) {
        let now = self.now.elapsed.0;
        match timer {
            Timer::LeaseEnds(task) => {
                self.end_run(task, Over::Lost);
            }
            Timer::RanTooLong(task) => self.ask_to_stop(task, StopWhy::TooLong, now),
            Timer::Gathered(task) | Timer::TriesAgain(task) => self.become_possible(task),
            Timer::ComesDue(task) => self.come_due(task),
            Timer::NotStarted(task) => self.end(task, Outcome::Cancelled),
            Timer::TakeIsUp(take) => {
                self.takes.remove(take);
            }
        }
    }

    fn elapsed_until(&self, at: u64) -> u64 {
        at.saturating_sub(self.now.elapsed.0)
    }

    fn wall_until(&self, at: u64) -> u64 {
        at.saturating_sub(self.now.wall.0)
    }

    /// Takes the core's word for whether a kind has a worker, if it may be so: it must not be said to
    /// have none within a lease of hearing of one, nor while one waits or works.
    pub(crate) fn set_staffed(&mut self, kind: usize, staffed: bool) -> Result<(), String> {
        let now = self.now.elapsed.0;
        let lease_ms = self.kinds[kind].lease_ms;
        let is_busy = self.sessions.iter().any(|session| {
            session.handles[kind]
                && !session.is_lost
                && !session.is_gone
                && self.is_busy(session.id)
        });
        if !staffed && (is_busy || now < self.heard_at[kind] + lease_ms) {
            return Err(format!("kind {kind} is said to have no worker"));
        }
        self.staffed[kind] = staffed;
        self.check_staffed(kind)
    }

    /// A kind that is said to have a worker has one, or had one less than a lease ago: its own, or
    /// the longest of any kind, since a session with runs of several beats for all of them.
    pub(crate) fn check_staffed(&self, kind: usize) -> Result<(), String> {
        let longest_ms = self
            .kinds
            .iter()
            .map(|kind| kind.lease_ms)
            .max()
            .unwrap_or(0);
        if self.staffed[kind] && self.now.elapsed.0 >= self.handled_at[kind] + longest_ms {
            return Err(format!("kind {kind} is said to have a worker"));
        }
        Ok(())
    }

    fn is_busy(&self, session: SessionId) -> bool {
        let is_parked = self.takes.iter().any(|take| take.session == session);
        is_parked || !self.runs_of(session).is_empty()
    }

    /// A session that waits for work or works handles its kinds right now.
    fn note_workers(&mut self) {
        for session in 0..self.sessions.len() {
            if self.is_busy(self.sessions[session].id) {
                self.note_worker(session, false);
            }
        }
    }

    /// A session is there, and perhaps was heard of.
    pub(crate) fn note_worker(&mut self, session: usize, is_heard: bool) {
        let session = &self.sessions[session];
        if session.is_lost || session.is_gone {
            return;
        }
        for kind in (0..self.kinds.len()).filter(|&kind| session.handles[kind]) {
            self.handled_at[kind] = self.now.elapsed.0;
            if is_heard {
                self.heard_at[kind] = self.now.elapsed.0;
            }
        }
    }
}

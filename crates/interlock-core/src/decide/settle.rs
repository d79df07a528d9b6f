//! Settles what a command has set in motion: barriers that lifted, lines that moved, units that
//! came free, sweeps under way, and takes that can be answered now. Moves and looks are
//! bounded per decision; the next one goes on.

use crate::Core;
use crate::event::Stage;
use crate::soft::{SoftRun, SoftTimer};
use crate::state::State;
use crate::words::{Elapsed, Token};

impl Core {
    pub(crate) fn settle(&mut self) {
        loop {
            self.settle_tasks();
            self.wake_takes();
            if !self.is_dirty() || self.moves == 0 || self.looks == 0 {
                return;
            }
        }
    }

    /// Moves tasks, sweeps included, until everyone is where they belong or the moves are used up.
    pub(crate) fn settle_tasks(&mut self) {
        loop {
            self.settle_lines();
            let moved = self.settle_instances() | self.run_sweep();
            if !moved || self.moves == 0 {
                return self.settle_lines();
            }
        }
    }

    /// Lets out, watches and exposes until no line is left to look at.
    pub(crate) fn settle_lines(&mut self) {
        while self.looks > 0 {
            if let Some(id) = self.state.dirty.joined.pop_front() {
                let task = self.state.tasks.get(id);
                if task.is_some_and(|task| task.stage == Stage::InLine && task.watch.is_none()) {
                    self.look_at(id);
                }
                continue;
            }
            let Some(index) = self.state.dirty.resources.pop_front() else {
                return;
            };
            self.state.resources.get_mut(index).dirty = false;
            if !self.let_out(index) {
                self.state.dirty.stalled.insert(index);
            }
            self.refresh(index);
            self.state.drop_barrier_if_unused(index);
            self.state.resources.drop_if_unused(index);
        }
    }

    /// Whether a `Tick` is wanted at once.
    pub(crate) fn has_more(&self) -> bool {
        let now = self.state.now;
        let timers = &self.state.timers;
        self.is_dirty()
            || !self.state.sweeps.is_empty()
            || timers.wall.first().is_some_and(|(at, _)| *at <= now.wall)
            || (timers.elapsed.first()).is_some_and(|(at, _)| *at <= now.elapsed)
    }

    fn is_dirty(&self) -> bool {
        let dirty = &self.state.dirty;
        !(dirty.joined.is_empty()
            && dirty.resources.is_empty()
            && dirty.stalled.is_empty()
            && dirty.instances.is_empty())
            || (dirty.kinds.iter()).any(|kind| self.soft.parked_by_kind.contains_key(kind))
    }

    /// Makes soft state anew after the log was replayed.
    pub(crate) fn rebuild_soft(&mut self) {
        let now = self.state.now.elapsed;
        let runs: Vec<(Token, Elapsed, u64)> = (self.state.runs.values())
            .map(|run| {
                let from = match run.granted_afresh {
                    _ if self.bug(crate::bugs::Bug::FreshLeaseForEver) => now,
                    _ if self.bug(crate::bugs::Bug::NoFreshLease) => Elapsed(0),
                    granted => granted.unwrap_or(now),
                };
                (run.token, from, run.lease_ms)
            })
            .collect();
        for (token, from, lease_ms) in runs {
            self.watch_run(token, from.plus(lease_ms));
        }
        let kinds: Vec<_> = self.state.kinds.iter().map(|(id, _)| id).collect();
        for kind in kinds {
            self.watch_kind(kind);
        }
        let sessions: Vec<_> = self.state.sessions.keys().copied().collect();
        for session in sessions {
            self.soft.heard.insert(session, now);
            self.watch_session(session);
            let found = &self.state.sessions[&session];
            if !(found.lost || found.draining) {
                self.cover(session);
            }
        }
        self.state.mark_everything();
    }

    /// Begins to watch a live run: its lease, and how long it may take.
    pub(crate) fn watch_run(&mut self, token: Token, lease_ends: Elapsed) {
        let run = &self.state.runs[&token];
        let kind = &self.state.kinds.get(self.state.task(run.task).kind).kind;
        let stop_timer = (kind.run_within_ms)
            .filter(|_| run.stop.is_none())
            .map(|within| run.started.elapsed.plus(within));
        let timer = (lease_ends, SoftTimer::Lease(token));
        self.soft.timers.insert(timer);
        if let Some(at) = stop_timer {
            self.soft.timers.insert((at, SoftTimer::RunWithin(token)));
        }
        let run = SoftRun {
            lease_ends,
            lease_timer: lease_ends,
            stop_timer,
            beaten: false,
            progress: None,
        };
        self.soft.runs.insert(token, run);
        let (session, lease_ms) = (
            self.state.runs[&token].session,
            self.state.runs[&token].lease_ms,
        );
        let longest = self.soft.lease_ms_max.entry(session).or_insert(lease_ms);
        *longest = lease_ms.max(*longest);
    }
}

impl State {
    /// During a replay nothing is settled: everything is looked at once the log was read.
    pub(crate) fn discard_dirty(&mut self) {
        self.dirty.joined.clear();
        self.dirty.instances.clear();
        self.dirty.kinds.clear();
        while let Some(index) = self.dirty.resources.pop_front() {
            self.resources.get_mut(index).dirty = false;
            self.drop_barrier_if_unused(index);
            self.resources.drop_if_unused(index);
        }
    }

    /// Rooms that an earlier decision could not empty are looked at again.
    pub(crate) fn wake_stalled(&mut self) {
        while let Some(index) = self.dirty.stalled.pop_first() {
            if self.resources.contains(index) {
                self.mark(index);
            }
        }
    }

    /// Everything has to be looked at.
    pub(crate) fn mark_everything(&mut self) {
        let indexes: Vec<_> = self.resources.iter().map(|(index, _)| index).collect();
        for index in indexes {
            let readers = self.resources.get(index).readers().iter();
            self.dirty.joined.extend(readers.map(|key| key.task));
            self.mark(index);
        }
        for (_, kind) in self.kinds.iter() {
            let alone = kind.tasks.iter().copied();
            let alone = alone.filter(|id| self.tasks.get(*id).is_some_and(|t| t.claims.is_empty()));
            self.dirty.joined.extend(alone);
        }
        let counts = self.quotas.instances.sorted().into_iter();
        self.dirty
            .instances
            .extend(counts.map(|(name, _)| name.clone()));
        let kinds = self.kinds.iter().map(|(id, _)| id);
        self.dirty.kinds.extend(kinds);
    }
}

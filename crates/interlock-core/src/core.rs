//! The namespace: its state, and the one door to it.

use crate::bugs::Bug;
use crate::command::Command;
use crate::event::{Event, Record};
use crate::limits;
use crate::reply::{Decision, Reply, Wake};
use crate::soft::Soft;
use crate::state::State;
use crate::words::{Elapsed, Now, Wall};

/// One namespace: its hard state, what is derived from it, and its soft state.
pub struct Core {
    pub(crate) state: State,
    pub(crate) soft: Soft,
    /// Events of the decision under way; applied already.
    events: Vec<Event>,
    /// Answers to parked takes of the decision under way.
    pub(crate) wakes: Vec<Wake>,
    /// Tasks that the decision under way may still move on behalf of many.
    pub(crate) moves: usize,
    /// Tasks that it may still look at in vain; apart, so that a sweep starves no take.
    pub(crate) looks: usize,
}

/// When the next timer is due, by clock. The caller sends a `Tick` then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NextTimer {
    /// On the boot-time clock.
    pub elapsed: Option<Elapsed>,
    /// On the calendar clock.
    pub wall: Option<Wall>,
}

impl Core {
    /// An empty namespace. The seed keys the hash tables, so that strangers can't aim for
    /// collisions; it has no influence on any decision.
    pub fn new(hash_seed: u64) -> Self {
        Self {
            state: State::new(hash_seed),
            soft: Soft::default(),
            events: Vec::new(),
            wakes: Vec::new(),
            moves: 0,
            looks: 0,
        }
    }

    /// Folds one record of the log. For recovery only, before [`Core::open`].
    pub fn replay(&mut self, record: &Record) {
        assert_eq!(
            record.position, self.state.position,
            "the log has no gap and no record twice"
        );
        self.state.now = record.at.no_earlier_than(self.state.now);
        for event in &record.events {
            self.state.apply(event);
        }
        self.state.discard_dirty();
    }

    /// Begins to serve after the log was replayed (also an empty one): live runs get a fresh lease.
    /// Must be the first decision. `generation` must not be lower than before.
    pub fn open(&mut self, now: Now, generation: u32) -> Decision {
        assert!(
            generation >= self.state.generation,
            "a generation never goes back"
        );
        self.begin(now, limits::SLICE_MAX);
        self.emit(Event::Opened { generation });
        self.rebuild_soft();
        self.fire_timers();
        self.settle();
        self.conclude(Reply::Done)
    }

    /// Decides one command at a time. Timers that are due fire first. The events are applied
    /// already; the caller commits the record before it lets reply and wakes go, and throws the
    /// whole `Core` away if the commit fails.
    pub fn decide(&mut self, now: Now, command: Command) -> Decision {
        let moves = match command {
            Command::Tick => limits::SLICE_MAX,
            _ => limits::SLICE_OF_COMMAND_MAX,
        };
        self.begin(now, moves);
        self.fire_timers();
        if !self.events.is_empty() {
            // Whom a timer has called off must not decide against the command.
            self.settle_tasks();
        }
        let reply = self.dispatch(command);
        self.settle();
        self.conclude(reply)
    }

    /// When the caller shall send a `Tick` at the latest.
    pub fn next_timer(&self) -> NextTimer {
        let hard = self.state.timers.elapsed.first().map(|(at, _)| *at);
        let soft = self.soft.timers.first().map(|(at, _)| *at);
        NextTimer {
            elapsed: [hard, soft].into_iter().flatten().min(),
            wall: self.state.timers.wall.first().map(|(at, _)| *at),
        }
    }

    /// Turns on a seeded bug. Does nothing unless compiled with the feature `bugs`.
    pub fn set_bug(&mut self, bug: Option<Bug>) {
        self.state.set_bug(bug);
    }

    /// The position that the next event will have.
    pub fn position(&self) -> u64 {
        self.state.position
    }

    /// The time of the last decision.
    pub fn now(&self) -> Now {
        self.state.now
    }

    /// Logs an event and applies it.
    pub(crate) fn emit(&mut self, event: Event) {
        self.state.apply(&event);
        self.events.push(event);
    }

    /// Whether a seeded bug is on.
    pub(crate) fn bug(&self, bug: Bug) -> bool {
        self.state.bug(bug)
    }

    fn begin(&mut self, now: Now, moves: usize) {
        self.state.now = now.no_earlier_than(self.state.now);
        self.moves = moves;
        self.looks = limits::LOOKS_MAX;
        self.state.wake_stalled();
    }

    fn conclude(&mut self, reply: Reply) -> Decision {
        let events = std::mem::take(&mut self.events);
        let record = (!events.is_empty()).then(|| Record {
            at: self.state.now,
            position: self.state.position - events.len() as u64,
            events,
        });
        Decision {
            record,
            reply,
            wakes: std::mem::take(&mut self.wakes),
            more: self.has_more(),
        }
    }
}

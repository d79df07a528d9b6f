//! What all actors share: how they ask, how they are woken, and what they may know while they act.

use crate::feature::{Feature, Features};
use crate::oracle::Deed;
use crate::rng::Rng;
use crate::scenery::Scenery;
use interlock_core::Command;
use interlock_core::words::Token;

/// Who waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// A process, in one of its lives.
    Process {
        /// Its index.
        index: usize,
        /// Which life.
        life: u64,
    },
    /// The submitter.
    Submitter,
    /// The operator, or the server's own edge.
    Operator,
}

/// A request on its way.
#[derive(Clone, Debug)]
pub struct Request {
    /// Names the connection it came by.
    pub id: u64,
    /// Who asks.
    pub from: Address,
    /// What for.
    pub command: Command,
}

/// What a process asked to be woken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alarm {
    /// Start, or start again.
    Start,
    /// Ask for work.
    Take,
    /// Say that runs go on.
    Beat,
    /// A run's work is done.
    Done(Token),
    /// A run's lease may be over.
    Fence(Token),
    /// A run wants to spend.
    Spend(Token),
    /// A run wants to submit a child.
    Child(Token),
    /// Send unanswered finishes again.
    Finish,
    /// No answer came.
    TimeOut(u64),
    /// Leave.
    Leave,
}

/// What an actor wants done.
#[derive(Debug)]
pub enum Effect {
    /// Send a request.
    Send(Request),
    /// Close the connection of a request.
    HangUp(u64),
    /// Wake a process.
    Wake {
        /// When.
        at: u64,
        /// Which process.
        index: usize,
        /// In which life.
        life: u64,
        /// What for.
        alarm: Alarm,
    },
    /// Something was really done.
    Deed(Deed),
}

/// What an actor has at hand.
pub struct Ctx<'a> {
    /// The world's time.
    pub time: u64,
    /// Chance.
    pub rng: &'a mut Rng,
    /// What may happen.
    pub features: Features,
    /// No more faults: everything shall come to an end.
    pub calm: bool,
    /// The scenery.
    pub scenery: &'a Scenery,
    /// Numbers of requests.
    pub requests: &'a mut u64,
    /// What is wanted.
    pub out: &'a mut Vec<Effect>,
}

impl Ctx<'_> {
    /// Whether a feature is on and trouble is still allowed.
    pub fn trouble(&self, feature: Feature) -> bool {
        !self.calm && self.features.has(feature)
    }

    /// Whether a feature is on and, in this percentage of cases, strikes now.
    pub fn strikes(&mut self, feature: Feature, percent: u64) -> bool {
        self.trouble(feature) && self.rng.percent(percent)
    }

    /// Sends a request and says its number.
    pub fn send(&mut self, from: Address, command: Command) -> u64 {
        *self.requests += 1;
        let id = *self.requests;
        self.out.push(Effect::Send(Request { id, from, command }));
        id
    }
}

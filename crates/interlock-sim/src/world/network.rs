//! Connections: requests and answers take time, get lost, and reach nobody who has hung up.

use super::{Next, World};
use crate::actor::{Address, Request};
use crate::feature::Feature;
use interlock_core::{Command, Reply};
use std::collections::BTreeMap;

/// Open connections, by request, with who waits at the other end.
#[derive(Default)]
pub struct Network {
    open: BTreeMap<u64, Address>,
}

impl Network {
    /// The other end hung up.
    pub fn close(&mut self, id: u64) {
        self.open.remove(&id);
    }

    /// Whether somebody still waits for the answer.
    pub fn is_open(&self, id: u64) -> bool {
        self.open.contains_key(&id)
    }

    /// Who still waits for the answer.
    pub fn end_of(&self, id: u64) -> Option<Address> {
        self.open.get(&id).copied()
    }

    /// A process died, and its connections with it.
    pub fn close_all(&mut self, index: usize, life: u64) {
        let dead = Address::Process { index, life };
        self.open.retain(|_, address| *address != dead);
    }

    /// The server died: every connection breaks.
    pub fn break_all(&mut self) -> Vec<(u64, Address)> {
        std::mem::take(&mut self.open).into_iter().collect()
    }
}

impl World {
    pub(super) fn send(&mut self, request: Request) {
        self.network.open.insert(request.id, request.from);
        if self.loses_message() {
            return;
        }
        let arrives = self.clock.time + self.delay();
        if self.arrives_twice(&request) {
            let later = arrives + self.delay() + self.rng.below(2_000);
            self.queue
                .plan(later, Next::Arrive(Box::new(request.clone())));
        }
        self.queue.plan(arrives, Next::Arrive(Box::new(request)));
    }

    fn loses_message(&mut self) -> bool {
        let trouble = self.calm_until.is_none() && self.features.has(Feature::LostMessages);
        trouble && self.rng.percent(3)
    }

    /// Only what a client may repeat by itself comes twice.
    fn arrives_twice(&mut self, request: &Request) -> bool {
        let repeatable = match &request.command {
            Command::Take(_) | Command::Finish { .. } => true,
            Command::Submit(submit) => submit.items.iter().all(|i| i.idempotency_key.is_some()),
            _ => false,
        };
        let trouble = self.calm_until.is_none() && self.features.has(Feature::Repeats);
        repeatable && trouble && self.rng.percent(3)
    }

    fn delay(&mut self) -> u64 {
        if self.calm_until.is_some() {
            return self.rng.range(1, 5);
        }
        match self.rng.below(200) {
            0 => self.rng.range(300, 3_000),
            1..=8 => self.rng.range(20, 300),
            _ => self.rng.range(1, 10),
        }
    }

    pub(super) fn arrive(&mut self, request: Request) {
        let registers = matches!(request.command, Command::Register(_));
        if registers && !self.network.is_open(request.id) {
            // A registration that vouches for a death must not act after its sender gave up on it:
            // by then the name may belong to a living process.
            return;
        }
        if self.goes_elsewhere(&request) {
            return;
        }
        if self.server.core.is_none() {
            let (id, to) = (request.id, request.from);
            return self
                .queue
                .plan(self.clock.time + 1, Next::Broken { id, to });
        }
        self.server.inbox.push_back(request);
        let soon = self.clock.time + self.rng.below(3);
        self.plan_serve(soon);
    }

    /// Sends an answer. Says whether it is known that nobody will get it.
    pub(super) fn respond(&mut self, id: u64, reply: Reply) -> bool {
        if !self.network.is_open(id) {
            return true;
        }
        if !self.loses_message() {
            let arrives = self.clock.time + self.delay();
            let reply = Box::new(reply);
            self.queue.plan(arrives, Next::Deliver { id, reply });
        }
        false
    }

    pub(super) fn deliver(&mut self, id: u64, reply: Box<Reply>) {
        let Some(address) = self.network.open.get(&id).copied() else {
            return;
        };
        if let Some(later) = self.deferred(address) {
            return self.queue.plan(later, Next::Deliver { id, reply });
        }
        self.network.close(id);
        if let Address::Process { index, .. } = address {
            self.with_process(index, |process, ctx| process.on_reply(ctx, id, *reply));
        }
    }

    pub(super) fn broken(&mut self, id: u64, to: Address) {
        if let Some(later) = self.deferred(to) {
            return self.queue.plan(later, Next::Broken { id, to });
        }
        self.network.close(id);
        if let Address::Process { index, life } = to
            && self.processes[index].life == life
        {
            self.with_process(index, |process, ctx| process.unanswered(ctx, id));
        }
    }

    /// When somebody who stands still will notice.
    fn deferred(&self, address: Address) -> Option<u64> {
        let Address::Process { index, life } = address else {
            return None;
        };
        let process = &self.processes[index];
        (process.life == life && process.paused_until > self.clock.time)
            .then_some(process.paused_until)
    }
}

//! A zombie: a node that stood still, or could not renew, while another one took over. It changes
//! nothing, and since its lease is over by its own clock, it answers nothing.

use super::{Held, LEASE_MS, LOOKS, NodeEvent, Nodes};
use crate::actor::{Address, Request};
use crate::seeded::NodeBug;
use crate::situation::Situation;
use crate::world::World;
use interlock_core::{Command, Core, Reply};
use std::collections::VecDeque;

/// How long a zombie that does not know better goes on, in worlds where that is a bug.
const MISTAKEN_FOR_MS: u64 = 30_000;

/// A node that thinks that it is the owner.
pub struct Zombie {
    pub(super) id: u64,
    node: usize,
    core: Core,
    inbox: VecDeque<Request>,
    parked: Vec<u64>,
    held: Option<Held>,
    /// Until when it may answer, by its own clock.
    until: u64,
    wakes_at: u64,
    /// How far its boot-time clock is from the world's time.
    offset: i64,
}

impl Nodes {
    /// A zombie that a client, or a node that passes requests on, takes for the owner.
    pub(super) fn mistaken_for_owner(&mut self, request: &Request, time: u64) -> Option<u64> {
        let zombie = self.zombies.last()?;
        let (id, asleep) = (zombie.id, zombie.wakes_at > time);
        // Those who talk to one that is awake stay with it for as long as it takes.
        let stays = match request.from {
            Address::Process { index, .. } => (index as u64 + id).is_multiple_of(2),
            Address::Submitter => id.is_multiple_of(3),
            Address::Operator => false,
        };
        let goes = match asleep {
            true => request.from != Address::Operator && self.rng.percent(15),
            false => stays,
        };
        goes.then_some(id)
    }
}

impl World {
    /// Somebody else takes over from an owner that is still there.
    pub(super) fn make_zombie(&mut self) {
        let time = self.clock.time;
        let paused_until = self.server.paused_until;
        let Some(core) = self.server.core.take() else {
            return;
        };
        let waiting = std::mem::take(&mut self.server.waiting);
        let parked = waiting.into_values().flat_map(|one| one.requests);
        let parked = parked.collect();
        let inbox = std::mem::take(&mut self.server.inbox);
        self.server.die();
        self.serve_at = None;
        let Some(nodes) = &mut self.nodes else {
            return;
        };
        nodes.zombies_ever += 1;
        let id = nodes.zombies_ever;
        let wakes_at = paused_until.max(time);
        // It learns with its next renewal.
        let learns_at = match nodes.has(NodeBug::ZombieRenewsLeases) {
            true => wakes_at + MISTAKEN_FOR_MS,
            false => wakes_at.max(nodes.cut_until) + nodes.rng.range(1, LEASE_MS / LOOKS),
        };
        nodes.away_until[nodes.owner] = learns_at;
        nodes.zombies.push(Zombie {
            id,
            node: nodes.owner,
            core,
            inbox,
            parked,
            held: nodes.held.take(),
            until: nodes.until,
            wakes_at,
            offset: self.clock.elapsed_offset(),
        });
        self.plan_node(wakes_at - time, NodeEvent::Wakes(id));
        self.plan_node(learns_at - time, NodeEvent::Learns(id));
    }

    /// A request reaches a zombie.
    pub(super) fn reach_zombie(&mut self, id: u64, request: Request) {
        let time = self.clock.time;
        let asleep = |zombie: &&mut Zombie| zombie.id == id && zombie.wakes_at > time;
        let nodes = self.nodes.as_mut();
        let asleep = nodes.and_then(|nodes| nodes.zombies.iter_mut().find(asleep));
        match asleep {
            Some(zombie) => zombie.inbox.push_back(request),
            None => self.ask_zombie(id, request),
        }
    }

    pub(super) fn zombie_wakes(&mut self, id: u64) {
        let Some(zombie) = self.zombie(id) else {
            return;
        };
        let (held, inbox) = (zombie.held.take(), std::mem::take(&mut zombie.inbox));
        self.note_node("has a zombie that wakes up");
        self.oracle.situations.reach(Situation::ZombieWoke);
        if let Some(held) = held {
            self.zombie_carries_on(id, held);
        }
        for request in inbox {
            self.ask_zombie(id, request);
        }
    }

    /// What it had committed before it stopped it may answer. What it had not it can't commit any more.
    fn zombie_carries_on(&mut self, id: u64, mut held: Held) {
        if held.committed {
            self.oracle.situations.reach(Situation::AnsweredLate);
            for decided in &held.batch {
                if let Some(id) = decided.request
                    && !matches!(decided.step.reply, Reply::Parked { .. })
                {
                    self.respond(id, decided.step.reply.clone());
                }
            }
            return;
        }
        let nodes = self.nodes.as_ref();
        if nodes.is_some_and(|nodes| nodes.has(NodeBug::EpochNotAsserted)) {
            if self.commit_all(&mut held.batch) {
                self.answer_all(&held.batch);
            }
            return;
        }
        if held.batch.iter().any(|one| one.step.record.is_some()) {
            self.oracle.situations.reach(Situation::ZombieWriteRefused);
        }
        for decided in &held.batch {
            if let Some(id) = decided.request {
                self.break_off(id);
            }
        }
        self.zombie_learns(id);
    }

    /// It looks at its lease after the call has arrived.
    fn ask_zombie(&mut self, id: u64, request: Request) {
        let time = self.clock.time;
        let mistaken = self.nodes.as_ref();
        let mistaken = mistaken.is_some_and(|nodes| nodes.has(NodeBug::ZombieRenewsLeases));
        let wall = self.clock.now().wall;
        let zombie = self.zombie(id);
        let Some(zombie) = zombie.filter(|zombie| mistaken || time < zombie.until) else {
            if matches!(request.command, Command::Beat(_)) {
                self.oracle.situations.reach(Situation::ZombieRefuses);
            }
            return self.break_off(request.id);
        };
        let Command::Beat(_) = request.command else {
            return self.break_off(request.id);
        };
        let mut now = zombie.core.now();
        now.elapsed.0 = now.elapsed.0.max(time.saturating_add_signed(zombie.offset));
        now.wall = now.wall.max(wall);
        let decision = zombie.core.decide(now, request.command);
        self.respond(request.id, decision.reply);
    }

    /// It is dead, and joins as another node.
    pub(super) fn zombie_learns(&mut self, id: u64) {
        let time = self.clock.time;
        let Some(nodes) = &mut self.nodes else {
            return;
        };
        let Some(at) = nodes.zombies.iter().position(|zombie| zombie.id == id) else {
            return;
        };
        let zombie = nodes.zombies.remove(at);
        nodes.away_until[zombie.node] = time;
        let held = zombie.held.into_iter().flat_map(|held| held.batch);
        let mut ids: Vec<u64> = held.filter_map(|decided| decided.request).collect();
        ids.extend(zombie.inbox.iter().map(|request| request.id));
        ids.extend(zombie.parked);
        for id in ids {
            self.break_off(id);
        }
    }

    fn zombie(&mut self, id: u64) -> Option<&mut Zombie> {
        let nodes = self.nodes.as_mut()?;
        nodes.zombies.iter_mut().find(|zombie| zombie.id == id)
    }
}

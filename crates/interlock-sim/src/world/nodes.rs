//! Several nodes over one store: one of them owns the namespace at a time. Here is what the store
//! knows (whose lease runs until when, which epoch is in force) and how the owner keeps its lease.
//!
//! The owner's cell is the world's server. A node that still thinks that it is the owner, and is not,
//! is a zombie. Who claims what nobody serves is drawn, so that any placement will do.

mod moves;
mod trouble;
mod zombie;

use super::{Next, World};
use crate::actor::{Address, Request};
use crate::feature::Feature;
use crate::rng::Rng;
use crate::seeded::NodeBug;
use crate::situation::Situation;
use interlock_core::Core;
pub(super) use trouble::{Held, Trouble};
use zombie::Zombie;

/// How long a node's lease is granted for.
pub(super) const LEASE_MS: u64 = 3_000;
/// Renewals, and looks, within one lease.
const LOOKS: u64 = 4;
/// A part of each lease that is left unused.
const MARGIN: u64 = 10;

/// What happens to nodes.
#[derive(Clone, Copy, Debug)]
pub enum NodeEvent {
    /// The owner renews its lease.
    Renew,
    /// The others look whether somebody has to take over.
    Look,
    /// Something goes wrong, or is asked for.
    Trouble,
    /// A node claims the namespace, if nothing has changed since.
    Claim {
        /// Which node.
        by: usize,
        /// The epoch that was in force when it planned to.
        epoch: u64,
    },
    /// A zombie wakes up.
    Wakes(u64),
    /// A zombie learns that it is one.
    Learns(u64),
}

/// The nodes of a world.
pub struct Nodes {
    /// Chance, on a stream of its own: worlds of one node stay what they are.
    pub(super) rng: Rng,
    /// Until when each node can't claim: it is down, or gives its namespaces away.
    away_until: Vec<u64>,
    /// Whom the ownership row names.
    owner: usize,
    /// Grows with every change of the ownership row.
    epoch: u64,
    /// The owner's lease, by the store's clock.
    lease_until: u64,
    /// Until when the owner may answer, by its own.
    until: u64,
    /// Until then no renewal reaches the store.
    cut_until: u64,
    /// What is going to happen to the owner at its next commit.
    trouble: Option<Trouble>,
    /// What the owner had decided when it stopped.
    held: Option<Held>,
    zombies: Vec<Zombie>,
    zombies_ever: u64,
    /// What was read of the store before a claim: only by mistake.
    read: Option<Core>,
    bug: Option<NodeBug>,
}

impl Nodes {
    /// The nodes of a seed.
    pub(super) fn draw(seed: u64, bug: Option<NodeBug>) -> Self {
        let mut rng = Rng::new(seed ^ 0x006e_6f64_6573);
        let count = rng.range(2, 3) as usize;
        Self {
            rng,
            away_until: vec![0; count],
            owner: 0,
            epoch: 1,
            lease_until: 0,
            until: 0,
            cut_until: 0,
            trouble: None,
            held: None,
            zombies: Vec::new(),
            zombies_ever: 0,
            read: None,
            bug,
        }
    }

    fn has(&self, bug: NodeBug) -> bool {
        self.bug == Some(bug)
    }

    /// A lease is granted by an answer to a call that was sent at this time.
    fn granted(&mut self, sent: u64, time: u64) {
        self.lease_until = time + LEASE_MS;
        self.until = sent + LEASE_MS - LEASE_MS / MARGIN;
    }

    /// One that can take over. Not the owner, if that still thinks that it serves.
    fn heir(&mut self, time: u64, but: Option<usize>) -> Option<usize> {
        let can = |node: &usize| self.away_until[*node] <= time && but != Some(*node);
        let able: Vec<usize> = (0..self.away_until.len()).filter(can).collect();
        (!able.is_empty()).then(|| *self.rng.pick(&able))
    }
}

impl World {
    pub(super) fn set_up_nodes(&mut self) {
        if !self.features.has(Feature::Nodes) {
            return;
        }
        let mut nodes = Nodes::draw(self.options.seed, self.options.node_bug());
        let time = self.clock.time;
        nodes.granted(time, time);
        self.nodes = Some(nodes);
        self.plan_node(LEASE_MS / LOOKS, NodeEvent::Renew);
        self.plan_node(LEASE_MS / LOOKS, NodeEvent::Look);
        self.plan_node(2_000, NodeEvent::Trouble);
    }

    pub(super) fn plan_node(&mut self, after: u64, event: NodeEvent) {
        self.queue.plan(self.clock.time + after, Next::Node(event));
    }

    pub(super) fn happen_to_nodes(&mut self, event: NodeEvent) {
        match event {
            NodeEvent::Renew => self.renew(),
            NodeEvent::Look => self.look_for_the_dead(),
            NodeEvent::Trouble => self.next_trouble(),
            NodeEvent::Claim { by, epoch } => self.claim_if_unchanged(by, epoch),
            NodeEvent::Wakes(id) => self.zombie_wakes(id),
            NodeEvent::Learns(id) => self.zombie_learns(id),
        }
    }

    /// Whether the owner may answer, as far as its own clock tells.
    pub(super) fn may_answer(&self) -> bool {
        let time = self.clock.time;
        let may = |nodes: &Nodes| time < nodes.until || nodes.has(NodeBug::ZombieRenewsLeases);
        self.nodes.as_ref().is_none_or(may)
    }

    /// The owner asks for another lease, if it can.
    fn renew(&mut self) {
        let time = self.clock.time;
        let paused_until = self.server.paused_until;
        let is_up = self.server.core.is_some();
        let could = self.may_answer();
        let Some(nodes) = &mut self.nodes else {
            return;
        };
        let soon = LEASE_MS / LOOKS + nodes.rng.below(20);
        let later = paused_until.saturating_sub(time);
        self.plan_node(soon.max(later), NodeEvent::Renew);
        let Some(nodes) = self.nodes.as_mut().filter(|_| is_up && later == 0) else {
            return;
        };
        if nodes.cut_until > time {
            return;
        }
        if nodes.lease_until > time {
            let lag = nodes.rng.below(30);
            nodes.granted(time - lag, time);
            if !could {
                self.wakes_up();
                self.plan_serve(time);
                self.plan_tick();
            }
            return;
        }
        // It is dead, joins as another one, and serves nothing.
        self.note_node("its lease has ended");
        self.drop_cell();
    }

    /// Somebody takes over when the owner's lease is over by the store's clock.
    fn look_for_the_dead(&mut self) {
        let time = self.clock.time;
        let is_up = self.server.core.is_some();
        let Some(nodes) = &mut self.nodes else {
            return;
        };
        let soon = LEASE_MS / LOOKS / 2 + nodes.rng.below(LEASE_MS / LOOKS);
        let zombie_to_be = is_up.then_some(nodes.owner);
        let is_over = nodes.lease_until <= time || nodes.has(NodeBug::ClaimFromTheLiving);
        let heir = match is_over {
            true => nodes.heir(time, zombie_to_be),
            false => None,
        };
        self.plan_node(soon, NodeEvent::Look);
        if heir.is_none() {
            self.read_before_claim();
        }
        if let Some(heir) = heir {
            self.oracle.situations.reach(Situation::NodeTakenOver);
            self.claim(heir);
        }
    }

    fn read_before_claim(&mut self) {
        if let Some(nodes) = &mut self.nodes
            && nodes.has(NodeBug::LoadBeforeClaim)
        {
            nodes.read = Some(self.server.recover());
        }
    }

    /// What a claimant has of a load before its claim.
    pub(super) fn read_too_early(&mut self) -> Option<Core> {
        self.nodes.as_mut().and_then(|nodes| nodes.read.take())
    }

    fn claim_if_unchanged(&mut self, by: usize, epoch: u64) {
        let time = self.clock.time;
        let unchanged = |nodes: &&mut Nodes| nodes.epoch == epoch && nodes.lease_until > time;
        if self.nodes.as_mut().filter(unchanged).is_some() {
            self.claim(by);
        }
    }

    /// A node becomes the owner: the row is changed first, then the namespace is loaded.
    fn claim(&mut self, by: usize) {
        let time = self.clock.time;
        self.note_node("claims the namespace");
        if self.server.core.is_some() {
            self.make_zombie();
        }
        if let Some(nodes) = &mut self.nodes {
            nodes.epoch += 1;
            nodes.owner = by;
            nodes.cut_until = 0;
            nodes.trouble = None;
            // It has had a lease all the time.
            let ago = nodes.rng.below(LEASE_MS / LOOKS);
            nodes.granted(time - ago, time - ago);
        }
        self.server.paused_until = 0;
        self.server.resumes_elsewhere = true;
        self.recover();
    }

    /// The owner stops serving; whoever waits for an answer of it hears that.
    pub(super) fn drop_cell(&mut self) {
        let waiting = std::mem::take(&mut self.server.waiting);
        let parked = waiting.into_values().flat_map(|one| one.requests);
        let mut ids: Vec<u64> = parked.collect();
        ids.extend(self.server.inbox.iter().map(|request| request.id));
        self.server.die();
        self.serve_at = None;
        if let Some(held) = self.nodes.as_mut().and_then(|nodes| nodes.held.take()) {
            ids.extend(held.batch.iter().filter_map(|decided| decided.request));
        }
        for id in ids {
            self.break_off(id);
        }
    }

    /// Whoever waits for this answer will notice that there is none.
    pub(super) fn break_off(&mut self, id: u64) {
        let Some(to) = self.network.end_of(id) else {
            return;
        };
        let nodes = self.nodes.as_mut();
        let soon = nodes.map_or(1, |nodes| nodes.rng.range(1, 60));
        let at = self.clock.time + soon;
        self.queue.plan(at, Next::Broken { id, to });
    }

    /// What has arrived at an owner that may not answer is refused.
    pub(super) fn refuse_all(&mut self) {
        for request in std::mem::take(&mut self.server.inbox) {
            self.break_off(request.id);
        }
    }

    /// Where a request goes: to the owner, or to one who was it and does not know better. Says whether
    /// it is dealt with.
    pub(super) fn goes_elsewhere(&mut self, request: &Request) -> bool {
        let time = self.clock.time;
        let is_down = self.server.core.is_none();
        let Some(nodes) = &mut self.nodes else {
            return false;
        };
        if let Some(id) = nodes.mistaken_for_owner(request, time) {
            self.reach_zombie(id, request.clone());
            return true;
        }
        // During a move a request waits a little.
        if is_down && nodes.rng.percent(50) && request.from != Address::Operator {
            let later = time + nodes.rng.range(20, 200);
            let request = Box::new(request.clone());
            self.queue.plan(later, Next::Arrive(request));
            return true;
        }
        false
    }

    /// The owner was killed. Others take over when its lease is over; it may come back then.
    pub(super) fn owner_died(&mut self, away_ms: u64) {
        let time = self.clock.time;
        if let Some(nodes) = &mut self.nodes {
            nodes.held = None;
            nodes.trouble = None;
            let back = nodes.lease_until.max(time + away_ms);
            nodes.away_until[nodes.owner] = back;
        }
    }

    /// No more trouble: everybody is there, nobody is mistaken.
    pub(super) fn calm_nodes(&mut self) {
        let Some(nodes) = &mut self.nodes else {
            return;
        };
        nodes.trouble = None;
        nodes.cut_until = 0;
        nodes.away_until.fill(0);
        let zombies: Vec<u64> = nodes.zombies.iter().map(|zombie| zombie.id).collect();
        for id in zombies {
            self.zombie_learns(id);
        }
    }

    fn note_node(&mut self, what: &str) {
        let time = self.clock.time;
        let Some(nodes) = &self.nodes else {
            return;
        };
        let (owner, epoch) = (nodes.owner, nodes.epoch);
        self.trace.number(time ^ epoch << 32);
        let line = || format!("{time} node {owner}, epoch {epoch}: {what}");
        self.trace.line(line);
    }
}

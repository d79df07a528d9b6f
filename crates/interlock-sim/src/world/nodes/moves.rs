//! Moves in order: the owner writes what it has decided, stops, and gives the namespace to another
//! node, which claims it once more before it loads it.

use super::{LEASE_MS, LOOKS, NodeEvent};
use crate::seeded::NodeBug;
use crate::situation::Situation;
use crate::world::World;
use crate::world::server::Decided;

/// How long a node that gives its namespaces away takes none.
const DRAINS_FOR_MS: u64 = 10_000;

impl World {
    pub(super) fn hand_over(&mut self, mut batch: Vec<Decided>, drains: bool) {
        let too_early = self.nodes.as_ref();
        let too_early = too_early.is_some_and(|nodes| nodes.has(NodeBug::HandOverBeforeLastCommit));
        if !too_early && !self.commit_all(&mut batch) {
            return;
        }
        self.answer_all(&batch);
        if !too_early {
            self.checkpoint_some(usize::MAX);
            self.server.begin_checkpoint();
            self.checkpoint_some(usize::MAX);
        }
        self.drop_cell();
        self.oracle.situations.reach(Situation::HandedOver);
        self.give(drains);
    }

    fn give(&mut self, drains: bool) {
        let time = self.clock.time;
        self.note_node("gives the namespace away");
        let Some(nodes) = &mut self.nodes else {
            return;
        };
        let from = nodes.owner;
        if drains {
            nodes.away_until[from] = time + DRAINS_FOR_MS;
            self.oracle.situations.reach(Situation::NodeDrained);
        }
        let to = nodes.heir(time, None).unwrap_or(from);
        nodes.epoch += 1;
        nodes.owner = to;
        let ago = nodes.rng.below(LEASE_MS / LOOKS);
        nodes.granted(time - ago, time - ago);
        let (by, epoch) = (to, nodes.epoch);
        if nodes.rng.percent(10) {
            // It dies before it hears of its luck.
            nodes.away_until[to] = nodes.lease_until + nodes.rng.wait(1_500);
            return self.oracle.situations.reach(Situation::HeirDies);
        }
        // It is told, or finds it when it looks.
        let soon = match nodes.rng.below(5) {
            0 => nodes.rng.range(1, LEASE_MS / LOOKS),
            _ => nodes.rng.range(1, 30),
        };
        self.plan_node(soon, NodeEvent::Claim { by, epoch });
    }
}

//! What goes wrong with the owner, or is asked of it; and commits that take long, or have no answer.

use super::{LEASE_MS, NodeEvent};
use crate::seeded::NodeBug;
use crate::situation::Situation;
use crate::world::World;
use crate::world::server::Decided;

/// What is going to happen to the owner at its next commit.
#[derive(Clone, Copy, Debug)]
pub enum Trouble {
    /// It stands still between decision and answer.
    Stop {
        /// How long.
        for_ms: u64,
        /// The append is with the store already, which commits it.
        sent: bool,
    },
    /// The connection is lost before the answer.
    Unsure {
        /// The commit took effect.
        done: bool,
    },
    /// It gives the namespace to another node.
    HandOver {
        /// And takes no other for a while.
        drains: bool,
    },
}

/// What was decided and not answered when the owner stopped.
pub struct Held {
    /// What was decided.
    pub batch: Vec<Decided>,
    /// The store has committed it.
    pub committed: bool,
}

impl World {
    pub(super) fn next_trouble(&mut self) {
        if self.calm_until.is_some() {
            return;
        }
        let time = self.clock.time;
        let Some(nodes) = &mut self.nodes else {
            return;
        };
        let for_ms = nodes.rng.wait(LEASE_MS);
        match nodes.rng.below(100) {
            0..=29 => {
                let sent = nodes.rng.percent(50);
                nodes.trouble = Some(Trouble::Stop { for_ms, sent });
            }
            30..=49 => {
                let done = nodes.rng.percent(50);
                nodes.trouble = Some(Trouble::Unsure { done });
            }
            50..=69 => {
                let drains = nodes.rng.percent(40);
                nodes.trouble = Some(Trouble::HandOver { drains });
            }
            70..=84 => nodes.cut_until = time + for_ms,
            _ => {
                let until = self.server.paused_until.max(time + for_ms);
                self.server.paused_until = until;
                self.wakes_up();
            }
        }
        let wait = self.nodes.as_mut().map_or(1, |nodes| nodes.rng.wait(2_500));
        self.plan_node(wait, NodeEvent::Trouble);
    }

    pub(in crate::world) fn take_trouble(&mut self) -> Option<Trouble> {
        self.nodes.as_mut().and_then(|nodes| nodes.trouble.take())
    }

    /// Lets trouble strike between a decision and its answers.
    pub(in crate::world) fn trouble(&mut self, trouble: Trouble, batch: Vec<Decided>) {
        match trouble {
            Trouble::Stop { for_ms, sent } => self.stop_amid(batch, for_ms, sent),
            Trouble::Unsure { done } => self.unsure(batch, done),
            Trouble::HandOver { drains } => self.hand_over(batch, drains),
        }
    }

    fn stop_amid(&mut self, mut batch: Vec<Decided>, for_ms: u64, sent: bool) {
        self.note_node("stands still between decision and answer");
        if sent && !self.commit_all(&mut batch) {
            return;
        }
        if let Some(nodes) = &mut self.nodes {
            let committed = sent;
            nodes.held = Some(Held { batch, committed });
        }
        self.server.paused_until = self.server.paused_until.max(self.clock.time + for_ms);
        self.wakes_up();
        self.plan_serve(self.server.paused_until);
    }

    /// An owner that stood still carries on where it was. Says whether there was anything.
    pub(in crate::world) fn carry_on(&mut self) -> bool {
        let held = self.nodes.as_mut().and_then(|nodes| nodes.held.take());
        let Some(mut held) = held else {
            return false;
        };
        if !held.committed && !self.commit_all(&mut held.batch) {
            return true;
        }
        self.answer_all(&held.batch);
        self.plan_next();
        true
    }

    /// Nobody knows whether it was committed: the owner claims the namespace anew and loads it.
    fn unsure(&mut self, mut batch: Vec<Decided>, done: bool) {
        self.note_node("a commit without an answer");
        if done && !self.commit_all(&mut batch) {
            return;
        }
        let writes = batch.iter().any(|decided| decided.step.record.is_some());
        if writes {
            self.oracle.situations.reach(match done {
                true => Situation::UnsureDone,
                false => Situation::UnsureNotDone,
            });
        }
        for decided in &batch {
            if let Some(id) = decided.request {
                self.break_off(id);
            }
        }
        let nodes = self.nodes.as_mut();
        if nodes.is_some_and(|nodes| nodes.has(NodeBug::OwnerDoesNotReload)) {
            return self.plan_next();
        }
        self.drop_cell();
        self.plan_claim_of_owner();
    }

    fn plan_claim_of_owner(&mut self) {
        let Some(nodes) = &mut self.nodes else {
            return;
        };
        let (by, epoch) = (nodes.owner, nodes.epoch);
        let soon = nodes.rng.range(1, 300);
        self.plan_node(soon, NodeEvent::Claim { by, epoch });
    }

    /// Commits what was decided. Says whether nothing was wrong with it.
    pub(super) fn commit_all(&mut self, batch: &mut [Decided]) -> bool {
        for decided in batch {
            self.commit(&mut decided.step);
            if self.oracle.findings.first().is_some() {
                return false;
            }
        }
        true
    }

    pub(super) fn answer_all(&mut self, batch: &[Decided]) {
        for index in 0..batch.len() {
            self.answer(batch, index);
        }
    }
}

//! Clocks: the database's, by which leases are judged, and the nodes' own, which may lose time.

use super::Protocol;
use crate::action::Action;
use crate::bounds::{DRIFT, RUN_LEASE};
use crate::state::{Cell, Lease, Node, Row, State};

impl<const N: usize> Protocol<N> {
    pub(super) fn offer_time(&self, state: &State<N>, out: &mut Vec<Action>) {
        let mut may_lose = 0;
        for (index, node) in state.nodes.iter().enumerate() {
            if self.bounds.drift && may_lose_a_tick(node) {
                may_lose |= 1 << index;
            }
        }
        let sets = (0..1 << N).filter(|slow| slow & !may_lose == 0);
        out.extend(sets.map(|slow| Action::Tick { slow }));
        if state.set_backs > 0 {
            out.push(Action::SetBack);
        }
    }

    pub(super) fn pass(&self, state: &mut State<N>, action: Action) {
        match action {
            Action::Tick { slow } => self.tick(state, slow),
            _ => set_back(state),
        }
    }

    fn tick(&self, state: &mut State<N>, slow: u8) {
        for row in &mut state.rows {
            *row = match *row {
                Row::Alive(left) if left > 1 => Row::Alive(left - 1),
                Row::Alive(_) | Row::Over => Row::Over,
                Row::Ended => Row::Ended,
            };
        }
        for (index, node) in state.nodes.iter_mut().enumerate() {
            match slow & 1 << index {
                0 => count(node, self.bounds.lease),
                _ => lose(node),
            }
            if let Cell::Serving { deadline, .. } = &mut node.cell {
                *deadline = deadline.saturating_sub(1);
            }
        }
        state.worker = state.worker.saturating_sub(1);
        if let Some(beat) = &mut state.beat {
            beat.ago = (beat.ago + 1).min(RUN_LEASE);
        }
    }
}

/// Whether its clock has not lost as much within a lease as it may.
fn may_lose_a_tick(node: &Node) -> bool {
    let counts = node.lease.left > 0 || node.renewal.is_some();
    let renewal = node.renewal.map_or(0, |renewal| renewal.lost);
    counts && node.lease.lost < DRIFT && renewal < DRIFT
}

/// A tick of its own clock.
fn count(node: &mut Node, lease: u8) {
    node.lease.left = node.lease.left.saturating_sub(1);
    if node.lease.left == 0 {
        node.lease = Lease::default();
    }
    if let Some(renewal) = &mut node.renewal {
        renewal.ago = (renewal.ago + 1).min(lease);
    }
}

/// A tick that its own clock does not show.
fn lose(node: &mut Node) {
    if node.lease.left > 0 {
        node.lease.lost += 1;
    }
    if let Some(renewal) = &mut node.renewal {
        renewal.lost += 1;
    }
}

/// Leases by the database's clock are longer than before; one that was over may not be.
fn set_back<const N: usize>(state: &mut State<N>) {
    state.set_backs -= 1;
    for row in &mut state.rows {
        *row = match *row {
            Row::Alive(left) => Row::Alive(left + 1),
            Row::Over => Row::Alive(1),
            Row::Ended => Row::Ended,
        };
    }
}

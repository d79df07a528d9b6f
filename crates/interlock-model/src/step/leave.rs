//! Going, in order or not: hand-over, leaving, and kill -9.

use super::Protocol;
use crate::action::Action;
use crate::mutation::Mutation;
use crate::state::{Cell, Epoch, Lease, Row, Stage, State};

impl<const N: usize> Protocol<N> {
    pub(super) fn offer_leaving(&self, state: &State<N>, out: &mut Vec<Action>) {
        for node in self.nodes() {
            let own = &state.nodes[node as usize];
            if !own.joined {
                continue;
            }
            let idle = state.append_of(node).is_none();
            let is_current = |epoch| epoch == Epoch::Current && !state.is_locked();
            if let Cell::Serving { epoch, .. } = own.cell
                && idle
                && is_current(epoch)
            {
                let others = self.nodes().filter(|other| *other != node);
                let alive = others.filter(|other| state.rows[*other as usize].is_alive());
                out.extend(alive.map(|other| Action::HandOver(node, other)));
            }
            if idle && !state.is_locked() {
                out.push(Action::Leave(node));
            }
            if idle || self.can_lose(state, node) {
                out.push(Action::Crash(node));
            }
        }
    }

    /// Whether there is room for one more append whose sender is gone.
    pub(super) fn can_lose(&self, state: &State<N>, node: u8) -> bool {
        let append = state.append_of(node).and_then(|at| state.appends[at]);
        let is_answered = append.is_some_and(|append| append.stage == Stage::Done);
        is_answered || state.lost_appends() < self.bounds.lost_appends
    }

    pub(super) fn go(&self, state: &mut State<N>, action: Action) {
        match action {
            Action::HandOver(node, to) => self.hand_over(state, node, to),
            Action::Leave(node) => {
                if state.owner == Some(node) {
                    state.raise_epoch();
                    state.owner = None;
                }
                state.rows[node as usize] = Row::Ended;
                end(state, node);
            }
            Action::Crash(node) => {
                if let Some(at) = state.append_of(node) {
                    state.forget_sender(at);
                }
                end(state, node);
            }
            _ => {}
        }
    }

    /// Everything is written and the cell gone before the row is changed. The other node claims the
    /// namespace once more before it loads it.
    fn hand_over(&self, state: &mut State<N>, node: u8, to: u8) {
        state.raise_epoch();
        state.owner = Some(to);
        if !self.has(Mutation::HandOverKeepsServing) {
            state.drop_cell(node);
        }
    }
}

/// The process knows nothing any more.
fn end<const N: usize>(state: &mut State<N>, node: u8) {
    state.drop_cell(node);
    let own = &mut state.nodes[node as usize];
    own.joined = false;
    own.lease = Lease::default();
    own.renewal = None;
}

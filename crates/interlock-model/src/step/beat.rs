//! Beats: answered from memory, so that nothing but the lease keeps a zombie from answering.

use super::Protocol;
use crate::action::Action;
use crate::bounds::RUN_LEASE;
use crate::mutation::Mutation;
use crate::state::{At, Beat, Cell, State, Write};

impl<const N: usize> Protocol<N> {
    pub(super) fn offer_beats(&self, state: &State<N>, out: &mut Vec<Action>) {
        match state.beat.map(|beat| beat.at) {
            None => out.push(Action::BeatSend),
            Some(At::Network) => {
                let passes = |node: &u8| self.passes(state, *node);
                out.extend(self.nodes().filter(passes).map(Action::MayAnswer));
                let checked = |node: &u8| state.nodes[*node as usize].checked;
                out.extend(self.nodes().filter(checked).map(Action::BeatArrive));
                out.push(Action::BeatLost);
            }
            Some(At::Checked(node)) => out.push(Action::BeatAnswer(node)),
        }
        if self.has(Mutation::CheckBeforeArrival) {
            let able = |node: &u8| {
                let own = &state.nodes[*node as usize];
                own.is_serving() && own.may_answer() && !own.checked
            };
            out.extend(self.nodes().filter(able).map(Action::MayAnswer));
        }
    }

    /// Whether a node that looks at its lease now, when a call has arrived, answers it.
    fn passes(&self, state: &State<N>, node: u8) -> bool {
        let own = &state.nodes[node as usize];
        let good = match self.mutation {
            Some(Mutation::NoCheck) => true,
            Some(Mutation::CheckBeforeArrival) => false,
            _ => own.may_answer(),
        };
        own.is_serving() && good
    }

    pub(super) fn beat(&self, state: &mut State<N>, action: Action) {
        match action {
            Action::BeatSend => {
                state.beat = Some(Beat {
                    ago: 0,
                    knew: state.acknowledged,
                    at: At::Network,
                });
            }
            Action::BeatLost => state.beat = None,
            Action::BeatArrive(node) => {
                state.nodes[node as usize].checked = false;
                state.put_beat(node);
            }
            Action::MayAnswer(node) => self.check(state, node),
            Action::BeatAnswer(node) => answer(state, node),
            _ => {}
        }
    }

    fn check(&self, state: &mut State<N>, node: u8) {
        if self.has(Mutation::CheckBeforeArrival) {
            state.nodes[node as usize].checked = true;
        } else {
            state.put_beat(node);
        }
    }
}

impl<const N: usize> State<N> {
    fn put_beat(&mut self, node: u8) {
        if let Some(beat) = &mut self.beat {
            beat.at = At::Checked(node);
        }
    }
}

/// The worker counts from the sending, so that it does not matter when it hears.
fn answer<const N: usize>(state: &mut State<N>, node: u8) {
    let Some(beat) = state.beat.take() else {
        return;
    };
    let under_way = state.append_of(node).and_then(|at| state.appends[at]);
    if under_way.is_some_and(|append| append.write == Write::RELEASE) {
        // Decided already: what the worker hears is that, once it is committed, or nothing.
        return;
    }
    let own = &mut state.nodes[node as usize];
    let Cell::Serving {
        memory, deadline, ..
    } = &mut own.cell
    else {
        return;
    };
    state.flaws.stale_answer |= beat.knew & !memory.set() != 0;
    if memory.has(Write::RELEASE) {
        state.worker = 0;
    } else {
        *deadline = RUN_LEASE;
        state.worker = state.worker.max(RUN_LEASE - beat.ago);
    }
}

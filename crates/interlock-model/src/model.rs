//! The protocol as stateright takes it.

use crate::action::Action;
use crate::properties;
use crate::state::State;
use crate::step::Protocol;
use stateright::{Model, Property};

/// The protocol, and which of its states count as different.
#[derive(Clone, Copy, Debug)]
pub struct Checked<const N: usize> {
    /// The protocol.
    pub protocol: Protocol<N>,
    /// Whether states that differ only in the numbers of nodes count as one: nodes are equal. Traces
    /// are easier to follow without.
    pub merge: bool,
}

impl<const N: usize> Checked<N> {
    fn merged(&self, mut state: State<N>) -> State<N> {
        if self.merge {
            state.number_anew();
        }
        state
    }
}

impl<const N: usize> Model for Checked<N> {
    type State = State<N>;
    type Action = Action;

    fn init_states(&self) -> Vec<State<N>> {
        vec![self.merged(self.protocol.first())]
    }

    fn actions(&self, state: &State<N>, actions: &mut Vec<Action>) {
        self.protocol.offer(state, actions);
    }

    fn next_state(&self, last: &State<N>, action: Action) -> Option<State<N>> {
        Some(self.merged(self.protocol.apply(last, action)))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let bounds = self.protocol.bounds;
        let mut all = properties::always();
        all.extend(properties::sometimes());
        if bounds.run {
            all.extend(properties::sometimes_with_run());
        }
        if bounds.writes > 0 {
            all.extend(properties::sometimes_with_writes());
        }
        all
    }
}

//! Progress: from wherever things have come to, there must be a way on to a node that serves.
//!
//! That some state is reached says nothing about the others, and a property that must hold in the end
//! can't be asked of a world that goes round in circles for ever. So all states and their successors
//! are laid out, and those are looked for from which no way leads on.

use crate::model::Checked;
use crate::properties::server;
use crate::state::State;
use stateright::Model;
use std::collections::HashMap;

/// All states, and the way between them.
struct Graph<const N: usize> {
    states: Vec<State<N>>,
    /// For each state those that it can come from.
    before: Vec<Vec<u32>>,
}

/// How many states there are, and one from which no node can come to serve, if there is any.
pub fn find<const N: usize>(model: &Checked<N>) -> (usize, Option<State<N>>) {
    let graph = Graph::explore(model);
    let mut can = vec![false; graph.states.len()];
    let serving = |at: &usize| server(&graph.states[*at]).is_some();
    let mut left: Vec<usize> = (0..graph.states.len()).filter(serving).collect();
    while let Some(at) = left.pop() {
        if !std::mem::replace(&mut can[at], true) {
            left.extend(graph.before[at].iter().map(|before| *before as usize));
        }
    }
    let stuck = can.iter().position(|can| !can);
    (graph.states.len(), stuck.map(|at| graph.states[at]))
}

impl<const N: usize> Graph<N> {
    fn explore(model: &Checked<N>) -> Self {
        let mut numbers: HashMap<State<N>, u32> = HashMap::new();
        let mut graph = Self {
            states: Vec::new(),
            before: Vec::new(),
        };
        for state in model.init_states() {
            graph.number(&mut numbers, state);
        }
        let mut at = 0;
        while at < graph.states.len() {
            for next in model.next_states(&graph.states[at]) {
                let next = graph.number(&mut numbers, next);
                graph.before[next as usize].push(at as u32);
            }
            at += 1;
        }
        graph
    }

    fn number(&mut self, numbers: &mut HashMap<State<N>, u32>, state: State<N>) -> u32 {
        *numbers.entry(state).or_insert_with(|| {
            self.states.push(state);
            self.before.push(Vec::new());
            self.states.len() as u32 - 1
        })
    }
}

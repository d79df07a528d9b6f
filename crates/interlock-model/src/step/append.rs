//! Writing: one statement that compares the epoch, locks the row and commits; an answer that may be
//! lost; and clients that ask again until they are answered.

use super::Protocol;
use crate::action::Action;
use crate::mutation::Mutation;
use crate::state::{Append, Cell, Epoch, LOG_MAX, Stage, State, Write};

impl<const N: usize> Protocol<N> {
    pub(super) fn offer_appends(&self, state: &State<N>, out: &mut Vec<Action>) {
        for node in self.nodes() {
            match state.append_of(node) {
                None => self.offer_writes(state, node, out),
                Some(at) => self.offer_answer(state, node, at, out),
            }
        }
        for (at, append) in state.appends.iter().enumerate() {
            let Some(append) = append else { continue };
            match append.stage {
                Stage::Sent => out.push(Action::AppendLock(at as u8)),
                Stage::Locked => out.push(Action::AppendCommit(at as u8)),
                Stage::Done => {}
            }
            if append.from.is_none() {
                out.push(Action::AppendVanish(at as u8));
            }
        }
    }

    /// What a node that serves the namespace can be asked to write.
    fn offer_writes(&self, state: &State<N>, node: u8, out: &mut Vec<Action>) {
        let own = &state.nodes[node as usize];
        let Cell::Serving {
            memory, deadline, ..
        } = own.cell
        else {
            return;
        };
        let room = usize::from(memory.end()) < LOG_MAX;
        for write in (1..=self.bounds.writes).map(Write) {
            if state.acknowledged & write.bit() != 0 || !state.was_asked_before(write) {
                continue;
            }
            if memory.has(write) {
                if own.may_answer() {
                    out.push(Action::Repeat(node, write));
                }
            } else if room {
                out.push(Action::AppendSend(node, write));
            }
        }
        let over = self.bounds.run && deadline == 0 && !memory.has(Write::RELEASE);
        if over && room {
            out.push(Action::AppendSend(node, Write::RELEASE));
        }
    }

    fn offer_answer(&self, state: &State<N>, node: u8, at: usize, out: &mut Vec<Action>) {
        let Some(append) = state.appends[at] else {
            return;
        };
        let is_answered = append.stage == Stage::Done;
        if is_answered {
            out.push(Action::AppendHear(node));
        }
        if is_answered || state.lost_appends() < self.bounds.lost_appends {
            out.push(Action::AppendCut(node));
        }
    }

    pub(super) fn write(&self, state: &mut State<N>, action: Action) {
        match action {
            Action::Repeat(_, write) => state.acknowledged |= write.bit(),
            Action::AppendSend(node, write) => send(state, node, write),
            Action::AppendLock(at) => self.lock(state, at.into()),
            Action::AppendCommit(at) => commit(state, at.into()),
            Action::AppendHear(node) => hear(state, node),
            Action::AppendCut(node) => self.cut(state, node),
            Action::AppendVanish(at) => state.appends[usize::from(at)] = None,
            _ => {}
        }
    }

    fn lock(&self, state: &mut State<N>, at: usize) {
        let Some(append) = &mut state.appends[at] else {
            return;
        };
        if append.epoch == Epoch::Current || self.has(Mutation::NoEpoch) {
            append.stage = Stage::Locked;
        } else {
            refuse(state, at);
        }
    }

    /// Nobody knows whether it was done. The namespace is claimed under a new epoch and loaded.
    fn cut(&self, state: &mut State<N>, node: u8) {
        let Some(at) = state.append_of(node) else {
            return;
        };
        let write = state.appends[at].map(|append| append.write);
        state.forget_sender(at);
        let cell = &mut state.nodes[node as usize].cell;
        match (self.mutation, &mut *cell, write) {
            (Some(Mutation::NoNewEpoch), Cell::Serving { epoch, .. }, _) => {
                *cell = Cell::Claimed(*epoch);
            }
            (Some(Mutation::UnsureTakenForDone), Cell::Serving { memory, .. }, Some(write)) => {
                memory.0[usize::from(memory.end())] = Some(write);
                state.acknowledged |= write.bit() & !Write::RELEASE.bit();
            }
            _ => state.drop_cell(node),
        }
    }
}

fn send<const N: usize>(state: &mut State<N>, node: u8, write: Write) {
    let Cell::Serving { epoch, memory, .. } = state.nodes[node as usize].cell else {
        return;
    };
    let free = state.appends.iter_mut().find(|append| append.is_none());
    *free.expect("there is room for one per node and those that are lost") = Some(Append {
        from: Some(node),
        epoch,
        position: memory.end(),
        write,
        stage: Stage::Sent,
    });
}

/// The key of the log is its position: what is there is not written over.
fn commit<const N: usize>(state: &mut State<N>, at: usize) {
    let Some(append) = state.appends[at] else {
        return;
    };
    let place = &mut state.log.0[usize::from(append.position)];
    if place.is_some() {
        return refuse(state, at);
    }
    *place = Some(append.write);
    state.flaws.zombie_wrote |= append.epoch == Epoch::Old;
    state.appends[at] = append.from.map(|_| Append {
        stage: Stage::Done,
        ..append
    });
}

/// Nothing is written. Whoever waits for the answer serves the namespace no more.
fn refuse<const N: usize>(state: &mut State<N>, at: usize) {
    let append = state.appends[at].take();
    if let Some(node) = append.and_then(|append| append.from) {
        state.drop_cell(node);
    }
}

fn hear<const N: usize>(state: &mut State<N>, node: u8) {
    let Some(at) = state.append_of(node) else {
        return;
    };
    let Some(append) = state.appends[at].take() else {
        return;
    };
    if let Cell::Serving { memory, .. } = &mut state.nodes[node as usize].cell {
        memory.0[usize::from(append.position)] = Some(append.write);
        state.acknowledged |= append.write.bit() & !Write::RELEASE.bit();
    }
}

impl<const N: usize> State<N> {
    /// Nobody waits for this append any more.
    pub(super) fn forget_sender(&mut self, at: usize) {
        if let Some(append) = &mut self.appends[at] {
            append.from = None;
            if append.stage == Stage::Done {
                self.appends[at] = None;
            }
        }
    }

    /// Whether the write before this one was ever asked for: the others are like it.
    fn was_asked_before(&self, write: Write) -> bool {
        let before = Write(write.0 - 1);
        let mut appends = self.appends.iter().flatten();
        before == Write::RELEASE
            || (self.acknowledged | self.log.set()) & before.bit() != 0
            || appends.any(|append| append.write == before)
    }
}

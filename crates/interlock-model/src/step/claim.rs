//! Taking the namespace over: the row is changed first, which waits for writes under way and fences
//! those that come later; only then is the namespace loaded.

use super::Protocol;
use crate::action::Action;
use crate::mutation::Mutation;
use crate::state::{Cell, Epoch, Log, Row, State, run_lease};

impl<const N: usize> Protocol<N> {
    pub(super) fn offer_claims(&self, state: &State<N>, out: &mut Vec<Action>) {
        for node in self.nodes() {
            let own = &state.nodes[node as usize];
            match own.cell {
                Cell::Absent if self.has(Mutation::LoadBeforeClaim) => {
                    out.push(Action::Load(node));
                }
                Cell::Absent | Cell::Read(_) if own.joined && self.can_claim(state, node) => {
                    out.extend([Action::Claim(node), Action::ClaimCut(node)]);
                }
                Cell::Claimed(_) => out.push(Action::Load(node)),
                Cell::Absent | Cell::Read(_) | Cell::Serving { .. } => {}
            }
        }
    }

    fn can_claim(&self, state: &State<N>, node: u8) -> bool {
        let free = match state.owner {
            Some(owner) if owner != node => {
                !state.rows[owner as usize].is_alive() || self.has(Mutation::ClaimFromTheLiving)
            }
            _ => true,
        };
        let waits = state.is_locked() && !self.has(Mutation::NoRowLock);
        free && !waits && state.rows[node as usize].is_alive()
    }

    pub(super) fn take_over(&self, state: &mut State<N>, action: Action) {
        match action {
            Action::Claim(node) => {
                self.claim(state, node);
                let own = &mut state.nodes[node as usize];
                own.cell = match own.cell {
                    Cell::Read(memory) => self.open(Epoch::Current, memory),
                    _ => Cell::Claimed(Epoch::Current),
                };
            }
            Action::ClaimCut(node) => {
                self.claim(state, node);
                state.drop_cell(node);
            }
            Action::Load(node) => {
                let log = state.log;
                let own = &mut state.nodes[node as usize];
                own.cell = match own.cell {
                    Cell::Claimed(epoch) => self.open(epoch, log),
                    _ => Cell::Read(log),
                };
            }
            _ => {}
        }
    }

    fn claim(&self, state: &mut State<N>, node: u8) {
        if let Some(owner) = state.owner.filter(|owner| *owner != node)
            && !self.has(Mutation::NotBuried)
        {
            state.rows[owner as usize] = Row::Ended;
        }
        state.raise_epoch();
        state.owner = Some(node);
    }

    /// A new owner grants every run a full lease.
    fn open(&self, epoch: Epoch, memory: Log) -> Cell {
        let deadline = match self.has(Mutation::NoFullLease) {
            true => 0,
            false => run_lease(self.bounds),
        };
        Cell::Serving {
            epoch,
            memory,
            deadline,
        }
    }
}

//! Leases of nodes: granted by the database, counted from the sending on the node's own clock.

use super::Protocol;
use crate::action::Action;
use crate::mutation::Mutation;
use crate::state::{Lease, Renewal, Row, State};

impl<const N: usize> Protocol<N> {
    pub(super) fn offer_leases(&self, state: &State<N>, out: &mut Vec<Action>) {
        for node in self.nodes() {
            let (row, own) = (state.rows[node as usize], state.nodes[node as usize]);
            if !own.joined {
                // While a node of its name is alive it is not let in.
                if !row.is_alive() {
                    out.push(Action::Join(node));
                }
                continue;
            }
            // Whoever hears that it is dead lets go of everything.
            let may_die = state.append_of(node).is_none() || self.can_lose(state, node);
            match own.renewal.map(|renewal| renewal.granted) {
                None if self.bounds.slow_renewals || row.is_alive() || may_die => {
                    out.push(Action::RenewSend(node));
                }
                None => {}
                Some(None) => out.extend([Action::Renew(node), Action::RenewCut(node)]),
                Some(Some(granted)) => {
                    if granted || may_die {
                        out.push(Action::RenewHear(node));
                    }
                    out.push(Action::RenewCut(node));
                }
            }
        }
    }

    pub(super) fn keep_lease(&self, state: &mut State<N>, action: Action) {
        match action {
            Action::Join(node) => self.join(state, node),
            Action::RenewSend(node) => {
                state.nodes[node as usize].renewal = Some(Renewal {
                    ago: 0,
                    lost: 0,
                    granted: None,
                });
                if !self.bounds.slow_renewals {
                    self.renew(state, node);
                    self.hear_of_renewal(state, node);
                }
            }
            Action::Renew(node) => self.renew(state, node),
            Action::RenewHear(node) => self.hear_of_renewal(state, node),
            Action::RenewCut(node) => state.nodes[node as usize].renewal = None,
            _ => {}
        }
    }

    /// Another node, under the same name. What the old one owned it owns no more.
    fn join(&self, state: &mut State<N>, node: u8) {
        state.rows[node as usize] = Row::Alive(self.bounds.lease);
        if state.owner == Some(node) {
            state.owner = None;
        }
        let own = &mut state.nodes[node as usize];
        own.joined = true;
        own.lease = Lease {
            left: self.usable(),
            lost: 0,
        };
    }

    fn hear_of_renewal(&self, state: &mut State<N>, node: u8) {
        let own = &mut state.nodes[node as usize];
        let Some(renewal) = own.renewal.take() else {
            return;
        };
        if renewal.granted == Some(true) {
            let counted = match self.has(Mutation::CountFromAnswer) {
                true => 0,
                false => renewal.ago,
            };
            let left = self.usable().saturating_sub(counted);
            // A late answer takes nothing back.
            if left > own.lease.left {
                let lost = renewal.lost;
                own.lease = Lease { left, lost };
            }
            return;
        }
        own.joined = false;
        own.lease = Lease::default();
        if !self.has(Mutation::TermIgnored) {
            let append = state.append_of(node);
            state.drop_cell(node);
            if let Some(at) = append {
                state.forget_sender(at);
            }
        }
    }

    /// Only a lease that is not over is renewed.
    fn renew(&self, state: &mut State<N>, node: u8) {
        let row = &mut state.rows[node as usize];
        let granted = row.is_alive();
        if granted {
            *row = Row::Alive(self.bounds.lease);
        }
        if let Some(renewal) = &mut state.nodes[node as usize].renewal {
            renewal.granted = Some(granted);
        }
    }
}

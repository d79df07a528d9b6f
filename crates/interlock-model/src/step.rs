//! What can happen next, and what it does: a file per subject.

mod append;
mod beat;
mod claim;
mod lease;
mod leave;
mod time;

use crate::action::Action;
use crate::bounds::{Bounds, MARGIN};
use crate::mutation::Mutation;
use crate::state::State;

/// The protocol, with or without a mistake in it.
#[derive(Clone, Copy, Debug)]
pub struct Protocol<const N: usize> {
    /// What there is in the world.
    pub bounds: Bounds,
    /// The mistake.
    pub mutation: Option<Mutation>,
}

impl<const N: usize> Protocol<N> {
    /// The protocol as it is.
    pub fn new(bounds: Bounds) -> Self {
        let mutation = None;
        Self { bounds, mutation }
    }

    /// With a mistake in it.
    pub fn with(bounds: Bounds, mutation: Mutation) -> Self {
        let mutation = Some(mutation);
        Self { bounds, mutation }
    }

    fn has(&self, mutation: Mutation) -> bool {
        self.mutation == Some(mutation)
    }

    /// How it begins.
    pub fn first(&self) -> State<N> {
        State::first(self.bounds, self.usable())
    }

    /// Ticks of a lease that a node uses.
    fn usable(&self) -> u8 {
        match self.has(Mutation::NoMargin) {
            true => self.bounds.lease,
            false => self.bounds.lease - MARGIN,
        }
    }

    fn nodes(&self) -> impl Iterator<Item = u8> + use<N> {
        0..N as u8
    }

    /// Everything that can happen.
    pub fn offer(&self, state: &State<N>, out: &mut Vec<Action>) {
        self.offer_time(state, out);
        self.offer_leases(state, out);
        self.offer_claims(state, out);
        self.offer_appends(state, out);
        self.offer_leaving(state, out);
        if self.bounds.run {
            self.offer_beats(state, out);
        }
    }

    /// What comes of it.
    pub fn apply(&self, state: &State<N>, action: Action) -> State<N> {
        let mut next = *state;
        match action {
            Action::Tick { .. } | Action::SetBack => self.pass(&mut next, action),
            Action::Join(_)
            | Action::RenewSend(_)
            | Action::Renew(_)
            | Action::RenewHear(_)
            | Action::RenewCut(_) => self.keep_lease(&mut next, action),
            Action::Claim(_) | Action::ClaimCut(_) | Action::Load(_) => {
                self.take_over(&mut next, action);
            }
            Action::Repeat(..)
            | Action::AppendSend(..)
            | Action::AppendLock(_)
            | Action::AppendCommit(_)
            | Action::AppendHear(_)
            | Action::AppendCut(_)
            | Action::AppendVanish(_) => self.write(&mut next, action),
            Action::HandOver(..) | Action::Leave(_) | Action::Crash(_) => {
                self.go(&mut next, action);
            }
            Action::BeatSend
            | Action::BeatLost
            | Action::BeatArrive(_)
            | Action::MayAnswer(_)
            | Action::BeatAnswer(_) => self.beat(&mut next, action),
        }
        next.tidy();
        next
    }
}

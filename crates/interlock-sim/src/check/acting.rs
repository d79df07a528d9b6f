//! P1 as the world sees it: whatever workers believe, no two of them work on conflicting claims at the
//! same instant. A worker stops at 0.8 of a lease by its own clock; that must be early enough.

use super::Checker;
use crate::oracle::{Deed, Findings, Ledger, Step};
use interlock_core::Event;
use interlock_core::event::RunEnd;
use interlock_core::words::{Op, ResourceName, Token};
use std::collections::BTreeMap;

/// Watches what workers really do.
#[derive(Default)]
pub struct Acting {
    actors: BTreeMap<Token, Actor>,
}

struct Actor {
    claims: Vec<(ResourceName, Op)>,
    until: u64,
}

impl Checker for Acting {
    fn name(&self) -> &'static str {
        "acting"
    }

    fn deed(&mut self, ledger: &Ledger, time: u64, deed: &Deed, found: &mut Findings) {
        match deed {
            Deed::Acts {
                token,
                claims,
                until,
            } => {
                self.actors.retain(|_, actor| actor.until > time);
                found.expect(ledger.run(*token).is_some(), || {
                    format!("a worker acts on run {token}, which has ended")
                });
                self.compare(*token, claims, found);
                let claims = claims.clone();
                let until = *until;
                self.actors.insert(*token, Actor { claims, until });
            }
            Deed::Stops { token } => {
                self.actors.remove(token);
            }
            Deed::Spends { .. } => {}
        }
    }

    fn event(&mut self, _: &Ledger, step: &Step, _: u64, event: &Event, found: &mut Findings) {
        let Event::RunEnded(ended) = event else {
            return;
        };
        let stopped_by_server =
            matches!(ended.how, RunEnd::Lost | RunEnd::Stopped { lost: true, .. });
        if let Some(actor) = self.actors.get(&ended.token) {
            found.expect(!stopped_by_server || actor.until <= step.time, || {
                let until = actor.until;
                format!(
                    "run {} ended as {:?} while its worker acts until {until}",
                    ended.token, ended.how
                )
            });
        }
    }
}

impl Acting {
    fn compare(&self, token: Token, claims: &[(ResourceName, Op)], found: &mut Findings) {
        for (other, actor) in &self.actors {
            let meets = |(resource, op): &&(ResourceName, Op)| {
                actor
                    .claims
                    .iter()
                    .any(|(held, by)| held == resource && by.conflicts(*op))
            };
            if let Some((resource, _)) = claims.iter().find(meets).filter(|_| *other != token) {
                found.add(format!(
                    "runs {other} and {token} act on {resource} at the same instant"
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use crate::scenery::resource;

    fn acts(token: Token, until: u64) -> Deed {
        Deed::Acts {
            token,
            claims: vec![(resource("a:1"), Op::Update)],
            until,
        }
    }

    #[test]
    fn a_worker_that_goes_on_too_long_meets_the_next_one() {
        let mut story = Story::new(Acting::default());
        story
            .admit(1, &[("a:1", Op::Update)])
            .admit(2, &[("a:1", Op::Update)]);
        let first = story.start(1, 2);
        let second = story.start(2, 2);
        story.at(2_000).deed(acts(first, 5_000));
        story.at(5_000).deed(acts(second, 9_000)).fine();
        story.at(8_999).deed(acts(first, 9_500));
        story.caught("at the same instant");
    }

    #[test]
    fn nobody_acts_on_a_run_that_has_ended() {
        let mut story = Story::new(Acting::default());
        let nowhere = story.next_token();
        story.deed(acts(nowhere, 5_000));
        story.caught("which has ended");
    }
}

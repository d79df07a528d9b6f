//! `take`: hands out tasks, or parks the take until there is one. Deciding and parking are one
//! step, so no wake-up can be lost.

use super::prepare::too_many;
use crate::Core;
use crate::bugs::Bug;
use crate::command::Take;
use crate::limits;
use crate::refusal::Refusal;
use crate::reply::{Finished, HandOut, Reply, Taken, Wake};
use crate::soft::{ParkedTake, SoftTimer};
use crate::words::{SessionId, Token};

impl Core {
    pub(crate) fn take(&mut self, take: Take) -> Result<Reply, Refusal> {
        let session = (self.state.sessions.get(&take.session)).ok_or(Refusal::StaleSession)?;
        if session.lost {
            return Err(Refusal::SessionLost);
        }
        if take.finishes.len() > limits::RUNS_PER_CALL_MAX {
            return Err(too_many("finishes", limits::RUNS_PER_CALL_MAX));
        }
        let last = session.last_take;
        if take.number < last {
            let number = take.number;
            return Err(Refusal::StaleTake { number, last });
        }
        let draining = session.draining;
        let repeated = take.number == last && !self.bug(Bug::RepeatedTakeTakesMore);
        self.unpark(take.session);
        let again = if repeated {
            self.runs_of_take(take.session, take.number)
        } else {
            Vec::new()
        };
        let finished = self.finish_all(take.session, take.finishes);
        self.hear(take.session);
        if !again.is_empty() {
            self.answered_twice(&again);
            let hand_outs = (again.into_iter())
                .filter(|token| self.state.runs.contains_key(token))
                .map(|token| self.hand_out_of(token))
                .collect();
            return Ok(Reply::Taken(Taken {
                hand_outs,
                finished,
                draining,
            }));
        }
        let max = take.max.clamp(1, limits::TAKE_MAX);
        let hand_outs = if draining {
            Vec::new()
        } else {
            self.settle_tasks();
            self.hand_out(take.session, take.number, max)
        };
        if !hand_outs.is_empty() || draining || take.wait_ms == 0 {
            return Ok(Reply::Taken(Taken {
                hand_outs,
                finished,
                draining,
            }));
        }
        self.park(
            &take.session,
            take.number,
            max,
            take.wait_ms,
            finished.clone(),
        );
        Ok(Reply::Parked { finished })
    }

    /// Of two answers one may have arrived, so that neither is returned at once if the other is not
    /// delivered: then the lease decides.
    fn answered_twice(&mut self, runs: &[Token]) {
        for token in runs {
            if let Some(run) = self.soft.runs.get_mut(token) {
                run.beaten = true;
            }
        }
    }

    fn park(
        &mut self,
        session: &SessionId,
        number: u64,
        max: usize,
        wait_ms: u64,
        finished: Vec<Result<Finished, Refusal>>,
    ) {
        self.soft.parked_seq += 1;
        let seq = self.soft.parked_seq;
        for kind in self.state.sessions[session].kinds.iter() {
            let takes = self.soft.parked_by_kind.entry(*kind).or_default();
            takes.insert((seq, *session));
        }
        let now = self.state.now.elapsed;
        let until = now.plus(wait_ms.min(limits::TAKE_WAIT_MS_MAX));
        let take = ParkedTake {
            number,
            max,
            at_once: self.state.sessions[session].runs.len() + max,
            seq,
            until,
            finished,
        };
        self.soft.parked.insert(*session, take);
        self.soft
            .timers
            .insert((until, SoftTimer::Take(*session, seq)));
    }

    pub(crate) fn unpark(&mut self, session: SessionId) -> Option<ParkedTake> {
        let kinds = self.state.sessions.get(&session)?.kinds.clone();
        self.soft.unpark(session, &kinds)
    }

    /// A parked take has waited long enough.
    pub(crate) fn take_timer(&mut self, session: SessionId, seq: u64) {
        if (self.soft.parked.get(&session)).is_some_and(|take| take.seq == seq) {
            self.hear(session);
            self.answer_parked(session, Vec::new());
        }
    }

    /// Answers a parked take.
    pub(crate) fn answer_parked(&mut self, session: SessionId, hand_outs: Vec<HandOut>) {
        let draining = (self.state.sessions.get(&session)).is_some_and(|session| session.draining);
        if let Some(take) = self.unpark(session) {
            self.wakes.push(Wake {
                session,
                number: take.number,
                taken: Taken {
                    hand_outs,
                    finished: take.finished,
                    draining,
                },
            });
        }
    }

    /// Gives ready tasks to the takes that wait for them.
    pub(crate) fn wake_takes(&mut self) {
        if self.bug(Bug::LostWakeUp) && !matches!(self.state.next_place % 8, 0..=6) {
            self.state.dirty.kinds.clear();
        }
        while let Some(kind) = self.state.dirty.kinds.pop_first() {
            while self.looks > 0 {
                let parked = self.soft.parked_by_kind.get(&kind);
                let Some(&(_, session)) = parked.and_then(|takes| takes.first()) else {
                    break;
                };
                let (number, max) = {
                    let take = &self.soft.parked[&session];
                    (take.number, take.max)
                };
                if (self.state.kinds.try_get(kind)).is_none_or(|state| state.ready.is_empty()) {
                    break;
                }
                let hand_outs = self.hand_out(session, number, max);
                if hand_outs.is_empty() {
                    break;
                }
                self.answer_parked(session, hand_outs);
            }
            if self.looks == 0 {
                self.state.dirty.kinds.insert(kind);
                return;
            }
        }
    }

    /// The answer to a take could not be delivered.
    pub(crate) fn return_take(&mut self, session: SessionId, number: u64) -> Reply {
        if (self.soft.parked.get(&session)).is_some_and(|take| take.number == number) {
            self.unpark(session);
        }
        for token in self.runs_of_take(session, number) {
            if (self.soft.runs.get(&token)).is_some_and(|run| run.beaten) {
                continue;
            }
            let (how, then) = self.returned(token);
            self.end_run(token, how, then);
        }
        Reply::Done
    }

    fn runs_of_take(&self, session: SessionId, number: u64) -> Vec<Token> {
        let Some(session) = self.state.sessions.get(&session) else {
            return Vec::new();
        };
        (session.runs.iter().copied())
            .filter(|token| self.state.runs[token].take == number)
            .collect()
    }
}

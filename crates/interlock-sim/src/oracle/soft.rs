//! The part of the ledger that no event carries: leases renewed by beats, parked takes, who was heard.

use super::ledger::Ledger;
use super::step::Step;
use interlock_core::command::{Beat, Take};
use interlock_core::reply::{Beaten, Order, Wake};
use interlock_core::words::{Elapsed, SessionId, Token};
use interlock_core::{Command, Reply};

impl Ledger {
    /// Before the events of a decision.
    pub fn begin(&mut self, step: &Step) {
        self.now = step.at;
    }

    /// After the events of a decision.
    pub fn note(&mut self, step: &Step) {
        match (&step.command, &step.reply) {
            (Some(Command::Take(take)), reply) => self.note_take(take, reply),
            (Some(Command::Beat(beat)), Reply::Beaten(answers)) => self.note_beat(beat, answers),
            (Some(Command::ReturnTake { session, number }), _) => {
                self.drop_parked(*session, Some(*number));
            }
            (Some(Command::Finish { session, .. }), Reply::Finished(_)) => self.hear(*session),
            _ => {}
        }
        // A take may be parked and woken by one and the same decision; but an empty wake for a take
        // that is parked now was for an earlier request of the same number.
        for wake in step.wakes.iter().filter(|wake| !step.is_for_earlier(wake)) {
            self.unpark(wake);
        }
    }

    fn note_take(&mut self, take: &Take, reply: &Reply) {
        match reply {
            Reply::Parked { .. } => {
                self.hear(take.session);
                let until = self.now.elapsed.plus(take.wait_ms);
                if let Some(session) = self.sessions.get_mut(&take.session) {
                    session.parked = Some((take.number, until));
                }
            }
            Reply::Taken(_) => {
                self.hear(take.session);
                self.drop_parked(take.session, None);
            }
            _ => {}
        }
    }

    fn note_beat(&mut self, beat: &Beat, answers: &[Beaten]) {
        self.hear(beat.session);
        for answer in answers {
            if matches!(answer.order, Order::GoOn | Order::Stop(_)) {
                self.renew(answer.token);
            }
            if !matches!(answer.order, Order::Gone)
                && let Some(run) = self.runs.get_mut(&answer.token)
            {
                run.granted_at_open = None;
            }
        }
    }

    fn renew(&mut self, token: Token) {
        let now = self.now.elapsed;
        if let Some(run) = self.runs.get(&token).filter(|run| !run.ended) {
            let deadline = now.plus(run.lease_ms);
            self.set_deadline(token, deadline);
        }
    }

    /// Moves the end of a run's lease.
    pub(super) fn set_deadline(&mut self, token: Token, deadline: Elapsed) {
        if let Some(run) = self.runs.get_mut(&token) {
            self.deadlines.remove(&(run.deadline, token));
            run.deadline = deadline;
            self.deadlines.insert((deadline, token));
        }
    }

    fn unpark(&mut self, wake: &Wake) {
        self.drop_parked(wake.session, Some(wake.number));
    }

    fn drop_parked(&mut self, session: SessionId, number: Option<u64>) {
        if let Some(row) = self.sessions.get_mut(&session)
            && row
                .parked
                .is_some_and(|(parked, _)| number.is_none_or(|n| n == parked))
        {
            row.parked = None;
        }
    }

    fn hear(&mut self, session: SessionId) {
        let now = self.now.elapsed;
        if let Some(row) = self.sessions.get_mut(&session) {
            row.heard = now;
        }
    }
}

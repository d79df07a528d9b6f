//! Hand-outs: each must be the best ready task of the kinds that its session handles, and nobody who
//! takes may be left idle while a task is ready for him.

use super::{Past, World, kind_name, resource_name};
use crate::reference::Index;
use interlock_core::reply::HandOut;
use interlock_core::words::{Claim, Payload, SessionId};

impl World {
    /// Follows what the core handed out in one decision, in the order of its log.
    pub(super) fn hand_out(
        &mut self,
        mut hand_outs: Vec<(SessionId, u64, HandOut)>,
    ) -> Result<(), String> {
        // What became due by the command itself.
        self.model.advance(0, false);
        for (kind, staffed) in std::mem::take(&mut self.staffing) {
            self.model.set_staffed(kind, staffed)?;
            if staffed {
                // Kinds get their workers one after the other.
                self.model.settle();
            }
        }
        self.model.settle();
        self.tell_places()?;
        hand_outs.sort_by_key(|(_, _, hand_out)| hand_out.token);
        let mut answered = Vec::new();
        for (session, number, hand_out) in hand_outs {
            let best = self.best_for(session).map(|task| self.id(task));
            if best != Some(hand_out.task) {
                let id = hand_out.task;
                return Err(format!("task {id} was handed out instead of {best:?}"));
            }
            let task = self.best_for(session).expect("there is one");
            self.fill(session, number, task)?;
            self.check_hand_out(task, &hand_out)?;
            self.model.start(task, hand_out.token, session, number);
            self.runs.push(Past {
                session,
                token: hand_out.token,
                finished: None,
            });
            answered.push((session, number));
        }
        let idle = self.model.takes.iter().filter(|take| take.room > 0);
        if let Some(task) = idle.filter_map(|take| self.best_for(take.session)).next() {
            return Err(format!(
                "task {} is ready and a worker is idle",
                self.id(task)
            ));
        }
        self.model
            .takes
            .retain(|take| !answered.contains(&(take.session, take.number)));
        self.note_worst_ranks();
        Ok(())
    }

    /// The best ready task of the kinds that a session handles.
    fn best_for(&self, session: SessionId) -> Option<Index> {
        let handles = &self.model.session(session).handles;
        self.model.ready(|kind| handles[kind]).first().copied()
    }

    fn fill(&mut self, session: SessionId, number: u64, task: Index) -> Result<(), String> {
        let handles = &self.model.session(session).handles;
        let is_handled = handles[self.model.tasks[task].kind];
        let take = self.model.takes.iter_mut().find(|take| {
            (take.session, take.number) == (session, number) && take.room > 0 && is_handled
        });
        let id = self.model.tasks[task].id;
        take.ok_or(format!(
            "task {id} was handed to {session}, which did not ask for it"
        ))?
        .room -= 1;
        Ok(())
    }

    /// The hand-out says what was submitted.
    fn check_hand_out(&self, index: Index, hand_out: &HandOut) -> Result<(), String> {
        let (task, policy) = (&self.model.tasks[index], self.model.policy(index));
        let mut claims = hand_out.claims.clone();
        claims.sort();
        let expected = HandOut {
            token: hand_out.token,
            task: task.id,
            kind: kind_name(task.kind),
            claims: task
                .claims
                .iter()
                .map(|&(r, op)| Claim::new(resource_name(r), op))
                .collect(),
            payload: Payload::from(self.model.payload(index).as_str()),
            stands_for: task.stands_for(),
            // Runs that were released or returned are not counted.
            attempt: task.tries + task.losses + 1,
            lease_ms: policy.lease_ms,
            run_within_ms: policy.run_within_ms,
            budgets: Vec::new(),
            trace: None,
        };
        let is_newer = self.runs.iter().all(|past| past.token < hand_out.token);
        let hand_out = HandOut {
            claims,
            ..hand_out.clone()
        };
        if hand_out != expected || !is_newer {
            return Err(format!("handed out {hand_out:?}\ninstead of {expected:?}"));
        }
        Ok(())
    }
}

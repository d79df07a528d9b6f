//! Asking for work: numbered takes, repeated under the same number until they are answered.

use super::{Call, Mode, Process};
use crate::actor::{Alarm, Ctx};
use crate::feature::Feature;
use interlock_core::command::{Finish, Take};
use interlock_core::reply::Taken;
use interlock_core::{Command, Refusal, Reply};

impl Process {
    /// Asks for work, or repeats the question.
    pub(super) fn take(&mut self, ctx: &mut Ctx<'_>) {
        let Some(session) = self.session.filter(|_| self.mode == Mode::Up) else {
            return;
        };
        if self.is_calling(|call| matches!(call, Call::Take)) {
            return;
        }
        let room = self.plan.capacity.saturating_sub(self.runs.len());
        if room == 0 {
            return;
        }
        if ctx.strikes(Feature::Goodbyes, 2) {
            return self.leave(ctx);
        }
        if self.take_first_sent.is_none() {
            self.take_first_sent = Some(ctx.time);
            self.take_finishes = self.finishes_to_carry(ctx);
        }
        let wait_ms = if ctx.calm {
            20_000
        } else {
            *ctx.rng.pick(&[0, 300, 2_000, 8_000])
        };
        let command = Command::Take(Take {
            session,
            number: self.number,
            max: room,
            wait_ms,
            finishes: self.take_finishes.clone(),
        });
        self.call(ctx, Call::Take, command, wait_ms + 1_500);
    }

    fn finishes_to_carry(&mut self, ctx: &mut Ctx<'_>) -> Vec<Finish> {
        if ctx.rng.percent(50) {
            return Vec::new();
        }
        self.finishes.values().cloned().collect()
    }

    pub(super) fn taken(&mut self, ctx: &mut Ctx<'_>, reply: Reply) {
        match reply {
            // Who has said goodbye begins nothing any more: what was handed out is released by it.
            Reply::Taken(_) if self.mode == Mode::Down => {}
            Reply::Taken(taken) => self.take_up(ctx, taken),
            Reply::Refused(Refusal::StaleSession) => self.rejoin(ctx),
            Reply::Refused(Refusal::SessionLost) => self.session_lost(ctx),
            Reply::Refused(Refusal::StaleTake { last, .. }) => {
                self.number = last + 1;
                self.next_take(ctx, 5);
            }
            _ => self.next_take(ctx, 200),
        }
    }

    /// A lost session may still see its other runs through, or drop them and begin anew.
    fn session_lost(&mut self, ctx: &mut Ctx<'_>) {
        if self.runs.is_empty() || ctx.calm || ctx.rng.percent(50) {
            return self.rejoin(ctx);
        }
        let later = ctx.time + ctx.rng.range(200, 2_000);
        self.take_first_sent = None;
        self.wake(ctx, later, Alarm::Take);
    }

    fn take_up(&mut self, ctx: &mut Ctx<'_>, taken: Taken) {
        let sent = self.take_first_sent.take().unwrap_or(ctx.time);
        self.number += 1;
        let carried = std::mem::take(&mut self.take_finishes);
        for (finish, answer) in carried.iter().zip(&taken.finished) {
            self.finish_answered(ctx, finish.token, answer);
        }
        for hand_out in &taken.hand_outs {
            if !self.runs.contains_key(&hand_out.token) {
                self.begin_run(ctx, hand_out, sent);
            }
        }
        if taken.draining {
            return self.drained(ctx);
        }
        let busy = if ctx.rng.percent(70) {
            1
        } else {
            ctx.rng.range(10, 400)
        };
        self.wake(ctx, ctx.time + busy, Alarm::Take);
    }

    /// Told to leave: finishes what it has, or leaves at once.
    fn drained(&mut self, ctx: &mut Ctx<'_>) {
        let wait = if self.runs.is_empty() {
            1
        } else {
            ctx.rng.range(10, 2_000)
        };
        self.wake(ctx, ctx.time + wait, Alarm::Leave);
    }

    fn next_take(&mut self, ctx: &mut Ctx<'_>, wait_ms: u64) {
        self.take_first_sent = None;
        self.take_finishes.clear();
        self.wake(ctx, ctx.time + wait_ms, Alarm::Take);
    }
}

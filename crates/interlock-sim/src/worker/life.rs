//! Birth, death and what lies between: registering, leaving, dying, standing still.

use super::{ANSWER_WITHIN_MS, Call, Mode, Process};
use crate::actor::{Alarm, Ctx, Effect};
use crate::feature::Feature;
use interlock_core::command::Register;
use interlock_core::{Command, Refusal, Reply};

impl Process {
    /// Begins a new life.
    pub(super) fn start(&mut self, ctx: &mut Ctx<'_>) {
        // While it takes its leave the old life is not over: what it knows must not reach the new one.
        if matches!(self.mode, Mode::Up | Mode::Gone)
            || self.is_calling(|c| matches!(c, Call::Register | Call::Goodbye))
        {
            return;
        }
        self.mode = Mode::Joining;
        // Only who knows that the old process is dead may say so.
        let takeover = self.predecessor_dead && (ctx.calm || ctx.strikes(Feature::Takeovers, 40));
        let command = Command::Register(Register {
            name: self.plan.name.clone(),
            kinds: self.plan.kinds.clone(),
            takeover,
        });
        self.call(ctx, Call::Register, command, ANSWER_WITHIN_MS);
    }

    pub(super) fn registered(&mut self, ctx: &mut Ctx<'_>, reply: Reply) {
        match reply {
            Reply::Registered { session } => {
                self.mode = Mode::Up;
                self.session = Some(session);
                self.number = 1;
                self.take_first_sent = None;
                self.predecessor_dead = true;
                self.wake(ctx, ctx.time, Alarm::Take);
            }
            Reply::Refused(Refusal::NameInUse { wait_ms, .. }) => {
                let wait = if ctx.rng.percent(70) {
                    wait_ms
                } else {
                    ctx.rng.range(50, 1_000)
                };
                self.wake(ctx, ctx.time + wait.max(10), Alarm::Start);
            }
            Reply::Refused(Refusal::UnknownKind { known, .. }) => {
                self.plan.kinds.retain(|kind| known.contains(kind));
                self.wake(ctx, ctx.time + 500, Alarm::Start);
            }
            _ => self.wake(ctx, ctx.time + 500, Alarm::Start),
        }
    }

    /// Its session is no good any more: stops everything and registers again, or gives way to the
    /// process that took its place.
    pub(super) fn rejoin(&mut self, ctx: &mut Ctx<'_>) {
        self.stop_all(ctx);
        self.session = None;
        self.finishes.clear();
        self.take_first_sent = None;
        self.take_finishes.clear();
        // Answers to calls of the old session must not be taken for answers to the new one.
        for (request, _) in std::mem::take(&mut self.calls) {
            ctx.out.push(Effect::HangUp(request));
        }
        if self.replaced {
            self.mode = Mode::Gone;
            return;
        }
        self.mode = Mode::Joining;
        let wait = ctx.rng.range(1, 200);
        self.wake(ctx, ctx.time + wait, Alarm::Start);
    }

    /// Dies at once: whatever it did has stopped, whatever it knew is gone.
    pub fn die(&mut self, ctx: &mut Ctx<'_>, down_ms: u64) {
        self.end_life(ctx);
        self.mode = Mode::Down;
        // A replacement may be alive under the same name, and nobody may declare that one dead.
        self.predecessor_dead = !self.replaced;
        if self.replaced {
            self.mode = Mode::Gone;
            return;
        }
        self.wake(ctx, ctx.time + down_ms, Alarm::Start);
    }

    fn end_life(&mut self, ctx: &mut Ctx<'_>) {
        self.stop_all(ctx);
        self.life += 1;
        self.paused_until = 0;
        self.session = None;
        self.calls.clear();
        self.finishes.clear();
        self.take_first_sent = None;
        self.take_finishes.clear();
        self.beat_planned = None;
    }

    /// Stands still, doing nothing, until woken.
    pub fn pause(&mut self, ctx: &mut Ctx<'_>, for_ms: u64) {
        for token in self.runs.keys().copied().collect::<Vec<_>>() {
            self.stop_acting(ctx, token);
        }
        self.paused_until = ctx.time + for_ms;
    }

    /// Goes on, as if no time had passed, but looks at the clock before it acts.
    pub fn resume(&mut self, ctx: &mut Ctx<'_>) {
        self.paused_until = 0;
        for token in self.runs.keys().copied().collect::<Vec<_>>() {
            self.act(ctx, token);
        }
    }

    /// Trouble is over: brings everything it does to an end.
    pub fn calm(&mut self, ctx: &mut Ctx<'_>) {
        for token in self.runs.keys().copied().collect::<Vec<_>>() {
            let soon = ctx.time + ctx.rng.range(1, 500);
            self.wake(ctx, soon, Alarm::Done(token));
        }
    }

    /// Whether it has anything to lose.
    pub fn is_busy(&self) -> bool {
        !self.runs.is_empty()
    }

    /// Another process was started under its name: this one must give way when it notices.
    pub fn replace(&mut self) -> Process {
        self.replaced = true;
        Process::new(0, self.plan.clone())
    }

    /// Whether another process has its name.
    pub fn is_replaced(&self) -> bool {
        self.replaced
    }

    pub(super) fn leave(&mut self, ctx: &mut Ctx<'_>) {
        let Some(session) = self.session.filter(|_| self.mode == Mode::Up) else {
            return;
        };
        self.stop_all(ctx);
        self.mode = Mode::Down;
        self.call(
            ctx,
            Call::Goodbye,
            Command::Goodbye { session },
            ANSWER_WITHIN_MS,
        );
    }

    pub(super) fn left(&mut self, ctx: &mut Ctx<'_>) {
        self.end_life(ctx);
        self.predecessor_dead = true;
        self.mode = Mode::Down;
        if self.replaced {
            self.mode = Mode::Gone;
            return;
        }
        let down_ms = if ctx.calm { 10 } else { ctx.rng.wait(2_000) };
        self.wake(ctx, ctx.time + down_ms, Alarm::Start);
    }

    pub(super) fn stop_all(&mut self, ctx: &mut Ctx<'_>) {
        for token in self.runs.keys().copied().collect::<Vec<_>>() {
            self.drop_run(ctx, token);
        }
    }
}

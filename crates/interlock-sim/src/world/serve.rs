//! The server at work: decide, commit, observe, answer; and dying between any two of these.

use super::server::Decided;
use super::{Next, World};
use crate::actor::{Address, Request};
use crate::faults::{Crash, CrashPoint};
use crate::feature::Feature;
use crate::oracle::Step;
use interlock_core::event::Event;
use interlock_core::reply::{Taken, Wake};
use interlock_core::words::SessionId;
use interlock_core::{Command, Core, Reply};

/// Between two looks at what the core shows.
const SCAN_EVERY: u64 = 32;
/// Between two checkpoints, in batches.
const CHECKPOINT_EVERY: u64 = 200;
/// Rows of a checkpoint that each batch gives out, so that one goes on for some batches.
const ROWS_AT_ONCE: usize = 3;
/// Between two recoveries that nobody needs, to see that they would work.
const REHEARSE_EVERY: u64 = 2_500;

impl World {
    pub(super) fn plan_serve(&mut self, at: u64) {
        let at = at.max(self.clock.time);
        if self.serve_at.is_none_or(|planned| at < planned) {
            self.serve_at = Some(at);
            self.queue.plan(at, Next::Serve);
        }
    }

    pub(super) fn serve(&mut self) {
        if self.serve_at != Some(self.planned) {
            return;
        }
        self.serve_at = None;
        if self.server.core.is_none() {
            return;
        }
        if self.server.paused_until > self.clock.time {
            return self.plan_serve(self.server.paused_until);
        }
        if self.carry_on() {
            return;
        }
        if !self.may_answer() {
            return self.refuse_all();
        }
        let mut batch = self.server.decide(self.clock.time, self.clock.now());
        if !batch.is_empty()
            && let Some(trouble) = self.take_trouble()
        {
            return self.trouble(trouble, batch);
        }
        let crash = if batch.is_empty() {
            None
        } else {
            self.take_doom()
        };
        let kept = match crash.map(|crash| crash.point) {
            Some(CrashPoint::Before) => 0,
            Some(CrashPoint::Amid) => self.rng.index(batch.len() + 1),
            _ => batch.len(),
        };
        if batch[kept..]
            .iter()
            .any(|decided| decided.step.record.is_some())
        {
            self.oracle.situations.uncommitted_lost();
        }
        let whole = kept == batch.len();
        batch.truncate(kept);
        for decided in &mut batch {
            self.commit(&mut decided.step);
            if self.oracle.findings.first().is_some() {
                return;
            }
        }
        if let Some(crash) = crash {
            return self.crash_server(crash, whole);
        }
        for index in 0..batch.len() {
            self.answer(&batch, index);
        }
        self.look_at_core();
        self.checkpoint_some(ROWS_AT_ONCE);
        if self.rng.below(CHECKPOINT_EVERY) == 0 {
            self.server.begin_checkpoint();
        }
        self.plan_next();
    }

    /// Goes on with the checkpoint, if one has begun.
    pub(super) fn checkpoint_some(&mut self, rows: usize) {
        if let Some(kept) = self.server.checkpoint_some(rows) {
            self.oracle.checkpointed(&kept);
        }
    }

    /// Sweeps are short; if one is under way, that is a good moment to die.
    fn take_doom(&mut self) -> Option<Crash> {
        let sweeping = !self.oracle.ledger.sweeps.is_empty();
        let trouble = self.calm_until.is_none() && self.features.has(Feature::ServerCrashes);
        if sweeping && trouble && self.doom.is_none() && self.rng.percent(40) {
            self.doom = Some(self.with_ctx(|ctx, _, _| crate::faults::draw_crash(ctx)));
        }
        self.doom.take()
    }

    pub(super) fn commit(&mut self, step: &mut Step) {
        self.server.commit(step);
        self.trace.number(step.time);
        if step.record.is_some() {
            self.trace.bytes(self.server.log.last_bytes());
        }
        self.trace.line(|| describe(step));
        if !matches!(step.command, None | Some(Command::Tick)) {
            self.commands += 1;
        }
        self.oracle.observe(step);
        if self.commands >= self.options.commands && self.calm_until.is_none() {
            self.queue.plan(self.clock.time, Next::Calm);
        }
    }

    pub(super) fn plan_next(&mut self) {
        if !self.server.inbox.is_empty() || self.server.more {
            let soon = self.clock.time + self.rng.below(2);
            self.plan_serve(soon);
        }
        self.plan_tick();
    }

    /// The server wants to be woken when the core's next timer is due, and is a little late.
    pub(super) fn plan_tick(&mut self) {
        let Some(core) = &self.server.core else {
            return;
        };
        let next = core.next_timer();
        let elapsed = next.elapsed.map(|at| self.clock.time_of_elapsed(at));
        let wall = next.wall.map(|at| self.clock.time_of_wall(at));
        let Some(due) = elapsed.into_iter().chain(wall).min() else {
            self.server.tick_at = None;
            return;
        };
        let late = if self.calm_until.is_none() && self.rng.percent(3) {
            400
        } else {
            5
        };
        let at = due.max(self.clock.time + 1) + self.rng.below(late);
        self.server.tick_at = Some(at);
        self.plan_serve(at);
    }

    fn look_at_core(&mut self) {
        let Some(core) = &self.server.core else {
            return;
        };
        if self.server.more || !self.oracle.ledger.is_settled() {
            return;
        }
        if self.rng.below(SCAN_EVERY) == 0 {
            let draw = self.rng.bits();
            self.oracle.scan(core, draw);
        }
        if self.rng.below(REHEARSE_EVERY) == 0 {
            for recovered in [self.server.recover(), self.server.refold()] {
                self.oracle.recovered(&recovered, Some(core));
            }
        }
    }

    pub(super) fn answer(&mut self, batch: &[Decided], index: usize) {
        let decided = &batch[index];
        let earlier = |wake: &&Wake| decided.step.is_for_earlier(wake);
        for wake in decided.step.wakes.iter().filter(earlier) {
            self.answer_parked(batch, &decided.step, wake);
        }
        if let Some(request) = decided.request {
            self.server.note_parked(request, &decided.step);
        }
        for wake in decided.step.wakes.iter().filter(|wake| !earlier(wake)) {
            self.answer_parked(batch, &decided.step, wake);
        }
        let Some(request) = decided.request else {
            return;
        };
        if matches!(decided.step.reply, Reply::Parked { .. }) {
            return;
        }
        let nobody = self.respond(request, decided.step.reply.clone());
        if let (true, Some(Command::Take(take)), Reply::Taken(taken)) =
            (nobody, &decided.step.command, &decided.step.reply)
        {
            self.not_delivered(batch, &decided.step, (take.session, take.number), taken);
        }
    }

    fn answer_parked(&mut self, batch: &[Decided], step: &Step, wake: &Wake) {
        let key = (wake.session, wake.number);
        let mut taken = wake.taken.clone();
        let Some(waiting) = self.server.waiting.remove(&key) else {
            return self.not_delivered(batch, step, key, &taken);
        };
        if taken.finished.is_empty() {
            taken.finished = waiting.finished;
        }
        let last = waiting.requests.last().copied().unwrap_or(0);
        if self.respond(last, Reply::Taken(taken.clone())) {
            self.not_delivered(batch, step, key, &taken);
        }
    }

    /// The connection was seen closed before the answer was written: what was handed out goes back at
    /// once, if it was handed out by this very answer and no other connection got it too.
    fn not_delivered(
        &mut self,
        batch: &[Decided],
        step: &Step,
        key: (SessionId, u64),
        taken: &Taken,
    ) {
        let fresh = step.events().iter().any(|event| {
            matches!(event, Event::Started(started) if (started.session, started.take) == key)
        });
        let elsewhere = batch.iter().any(|other| self.also_answered(other, key));
        let seen = self.rng.percent(60);
        if taken.hand_outs.is_empty() || !fresh || elsewhere || !seen {
            return;
        }
        self.requests += 1;
        self.server.inbox.push_front(Request {
            id: self.requests,
            from: Address::Operator,
            command: Command::ReturnTake {
                session: key.0,
                number: key.1,
            },
        });
    }

    fn also_answered(&self, other: &Decided, key: (SessionId, u64)) -> bool {
        let Some(request) = other.request else {
            return false;
        };
        let take = |command: &Command| matches!(command, Command::Take(take) if (take.session, take.number) == key);
        other.step.command.as_ref().is_some_and(take) && self.network.is_open(request)
    }

    fn crash_server(&mut self, crash: Crash, whole: bool) {
        self.trace
            .line(|| format!("{} crash {crash:?}", self.clock.time));
        if !self.oracle.ledger.sweeps.is_empty() {
            self.oracle.situations.crash_amid_sweep();
        }
        self.before = if whole { self.server.core.take() } else { None };
        self.server.die();
        self.serve_at = None;
        for (id, to) in self.network.break_all() {
            let noticed = self.clock.time + self.rng.range(1, 60);
            self.queue.plan(noticed, Next::Broken { id, to });
        }
        if crash.elsewhere {
            // The clock is set when it comes back; until then time goes by uncounted.
            self.server.resumes_elsewhere = true;
        }
        self.server.generation += u32::from(crash.raise_generation);
        self.server.dies_again = crash.again;
        if self.nodes.is_some() {
            return self.owner_died(crash.away_ms);
        }
        let back = self.clock.time + crash.away_ms;
        self.queue.plan(back, Next::Recover);
    }

    pub(super) fn recover(&mut self) {
        let core = self.read_too_early();
        let core = core.unwrap_or_else(|| self.server.recover());
        self.oracle.recovered(&core, self.before.as_ref());
        self.before = None;
        if std::mem::take(&mut self.server.resumes_elsewhere) {
            self.clock.resume_elapsed(self.server.log.last);
        }
        let mut step = self.server.open(core, self.clock.time, self.clock.now());
        self.commit(&mut step);
        self.server.more = step.more;
        self.wakes_up();
        if std::mem::take(&mut self.server.dies_again) && self.calm_until.is_none() {
            let mut crash = self.with_ctx(|ctx, _, _| crate::faults::draw_crash(ctx));
            crash.point = CrashPoint::After;
            return self.crash_server(crash, true);
        }
        self.plan_next();
    }

    pub(super) fn core(&self) -> Option<&Core> {
        self.server.core.as_ref()
    }
}

fn describe(step: &Step) -> String {
    let mut text = format!(
        "{} #{} e{} w{}: {:?}\n    -> {:?}",
        step.time, step.number, step.at.elapsed.0, step.at.wall.0, step.command, step.reply
    );
    for wake in &step.wakes {
        text += &format!("\n    wake {wake:?}");
    }
    for (index, event) in step.events().iter().enumerate() {
        text += &format!("\n    {} {event:?}", step.position() + index as u64);
    }
    text
}

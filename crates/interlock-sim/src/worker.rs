//! A simulated worker process: registers, takes, works, beats, finishes, and knows only what it was
//! told. It stops its own work at 0.8 of a lease counted from the sending of the call that granted it.

mod beat;
mod budget;
mod finish;
mod life;
mod run;
mod spend;
mod take;

use crate::actor::{Address, Alarm, Ctx, Effect};
use crate::scenery::WorkerPlan;
use interlock_core::command::Finish;
use interlock_core::words::{Name, SessionId, Token};
use interlock_core::{Command, Reply};
use run::LocalRun;
use std::collections::BTreeMap;

/// How long a worker waits for an answer that should come at once.
const ANSWER_WITHIN_MS: u64 = 1_200;

/// What a process is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Not running; starts again later.
    Down,
    /// Registering.
    Joining,
    /// At work.
    Up,
    /// Gone for good.
    Gone,
}

/// A call that is not answered.
#[derive(Clone, Debug)]
enum Call {
    Register,
    Take,
    Beat {
        sent: u64,
        totals: BTreeMap<(Token, Name), u64>,
    },
    Finish {
        tokens: Vec<Token>,
    },
    Goodbye,
    Spend {
        token: Token,
        quota: Name,
        units: u64,
    },
    Child,
}

/// A worker process.
pub struct Process {
    /// Its index.
    pub index: usize,
    /// Which life it is in; answers and alarms of an earlier one are not for it.
    pub life: u64,
    /// What it is about.
    pub mode: Mode,
    /// Stands still until then.
    pub paused_until: u64,
    plan: WorkerPlan,
    replaced: bool,
    predecessor_dead: bool,
    session: Option<SessionId>,
    number: u64,
    take_first_sent: Option<u64>,
    take_finishes: Vec<Finish>,
    runs: BTreeMap<Token, LocalRun>,
    finishes: BTreeMap<Token, Finish>,
    calls: BTreeMap<u64, Call>,
    beat_planned: Option<u64>,
}

impl Process {
    /// A process that has not started.
    pub fn new(index: usize, plan: WorkerPlan) -> Self {
        Self {
            index,
            life: 0,
            mode: Mode::Down,
            paused_until: 0,
            plan,
            replaced: false,
            predecessor_dead: false,
            session: None,
            number: 1,
            take_first_sent: None,
            take_finishes: Vec::new(),
            runs: BTreeMap::new(),
            finishes: BTreeMap::new(),
            calls: BTreeMap::new(),
            beat_planned: None,
        }
    }

    /// Where answers reach it.
    pub fn address(&self) -> Address {
        Address::Process {
            index: self.index,
            life: self.life,
        }
    }

    /// Something it asked to be woken for.
    pub fn on_alarm(&mut self, ctx: &mut Ctx<'_>, alarm: Alarm) {
        match alarm {
            Alarm::Start => self.start(ctx),
            Alarm::Take => self.take(ctx),
            Alarm::Beat => {
                // Only the latest plan counts, however late it comes.
                if self.beat_planned.is_some_and(|planned| planned <= ctx.time) {
                    self.beat_planned = None;
                    self.beat(ctx);
                }
            }
            Alarm::Done(token) => self.work_done(ctx, token),
            Alarm::Fence(token) => self.fence(ctx, token),
            Alarm::Spend(token) => self.spend(ctx, token),
            Alarm::Child(token) => self.submit_child(ctx, token),
            Alarm::Finish => self.send_finishes(ctx),
            Alarm::TimeOut(request) => {
                if self.calls.contains_key(&request) {
                    ctx.out.push(Effect::HangUp(request));
                    self.unanswered(ctx, request);
                }
            }
            Alarm::Leave => self.leave(ctx),
        }
    }

    /// An answer.
    pub fn on_reply(&mut self, ctx: &mut Ctx<'_>, request: u64, reply: Reply) {
        let Some(call) = self.calls.remove(&request) else {
            return;
        };
        match call {
            Call::Register => self.registered(ctx, reply),
            Call::Take => self.taken(ctx, reply),
            Call::Beat { sent, totals } => self.beaten(ctx, sent, &totals, reply),
            Call::Finish { tokens } => self.finished(ctx, &tokens, reply),
            Call::Spend {
                token,
                quota,
                units,
            } => self.spent(ctx, token, &quota, units, &reply),
            Call::Goodbye => self.left(ctx),
            Call::Child => {}
        }
    }

    /// A connection broke, or no answer came in time.
    pub fn unanswered(&mut self, ctx: &mut Ctx<'_>, request: u64) {
        let Some(call) = self.calls.remove(&request) else {
            return;
        };
        let soon = ctx.time + ctx.rng.range(5, 300);
        match call {
            Call::Register => self.wake(ctx, soon, Alarm::Start),
            Call::Take => self.wake(ctx, soon, Alarm::Take),
            Call::Beat { .. } => self.plan_beat(ctx, soon),
            Call::Finish { .. } => self.wake(ctx, soon, Alarm::Finish),
            Call::Goodbye => self.left(ctx),
            Call::Spend { token, .. } => self.wake(ctx, soon, Alarm::Spend(token)),
            Call::Child => {}
        }
    }

    fn wake(&self, ctx: &mut Ctx<'_>, at: u64, alarm: Alarm) {
        ctx.out.push(Effect::Wake {
            at,
            index: self.index,
            life: self.life,
            alarm,
        });
    }

    fn call(&mut self, ctx: &mut Ctx<'_>, call: Call, command: Command, within_ms: u64) {
        let request = ctx.send(self.address(), command);
        self.calls.insert(request, call);
        self.wake(ctx, ctx.time + within_ms, Alarm::TimeOut(request));
    }

    fn is_calling(&self, is: impl Fn(&Call) -> bool) -> bool {
        self.calls.values().any(is)
    }
}

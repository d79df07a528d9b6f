//! A run as its worker sees it: when it may act, and what it will come to.

use super::Process;
use super::budget::LocalBudget;
use crate::actor::{Alarm, Ctx, Effect};
use crate::oracle::Deed;
use interlock_core::command::Used;
use interlock_core::reply::HandOut;
use interlock_core::words::{Name, Op, ResourceName, Token};

/// What a run will come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// It does what was asked.
    Succeed,
    /// It fails.
    Fail,
    /// It gives up.
    Release,
    /// It never ends by itself.
    Hang,
}

/// A run as its worker sees it.
pub struct LocalRun {
    pub claims: Vec<(ResourceName, Op)>,
    pub lease_ms: u64,
    /// The sending of the last call that granted the lease.
    pub granted_from: u64,
    pub acting: bool,
    pub plan: Plan,
    pub budgets: Vec<LocalBudget>,
    /// Permits held: quota and units.
    pub permits: Vec<Used>,
    /// Permits to be given back with the next beat.
    pub dropped: Vec<Used>,
    /// Not to be renewed any more.
    pub ending: bool,
    pub stopping: bool,
    /// Left out of beats, so that it runs out.
    pub silent: bool,
    pub task_kind: Name,
}

impl LocalRun {
    /// When the worker must stop by itself: at 0.8 of the lease.
    pub fn fence_at(&self) -> u64 {
        self.granted_from + self.lease_ms * 4 / 5
    }
}

impl Process {
    /// Begins a run that was handed out.
    pub(super) fn begin_run(&mut self, ctx: &mut Ctx<'_>, hand_out: &HandOut, granted_from: u64) {
        let plan = draw_plan(ctx);
        let run = LocalRun {
            claims: hand_out
                .claims
                .iter()
                .map(|claim| (claim.resource.clone(), claim.op.unwrap_or(Op::Update)))
                .collect(),
            lease_ms: hand_out.lease_ms,
            granted_from,
            acting: false,
            plan,
            budgets: hand_out
                .budgets
                .iter()
                .map(|budget| LocalBudget::new(budget, ctx.time))
                .collect(),
            permits: Vec::new(),
            dropped: Vec::new(),
            ending: false,
            stopping: false,
            silent: false,
            task_kind: hand_out.kind.clone(),
        };
        let token = hand_out.token;
        let late = ctx.time.saturating_sub(granted_from) > run.lease_ms / 3;
        let beat_at = if late {
            ctx.time
        } else {
            granted_from + run.lease_ms / 3
        };
        self.runs.insert(token, run);
        self.act(ctx, token);
        self.plan_beat(ctx, beat_at);
        self.plan_work(ctx, token, hand_out);
    }

    fn plan_work(&mut self, ctx: &mut Ctx<'_>, token: Token, hand_out: &HandOut) {
        let longest = if ctx.calm { 40 } else { ctx.scenery.work_ms };
        let work_ms = ctx.rng.wait(longest);
        self.wake(ctx, ctx.time + work_ms, Alarm::Done(token));
        if self.spends(ctx, token, hand_out) {
            let soon = ctx.time + ctx.rng.range(1, 200);
            self.wake(ctx, soon, Alarm::Spend(token));
        }
        if ctx.strikes(crate::feature::Feature::Children, 12) {
            let soon = ctx.time + ctx.rng.below(work_ms) + 1;
            self.wake(ctx, soon, Alarm::Child(token));
        }
    }

    /// Acts on a run, if its lease allows; otherwise a beat must come first.
    pub(super) fn act(&mut self, ctx: &mut Ctx<'_>, token: Token) {
        let paused = self.paused_until > ctx.time;
        let Some(run) = self.runs.get_mut(&token) else {
            return;
        };
        let until = run.fence_at();
        if until <= ctx.time || paused {
            return self.stop_acting(ctx, token);
        }
        run.acting = true;
        let claims = run.claims.clone();
        ctx.out.push(Effect::Deed(Deed::Acts {
            token,
            claims,
            until,
        }));
        self.wake(ctx, until, Alarm::Fence(token));
    }

    /// Looks whether a run's lease is over, by the worker's own clock.
    pub(super) fn fence(&mut self, ctx: &mut Ctx<'_>, token: Token) {
        let over = self
            .runs
            .get(&token)
            .is_some_and(|run| run.fence_at() <= ctx.time);
        if !over {
            return;
        }
        self.stop_acting(ctx, token);
        // Some workers give a run back that they had to stop; others go on beating and may be renewed;
        // the rest forget about it.
        match ctx.rng.below(3) {
            0 => self.give_back(ctx, token),
            1 => self.drop_run(ctx, token),
            _ => {}
        }
    }

    pub(super) fn stop_acting(&mut self, ctx: &mut Ctx<'_>, token: Token) {
        if let Some(run) = self.runs.get_mut(&token)
            && run.acting
        {
            run.acting = false;
            ctx.out.push(Effect::Deed(Deed::Stops { token }));
        }
    }

    /// Forgets a run.
    pub(super) fn drop_run(&mut self, ctx: &mut Ctx<'_>, token: Token) {
        self.stop_acting(ctx, token);
        self.runs.remove(&token);
        self.wake(ctx, ctx.time + 1, Alarm::Take);
    }
}

fn draw_plan(ctx: &mut Ctx<'_>) -> Plan {
    use crate::feature::Feature;
    if ctx.strikes(Feature::TooLong, 6) {
        Plan::Hang
    } else if ctx.strikes(Feature::Releases, 5) {
        Plan::Release
    } else if ctx.trouble(Feature::Failures) && ctx.rng.percent(ctx.scenery.fail_percent) {
        Plan::Fail
    } else {
        Plan::Succeed
    }
}

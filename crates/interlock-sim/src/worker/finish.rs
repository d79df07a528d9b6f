//! Reporting how runs ended, until it is answered; some reports are sent twice.

use super::run::{LocalRun, Plan};
use super::{ANSWER_WITHIN_MS, Call, Process};
use crate::actor::{Alarm, Ctx};
use crate::feature::Feature;
use interlock_core::command::{Again, Finish, FinishHow, RunError, Used};
use interlock_core::reply::Finished;
use interlock_core::words::{Payload, Token};
use interlock_core::{Command, Refusal, Reply};

impl Process {
    /// The work on a run is done.
    pub(super) fn work_done(&mut self, ctx: &mut Ctx<'_>, token: Token) {
        let Some(run) = self.runs.get(&token) else {
            return;
        };
        if run.plan == Plan::Hang && !run.stopping && !ctx.calm {
            return;
        }
        if !run.acting && run.fence_at() <= ctx.time && ctx.rng.percent(70) {
            // Its lease is over; a beat may still bring it back, or it runs out.
            let later = ctx.time + run.lease_ms / 2;
            return self.wake(ctx, later, Alarm::Done(token));
        }
        let how = self.outcome(ctx, token);
        self.finish(ctx, token, how);
    }

    fn outcome(&mut self, ctx: &mut Ctx<'_>, token: Token) -> FinishHow {
        let run = &self.runs[&token];
        let plan = match run.plan {
            Plan::Hang => Plan::Fail,
            _ if run.stopping && ctx.rng.percent(50) => Plan::Release,
            plan => plan,
        };
        match plan {
            Plan::Succeed => FinishHow::Succeed {
                result: Payload::from(format!("{token}").as_str()),
            },
            Plan::Release => FinishHow::Release,
            Plan::Fail | Plan::Hang => FinishHow::Fail {
                error: RunError {
                    message: (*ctx.rng.pick(&["no route", "bad answer"])).into(),
                    detail: "".into(),
                },
                again: match ctx.rng.below(12) {
                    0 => Again::Never,
                    1 => Again::In(ctx.rng.range(1, 4_000)),
                    _ => Again::AsKindSays,
                },
            },
        }
    }

    /// Gives a run back undone.
    pub(super) fn give_back(&mut self, ctx: &mut Ctx<'_>, token: Token) {
        self.finish(ctx, token, FinishHow::Release);
    }

    fn finish(&mut self, ctx: &mut Ctx<'_>, token: Token, how: FinishHow) {
        self.stop_acting(ctx, token);
        let Some(run) = self.runs.remove(&token) else {
            return;
        };
        let used = used_at_end(&run);
        self.finishes.insert(token, Finish { token, how, used });
        // Either at once, or with the next take.
        if ctx.rng.percent(60) || self.is_calling(|call| matches!(call, Call::Take)) {
            self.send_finishes(ctx);
        } else {
            let soon = ctx.time + 400;
            self.wake(ctx, soon, Alarm::Finish);
        }
        self.wake(ctx, ctx.time + 1, Alarm::Take);
    }

    /// Sends every finish that is not answered yet.
    pub(super) fn send_finishes(&mut self, ctx: &mut Ctx<'_>) {
        let Some(session) = self.session else {
            return;
        };
        if self.finishes.is_empty() || self.is_calling(|call| matches!(call, Call::Finish { .. })) {
            return;
        }
        let finishes: Vec<Finish> = self.finishes.values().cloned().collect();
        let tokens = finishes.iter().map(|finish| finish.token).collect();
        let command = Command::Finish { session, finishes };
        self.call(ctx, Call::Finish { tokens }, command, ANSWER_WITHIN_MS);
    }

    pub(super) fn finished(&mut self, ctx: &mut Ctx<'_>, tokens: &[Token], reply: Reply) {
        match reply {
            Reply::Finished(answers) => {
                for (token, answer) in tokens.iter().zip(&answers) {
                    self.finish_answered(ctx, *token, answer);
                }
            }
            Reply::Refused(Refusal::StaleSession) => self.rejoin(ctx),
            _ => self.finishes.clear(),
        }
    }

    pub(super) fn finish_answered(
        &mut self,
        ctx: &mut Ctx<'_>,
        token: Token,
        _answer: &Result<Finished, Refusal>,
    ) {
        if ctx.strikes(Feature::Repeats, 10) {
            let soon = ctx.time + 50;
            return self.wake(ctx, soon, Alarm::Finish);
        }
        self.finishes.remove(&token);
    }
}

fn used_at_end(run: &LocalRun) -> Vec<Used> {
    run.budgets
        .iter()
        .filter(|budget| budget.unreported() > 0)
        .map(|budget| Used {
            quota: budget.quota.clone(),
            units: budget.unreported(),
        })
        .collect()
}

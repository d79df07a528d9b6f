//! Beats: one call names all runs that go on, reports what they used, and brings news.

use super::{ANSWER_WITHIN_MS, Call, Process};
use crate::actor::{Alarm, Ctx};
use crate::feature::Feature;
use interlock_core::command::{Beat, BeatRun, Progress, Used};
use interlock_core::reply::{Beaten, Order};
use interlock_core::words::{Name, Token};
use interlock_core::{Command, Refusal, Reply};
use std::collections::BTreeMap;

impl Process {
    /// Plans the next beat, unless an earlier one is planned.
    pub(super) fn plan_beat(&mut self, ctx: &mut Ctx<'_>, at: u64) {
        let at = at.max(ctx.time);
        if self.beat_planned.is_none_or(|planned| at < planned) {
            self.beat_planned = Some(at);
            self.wake(ctx, at, Alarm::Beat);
        }
    }

    pub(super) fn beat(&mut self, ctx: &mut Ctx<'_>) {
        let Some(session) = self.session else {
            return;
        };
        if self.runs.is_empty() {
            return;
        }
        let mut totals = BTreeMap::new();
        let mut runs = Vec::new();
        for (token, run) in &mut self.runs {
            if run.silent {
                continue;
            }
            for budget in &run.budgets {
                totals.insert((*token, budget.quota.clone()), budget.total);
            }
            runs.push(BeatRun {
                token: *token,
                progress: progress(ctx),
                used: unreported(run),
                dropped: std::mem::take(&mut run.dropped),
            });
        }
        let third = self
            .runs
            .values()
            .map(|run| run.lease_ms / 3)
            .min()
            .unwrap_or(1_000);
        if !runs.is_empty() {
            let call = Call::Beat {
                sent: ctx.time,
                totals,
            };
            self.call(
                ctx,
                call,
                Command::Beat(Beat { session, runs }),
                ANSWER_WITHIN_MS,
            );
        }
        self.plan_beat(ctx, ctx.time + third);
    }

    pub(super) fn beaten(
        &mut self,
        ctx: &mut Ctx<'_>,
        sent: u64,
        totals: &BTreeMap<(Token, Name), u64>,
        reply: Reply,
    ) {
        match reply {
            Reply::Beaten(answers) => {
                for answer in &answers {
                    self.hear(ctx, sent, totals, answer);
                }
            }
            Reply::Refused(Refusal::StaleSession) => self.rejoin(ctx),
            _ => {}
        }
    }

    fn hear(
        &mut self,
        ctx: &mut Ctx<'_>,
        sent: u64,
        totals: &BTreeMap<(Token, Name), u64>,
        answer: &Beaten,
    ) {
        let token = answer.token;
        let Some(run) = self.runs.get_mut(&token) else {
            return;
        };
        for news in &answer.budgets {
            let budget = run
                .budgets
                .iter_mut()
                .find(|budget| budget.quota == news.quota);
            let total = totals.get(&(token, news.quota.clone()));
            if let (Some(budget), Some(total)) = (budget, total) {
                budget.hear(news, sent, *total, ctx.time);
            }
        }
        match answer.order {
            Order::GoOn => self.granted(ctx, token, sent),
            Order::Stop(_) => {
                self.granted(ctx, token, sent);
                self.told_to_stop(ctx, token);
            }
            Order::Ending(_) => {
                run.ending = true;
                self.told_to_stop(ctx, token);
            }
            Order::Gone => self.drop_run(ctx, token),
        }
    }

    fn granted(&mut self, ctx: &mut Ctx<'_>, token: Token, sent: u64) {
        let Some(run) = self.runs.get_mut(&token) else {
            return;
        };
        run.granted_from = run.granted_from.max(sent);
        if ctx.strikes(Feature::WorkerPauses, 2) {
            // It forgets to name this run from now on.
            if let Some(run) = self.runs.get_mut(&token) {
                run.silent = true;
            }
        }
        self.act(ctx, token);
    }

    /// Most stop soon; some report success in time; some don't listen.
    fn told_to_stop(&mut self, ctx: &mut Ctx<'_>, token: Token) {
        let Some(run) = self.runs.get_mut(&token) else {
            return;
        };
        if run.stopping {
            return;
        }
        run.stopping = true;
        if ctx.calm || ctx.rng.percent(80) {
            let soon = ctx.time + ctx.rng.range(1, 500);
            self.wake(ctx, soon, Alarm::Done(token));
        }
    }
}

fn unreported(run: &super::run::LocalRun) -> Vec<Used> {
    run.budgets
        .iter()
        .filter(|budget| budget.unreported() > 0)
        .map(|budget| Used {
            quota: budget.quota.clone(),
            units: budget.unreported(),
        })
        .collect()
}

fn progress(ctx: &mut Ctx<'_>) -> Option<Progress> {
    ctx.rng.percent(20).then(|| Progress {
        done: ctx.time,
        total: None,
        unit: "steps".into(),
        message: "".into(),
    })
}

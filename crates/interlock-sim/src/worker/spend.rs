//! Spending inside a run: from its own budget where it has one, else through the server; and children.

use super::{ANSWER_WITHIN_MS, Call, Process};
use crate::actor::{Alarm, Ctx, Effect};
use crate::feature::Feature;
use crate::oracle::Deed;
use crate::scenery::METERED_TYPE;
use crate::workload::submission;
use interlock_core::command::{Spend, Submit, Used};
use interlock_core::reply::{HandOut, Spending};
use interlock_core::words::{Name, ResourceName, Token};
use interlock_core::{Command, Reply};

impl Process {
    /// Whether a run will want to spend at all.
    pub(super) fn spends(&self, ctx: &Ctx<'_>, token: Token, hand_out: &HandOut) -> bool {
        let own = self
            .runs
            .get(&token)
            .is_some_and(|run| !run.budgets.is_empty());
        let asks = ctx.features.has(Feature::Permits)
            && ctx
                .scenery
                .kinds
                .iter()
                .any(|k| k.name == hand_out.kind && !k.quotas.is_empty());
        ctx.features.has(Feature::Quotas) && ((own && ctx.features.has(Feature::Budgets)) || asks)
    }

    pub(super) fn spend(&mut self, ctx: &mut Ctx<'_>, token: Token) {
        let Some(run) = self.runs.get(&token) else {
            return;
        };
        let again = ctx.time + ctx.rng.range(20, 400);
        if run.acting {
            let own = !run.budgets.is_empty() && ctx.features.has(Feature::Budgets);
            if own && ctx.rng.percent(80) {
                self.spend_own(ctx, token);
            } else if ctx.features.has(Feature::Permits) && ctx.rng.percent(60) {
                self.ask(ctx, token);
            }
        }
        self.use_permits(ctx, token);
        self.wake(ctx, again, Alarm::Spend(token));
    }

    fn spend_own(&mut self, ctx: &mut Ctx<'_>, token: Token) {
        let Some(run) = self.runs.get_mut(&token) else {
            return;
        };
        let units = ctx.rng.range(1, 2);
        let index = ctx.rng.index(run.budgets.len());
        let budget = &mut run.budgets[index];
        if budget.try_spend(ctx.time, units) {
            let quota = budget.quota.clone();
            self.spent_really(ctx, token, quota, units);
        }
    }

    fn ask(&mut self, ctx: &mut Ctx<'_>, token: Token) {
        let (Some(session), Some(run)) = (self.session, self.runs.get(&token)) else {
            return;
        };
        let kind = ctx
            .scenery
            .kinds
            .iter()
            .find(|kind| kind.name == run.task_kind);
        let Some(quotas) = kind
            .map(|kind| &kind.quotas)
            .filter(|quotas| !quotas.is_empty())
        else {
            return;
        };
        let quota = ctx.rng.pick(quotas).quota.clone();
        let units = ctx.rng.range(1, 2);
        let call = Call::Spend {
            token,
            quota: quota.clone(),
            units,
        };
        let command = Command::Spend(Spend {
            session,
            token,
            quota,
            units,
        });
        self.call(ctx, call, command, ANSWER_WITHIN_MS);
    }

    pub(super) fn spent(
        &mut self,
        ctx: &mut Ctx<'_>,
        token: Token,
        quota: &Name,
        units: u64,
        reply: &Reply,
    ) {
        let Some(run) = self.runs.get_mut(&token) else {
            return;
        };
        if *reply == Reply::Spent(Spending::Granted) {
            run.permits.push(Used {
                quota: quota.clone(),
                units,
            });
            if ctx.rng.percent(60) {
                self.use_permits(ctx, token);
            }
        }
    }

    /// Uses the permits it holds and gives them back with the next beat.
    fn use_permits(&mut self, ctx: &mut Ctx<'_>, token: Token) {
        let Some(run) = self.runs.get_mut(&token).filter(|run| run.acting) else {
            return;
        };
        let permits = std::mem::take(&mut run.permits);
        run.dropped.extend(permits.iter().cloned());
        for permit in permits {
            self.spent_really(ctx, token, permit.quota, permit.units);
        }
    }

    fn spent_really(&mut self, ctx: &mut Ctx<'_>, token: Token, quota: Name, units: u64) {
        let resource = if ctx.scenery.is_per_resource(&quota) {
            self.shop_of(token)
        } else {
            None
        };
        ctx.out.push(Effect::Deed(Deed::Spends {
            quota,
            resource,
            units,
        }));
    }

    fn shop_of(&self, token: Token) -> Option<ResourceName> {
        let claims = &self.runs.get(&token)?.claims;
        let shop = claims
            .iter()
            .find(|(resource, _)| resource.resource_type() == METERED_TYPE);
        shop.map(|(resource, _)| resource.clone())
    }

    pub(super) fn submit_child(&mut self, ctx: &mut Ctx<'_>, token: Token) {
        if !self.runs.contains_key(&token) {
            return;
        }
        let mut child = submission::draw(ctx);
        child.parent = Some(token);
        child.after.clear();
        let command = Command::Submit(Submit {
            items: vec![child],
            group: false,
            dry_run: false,
        });
        self.call(ctx, Call::Child, command, ANSWER_WITHIN_MS);
    }
}

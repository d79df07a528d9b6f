//! Operators: they see everything and change anything.

use super::schedules;
use crate::actor::{Address, Ctx};
use crate::feature::Feature;
use crate::oracle::{Ledger, TaskRow};
use crate::scenery::{draw_limits, draw_policy, name};
use interlock_core::Command;
use interlock_core::command::HoldTarget;
use interlock_core::words::{Name, TaskId};

/// Does something, if what it picks is possible in this world.
pub fn operate(ctx: &mut Ctx<'_>, ledger: &Ledger) {
    const VERBS: &[(Feature, u64, Verb)] = &[
        (Feature::Cancels, 12, cancel),
        (Feature::Groups, 2, cancel_group),
        (Feature::Bumps, 5, bump),
        (Feature::Holds, 6, hold),
        (Feature::Holds, 12, release),
        (Feature::Drains, 1, drain),
        (Feature::PolicyChanges, 3, change_kind),
        (Feature::QuotaChanges, 5, change_quota),
        (Feature::QuotaPauses, 4, pause_quota),
        (Feature::Schedules, 2, set_schedule),
        (Feature::Schedules, 2, pause_schedule),
        (Feature::Removals, 2, remove),
    ];
    let weights: Vec<u64> = VERBS.iter().map(|(_, weight, _)| *weight).collect();
    let (feature, _, verb) = VERBS[ctx.rng.weighted(&weights)];
    if ctx.trouble(feature)
        && let Some(command) = verb(ctx, ledger)
    {
        ctx.send(Address::Operator, command);
    }
}

type Verb = fn(&mut Ctx<'_>, &Ledger) -> Option<Command>;

fn who() -> Option<Name> {
    Some(name("op"))
}

fn any_task<'a>(ctx: &mut Ctx<'_>, ledger: &'a Ledger) -> Option<&'a TaskRow> {
    let from = TaskId(ctx.rng.below(ledger.last_task?.0 + 1));
    ledger.tasks.range(from..).next().map(|(_, row)| row)
}

fn cancel(ctx: &mut Ctx<'_>, ledger: &Ledger) -> Option<Command> {
    // Folded ids must lead to the task that stands for them, too.
    let folded = ledger
        .folded
        .keys()
        .rev()
        .find(|id| ledger.told.contains(id));
    let folded = folded.filter(|_| ctx.rng.percent(10)).copied();
    let mut task = match folded {
        Some(task) => task,
        None => any_task(ctx, ledger)?.id,
    };
    if ctx.rng.percent(30) {
        let aside = ledger
            .tasks
            .values()
            .find(|row| row.set_aside || row.is_running());
        task = aside.map_or(task, |row| row.id);
    }
    Some(Command::Cancel {
        task,
        all: ctx.rng.percent(60),
        by: who(),
    })
}

fn cancel_group(ctx: &mut Ctx<'_>, ledger: &Ledger) -> Option<Command> {
    let back = ctx.rng.index(3);
    let group = *ledger.groups.keys().rev().nth(back)?;
    Some(Command::CancelGroup { group, by: who() })
}

fn bump(ctx: &mut Ctx<'_>, ledger: &Ledger) -> Option<Command> {
    let task = any_task(ctx, ledger)?;
    Some(Command::Bump {
        task: task.id,
        priority: ctx.rng.range(u64::from(task.priority), 9) as u8,
        by: who(),
    })
}

fn hold(ctx: &mut Ctx<'_>, ledger: &Ledger) -> Option<Command> {
    let what = match ctx.rng.below(10) {
        0..=3 => HoldTarget::Task(any_task(ctx, ledger)?.id),
        4..=6 => HoldTarget::Resource(ctx.rng.pick(&ctx.scenery.resources).clone()),
        7..=8 => HoldTarget::Kind(ctx.rng.pick(&ctx.scenery.kinds).name.clone()),
        _ => HoldTarget::Namespace,
    };
    Some(Command::Hold { what, by: who() })
}

fn release(ctx: &mut Ctx<'_>, ledger: &Ledger) -> Option<Command> {
    let what = held(ledger).nth(ctx.rng.index(3))?;
    Some(Command::Release { what, by: who() })
}

/// Everything that is held.
pub fn held(ledger: &Ledger) -> impl Iterator<Item = HoldTarget> {
    let tasks = ledger.tasks.values().filter(|task| task.held);
    let tasks = tasks.map(|task| HoldTarget::Task(task.id));
    ledger.holds.iter().cloned().chain(tasks)
}

fn drain(ctx: &mut Ctx<'_>, _: &Ledger) -> Option<Command> {
    let worker = ctx.rng.pick(&ctx.scenery.workers).name.clone();
    Some(Command::Drain { worker, by: who() })
}

fn change_kind(ctx: &mut Ctx<'_>, _: &Ledger) -> Option<Command> {
    let mut kind = ctx.rng.pick(&ctx.scenery.kinds).clone();
    draw_policy(ctx.rng, ctx.features, &mut kind);
    Some(Command::SetKind(Box::new(kind)))
}

fn change_quota(ctx: &mut Ctx<'_>, _: &Ledger) -> Option<Command> {
    if ctx.scenery.quotas.is_empty() {
        return None;
    }
    let last = ctx.scenery.quotas.len() - 1;
    let index = if ctx.rng.percent(40) {
        last
    } else {
        ctx.rng.index(last + 1)
    };
    let mut quota = ctx.scenery.quotas[index].clone();
    quota.limits = draw_limits(ctx.rng, quota.name.as_str());
    Some(Command::SetQuota(Box::new(quota)))
}

fn pause_quota(ctx: &mut Ctx<'_>, _: &Ledger) -> Option<Command> {
    if ctx.scenery.quotas.is_empty() {
        return None;
    }
    let quota = ctx.rng.pick(&ctx.scenery.quotas).name.clone();
    let resource = ctx
        .scenery
        .is_per_resource(&quota)
        .then(|| ctx.rng.pick(&ctx.scenery.shops).clone());
    let for_ms = if ctx.rng.percent(30) {
        0
    } else {
        ctx.rng.wait(2_000)
    };
    Some(Command::PauseQuota {
        quota,
        resource,
        for_ms,
    })
}

fn set_schedule(ctx: &mut Ctx<'_>, ledger: &Ledger) -> Option<Command> {
    let schedule = schedules::draw(ctx, ledger.now.wall);
    Some(Command::SetSchedule(Box::new(schedule)))
}

fn pause_schedule(ctx: &mut Ctx<'_>, _: &Ledger) -> Option<Command> {
    Some(Command::PauseSchedule {
        name: schedules::name_of(ctx.rng.below(3)),
        paused: ctx.rng.percent(50),
    })
}

fn remove(ctx: &mut Ctx<'_>, ledger: &Ledger) -> Option<Command> {
    Some(match ctx.rng.below(4) {
        0 => Command::RemoveSchedule(schedules::name_of(ctx.rng.below(3))),
        1 => Command::RemoveKind(ctx.rng.pick(&ctx.scenery.kinds).name.clone()),
        2 if !ctx.scenery.quotas.is_empty() => {
            Command::RemoveQuota(ctx.rng.pick(&ctx.scenery.quotas).name.clone())
        }
        _ => {
            // What was removed comes back.
            let gone =
                |kind: &&interlock_core::words::Kind| ledger.kind_named(&kind.name).is_none();
            Command::SetKind(Box::new(ctx.scenery.kinds.iter().find(gone)?.clone()))
        }
    })
}

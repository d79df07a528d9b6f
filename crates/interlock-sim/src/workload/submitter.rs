//! Submitters: single tasks, flurries of the same, batches, groups, chains, repeats of old requests.

use super::submission;
use crate::actor::{Address, Ctx};
use crate::feature::Feature;
use crate::oracle::Ledger;
use interlock_core::Command;
use interlock_core::command::{HoldTarget, Submit};
use interlock_core::words::{After, IfBusy, Name, ResourceName, Submission, TaskId};

/// How many live tasks are enough.
const LIVE_MAX: usize = 100;
/// How many in a flood, enough for more than one slice.
const FLOOD: u64 = 800;
/// So many tasks take more than one slice.
const SLICES: usize = 350;
/// How often a flood is stirred at most.
const STIRS: u32 = 8;

/// The submitters, all in one.
#[derive(Default)]
pub struct Submitter {
    /// What was submitted with an idempotency key, to be repeated.
    keyed: Vec<Submission>,
    /// What was submitted lately, to be submitted again.
    recent: Vec<Submission>,
    flood: Option<Flood>,
}

/// More tasks than one slice can move.
struct Flood {
    kind: Name,
    resource: ResourceName,
    held: Option<HoldTarget>,
    stirs: u32,
}

impl Submitter {
    /// Submits something, unless there is more than enough already.
    pub fn submit(&mut self, ctx: &mut Ctx<'_>, ledger: &Ledger) {
        if self.flood.is_none() && ctx.strikes(Feature::Flood, 5) {
            return self.flood(ctx);
        }
        if let Some(flood) = self.flood.as_mut().filter(|_| ledger.tasks.len() > SLICES) {
            return flood.stir(ctx);
        }
        if ledger.tasks.len() > LIVE_MAX {
            return;
        }
        match ctx.rng.below(100) {
            0..=7 if ctx.trouble(Feature::Idempotency) => self.repeat(ctx),
            8..=15 if ctx.trouble(Feature::Batches) => self.batch(ctx, ledger),
            16..=21 if ctx.trouble(Feature::Groups) => self.group(ctx, ledger),
            22..=24 if ctx.trouble(Feature::DryRuns) => {
                let item = self.draw(ctx, ledger);
                send(ctx, vec![item], false, true);
            }
            25..=34 => self.flurry(ctx),
            _ => {
                let item = self.draw(ctx, ledger);
                self.recent.push(item.clone());
                send(ctx, vec![item], false, false);
            }
        }
    }

    fn draw(&mut self, ctx: &mut Ctx<'_>, ledger: &Ledger) -> Submission {
        let mut item = submission::draw(ctx);
        if ctx.strikes(Feature::After, 12) {
            let some = some_task(ctx, ledger);
            item.after.extend(some.map(After::Task));
        }
        if ctx.strikes(Feature::Retries, 5) {
            item.retry_of = last_ended(ctx, ledger);
        }
        if ctx.strikes(Feature::Idempotency, 25) {
            item.idempotency_key = Some(submission::fresh_key(ctx));
            self.keyed.push(item.clone());
        }
        item
    }

    /// The same thing again, once or a few times.
    fn flurry(&mut self, ctx: &mut Ctx<'_>) {
        if self.recent.is_empty() {
            return;
        }
        let from = self.recent.len().saturating_sub(8);
        let index = from + ctx.rng.index(self.recent.len() - from);
        let mut item = submission::altered(&self.recent[index], ctx.rng.bits() >> 12);
        item.idempotency_key = None;
        item.after.clear();
        item.retry_of = None;
        if ctx.rng.percent(80) {
            item.hold = false;
            item.start_within_ms = None;
            item.due = None;
            item.if_busy = IfBusy::Wait;
        }
        for _ in 0..ctx.rng.range(1, 4) {
            let again = submission::altered(&item, ctx.rng.bits() >> 12);
            send(ctx, vec![again], false, false);
        }
    }

    /// A request that was made before, or one that only looks like it.
    fn repeat(&mut self, ctx: &mut Ctx<'_>) {
        if self.keyed.is_empty() {
            return;
        }
        let old = ctx.rng.pick(&self.keyed).clone();
        let item = if ctx.rng.percent(15) {
            submission::altered(&old, ctx.rng.bits() >> 12)
        } else {
            old
        };
        send(ctx, vec![item], false, false);
    }

    fn batch(&mut self, ctx: &mut Ctx<'_>, ledger: &Ledger) {
        let count = ctx.rng.range(2, 6);
        let mut items: Vec<_> = (0..count).map(|_| self.draw(ctx, ledger)).collect();
        if ctx.rng.percent(20) {
            // A bad item must not harm its neighbours.
            let bad = ctx.rng.index(items.len());
            items[bad].kind = crate::scenery::name("nobody-knows");
        }
        send(ctx, items, false, false);
    }

    fn group(&mut self, ctx: &mut Ctx<'_>, ledger: &Ledger) {
        let count = ctx.rng.range(2, 5) as usize;
        let keyed = self.keyed.len();
        let mut items: Vec<_> = (0..count).map(|_| self.draw(ctx, ledger)).collect();
        // The key of the first item is the key of the group.
        items
            .iter_mut()
            .skip(1)
            .for_each(|item| item.idempotency_key = None);
        self.keyed.truncate(keyed);
        let key = items[0].idempotency_key.clone();
        for (index, item) in items.iter_mut().enumerate().skip(1) {
            if ctx.strikes(Feature::After, 60) {
                let before = ctx.rng.index(index);
                item.after.push(After::Item(before));
            }
        }
        if ctx.rng.percent(5) {
            // A circle.
            items[0].after.push(After::Item(count - 1));
            items[count - 1].after.push(After::Item(0));
        }
        if key.is_some() && ctx.rng.percent(50) {
            send(ctx, items.clone(), true, false);
        }
        send(ctx, items, true, false);
    }

    /// More tasks on one resource than one slice can move.
    fn flood(&mut self, ctx: &mut Ctx<'_>) {
        let kind = ctx.scenery.kinds[0].clone();
        let mut first = Submission::new(kind.name.clone(), submission::draw_of(ctx, &kind).claims);
        first.claims.truncate(1);
        self.flood = Some(Flood {
            kind: kind.name.clone(),
            resource: first.claims[0].resource.clone(),
            held: None,
            stirs: 0,
        });
        for _ in 0..2 {
            let items = (0..FLOOD / 2)
                .map(|_| submission::altered(&first, ctx.rng.bits() >> 12))
                .collect();
            send(ctx, items, false, false);
        }
    }
}

impl Flood {
    /// Has all of it moved, again and again, so that others meet a sweep half-way.
    fn stir(&mut self, ctx: &mut Ctx<'_>) {
        if self.stirs >= STIRS || ctx.rng.percent(80) {
            return;
        }
        self.stirs += 1;
        let by = None;
        let command = match self.held.take() {
            Some(what) => Command::Release { what, by },
            None => {
                let what = match ctx.rng.below(3) {
                    0 => HoldTarget::Kind(self.kind.clone()),
                    1 => HoldTarget::Resource(self.resource.clone()),
                    _ => HoldTarget::Namespace,
                };
                self.held = Some(what.clone());
                Command::Hold { what, by }
            }
        };
        ctx.send(Address::Operator, command);
    }
}

fn send(ctx: &mut Ctx<'_>, items: Vec<Submission>, group: bool, dry_run: bool) {
    let command = Command::Submit(Submit {
        items,
        group,
        dry_run,
    });
    ctx.send(Address::Submitter, command);
}

/// A task that is live, or one that has ended.
fn some_task(ctx: &mut Ctx<'_>, ledger: &Ledger) -> Option<TaskId> {
    if ctx.rng.percent(10) {
        return last_ended(ctx, ledger);
    }
    let from = ctx.rng.below(ledger.last_task?.0 + 1);
    let mut ids = ledger
        .tasks
        .range(TaskId(from)..)
        .chain(ledger.tasks.iter());
    ids.next().map(|(id, _)| *id)
}

fn last_ended(ctx: &mut Ctx<'_>, ledger: &Ledger) -> Option<TaskId> {
    let back = ctx.rng.index(5);
    ledger.ended.keys().rev().nth(back).copied()
}

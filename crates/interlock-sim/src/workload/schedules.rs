//! Schedules of a world: by the calendar, and at intervals.

use super::submission;
use crate::actor::Ctx;
use crate::scenery::name;
use interlock_core::words::{Name, Schedule, Timing, Wall};

/// Expressions whose next firing the checker can tell by itself: every so many seconds.
pub const CRONS: &[(&str, u64)] = &[
    ("*/5 * * * * *", 5_000),
    ("*/20 * * * * *", 20_000),
    ("* * * * *", 60_000),
];

/// The name of a schedule.
pub fn name_of(index: u64) -> Name {
    name(&format!("s{index}"))
}

/// A schedule, new or in place of another of its name.
pub fn draw(ctx: &mut Ctx<'_>, wall: Wall) -> Schedule {
    let index = ctx.rng.below(3);
    let mut item = submission::draw(ctx);
    item.hold = false;
    Schedule {
        name: name_of(index),
        timing: draw_timing(ctx, wall),
        submission: item,
    }
}

fn draw_timing(ctx: &mut Ctx<'_>, wall: Wall) -> Timing {
    if ctx.rng.percent(40) {
        let zones = ["UTC", "Europe/Prague", "Asia/Tokyo"];
        return Timing::Cron {
            expression: ctx.rng.pick(CRONS).0.to_owned(),
            zone: (*ctx.rng.pick(&zones)).to_owned(),
        };
    }
    let start = match ctx.rng.below(3) {
        0 => None,
        1 => Some(wall.plus(ctx.rng.range(100, 5_000))),
        _ => Some(Wall(wall.0.saturating_sub(ctx.rng.range(0, 20_000)))),
    };
    Timing::Every {
        every_ms: ctx.rng.range(500, 8_000),
        start,
        count: ctx.rng.percent(30).then(|| ctx.rng.range(1, 6)),
    }
}

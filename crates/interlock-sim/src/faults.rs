//! What goes wrong, and when: drawn from the seed, one fault at a time.

use crate::actor::Ctx;
use crate::feature::Feature;

/// Something that goes wrong.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// The server dies.
    CrashServer(Crash),
    /// The server stands still, so that its clocks jump.
    PauseServer {
        /// How long.
        for_ms: u64,
    },
    /// Everything and everybody stands still: only time goes by.
    Sleep {
        /// How long.
        for_ms: u64,
    },
    /// The calendar jumps.
    JumpWall {
        /// By so much.
        by_ms: i64,
    },
    /// A worker dies.
    CrashWorker {
        /// How long until it starts again.
        down_ms: u64,
    },
    /// A worker stands still.
    PauseWorker {
        /// How long.
        for_ms: u64,
        /// Another process is started under its name meanwhile.
        replace: bool,
    },
}

/// How the server dies and comes back.
#[derive(Clone, Copy, Debug)]
pub struct Crash {
    /// When.
    pub point: CrashPoint,
    /// How long it is away.
    pub away_ms: u64,
    /// It comes back on another machine, whose boot-time clock goes on from the log.
    pub elsewhere: bool,
    /// It comes back under a higher generation.
    pub raise_generation: bool,
    /// It dies again right after it came back.
    pub again: bool,
}

/// When the server dies, as seen from the commit of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashPoint {
    /// Decided, but nothing committed.
    Before,
    /// A prefix of what was decided is committed.
    Amid,
    /// Committed, but not answered.
    After,
}

/// Draws a fault, if the world allows the one that was drawn.
pub fn draw(ctx: &mut Ctx<'_>) -> Option<Fault> {
    match ctx.rng.below(100) {
        0..=7 if ctx.trouble(Feature::ServerCrashes) => Some(Fault::CrashServer(draw_crash(ctx))),
        10..=17 if ctx.trouble(Feature::ServerPauses) => Some(Fault::PauseServer {
            for_ms: ctx.rng.wait(4_000),
        }),
        18..=20 if ctx.trouble(Feature::LongOutages) => Some(Fault::Sleep {
            for_ms: *ctx.rng.pick(&[20 * 60_000, 65 * 60_000, 25 * 3_600_000]),
        }),
        21..=27 if ctx.trouble(Feature::WallJumps) => Some(Fault::JumpWall {
            by_ms: ctx.rng.range(0, 60_000) as i64 - 30_000,
        }),
        28..=59 if ctx.trouble(Feature::WorkerCrashes) => Some(Fault::CrashWorker {
            down_ms: ctx.rng.wait(3_000),
        }),
        60..=99 if ctx.trouble(Feature::WorkerPauses) => Some(Fault::PauseWorker {
            for_ms: ctx.rng.wait(4_000),
            replace: ctx.rng.percent(30),
        }),
        _ => None,
    }
}

/// Draws how the server dies.
pub fn draw_crash(ctx: &mut Ctx<'_>) -> Crash {
    Crash {
        point: *ctx
            .rng
            .pick(&[CrashPoint::Before, CrashPoint::Amid, CrashPoint::After]),
        away_ms: ctx.rng.wait(1_500),
        elsewhere: ctx.rng.percent(40),
        raise_generation: ctx.strikes(Feature::Generations, 40),
        again: ctx.rng.percent(20),
    }
}

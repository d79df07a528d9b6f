//! Single submissions, 64 at a time, beside an echo on the same server and one that is only kept; and
//! batches of 100. Once with everything worked off before the next load begins, and once with a line
//! that only grows.

use crate::affinity::OneCore;
use crate::host::Host;
use crate::load::rate;
use crate::measure::median;
use crate::report::{Figure, Unit};
use crate::tasks::{BATCH, Idle, batch, submission};
use crate::wire::post;
use crate::work;
use std::time::Duration;

const CLIENTS: usize = 64;

/// Numbers of tasks in one load, at most: each load has its own.
const LOAD: u64 = 100_000_000;

/// How many requests or tasks per second, and the server's CPU time for each.
struct Share {
    rate: f64,
    micros: f64,
}

/// One load right after the other, since the machine's own speed changes within seconds.
struct Turn {
    /// Neither kept nor decided.
    echo: Share,
    /// Kept, and nothing decided.
    kept: Share,
    single: Share,
    /// Per task.
    batch: Share,
    /// How many tasks wait at the end.
    waiting: u64,
}

/// What becomes of the tasks that were submitted.
#[derive(Clone, Copy, PartialEq)]
enum Line {
    /// Workers finish them before the next load begins.
    WorkedOff,
    /// They stay.
    Grows,
}

pub(super) async fn figures(quick: bool) -> anyhow::Result<Vec<Figure>> {
    let (worked_off, growing, time) = match quick {
        true => (1, 1, Duration::from_millis(500)),
        false => (8, 4, Duration::from_secs(1)),
    };
    let mut figures = steady(&turns(Line::WorkedOff, worked_off, time).await?);
    figures.extend(crowded(&turns(Line::Grows, growing, time).await?));
    Ok(figures)
}

/// So many turns on a new server, after one to warm up.
async fn turns(line: Line, turns: u64, time: Duration) -> anyhow::Result<Vec<Turn>> {
    let data = tempfile::tempdir()?;
    let host = Host::start(None, &data.path().join("data")).await?;
    let _worker = Idle::register(host.address, "w").await?;
    let mut load = Load {
        host: &host,
        line,
        time,
        next: 0,
        waiting: 0,
    };
    let mut measured = Vec::new();
    for turn in 0..=turns {
        let shares = load.turn().await?;
        if turn > 0 {
            measured.push(shares);
        }
    }
    host.stop()?;
    Ok(measured)
}

/// The loads on one server.
struct Load<'a> {
    host: &'a Host,
    line: Line,
    /// How long each takes.
    time: Duration,
    /// Where the numbers of the next one begin.
    next: u64,
    /// Tasks that nobody has worked off.
    waiting: u64,
}

impl Load<'_> {
    async fn turn(&mut self) -> anyhow::Result<Turn> {
        Ok(Turn {
            kept: self.singly("/v1/echo/kept", 0).await?,
            echo: self.singly("/v1/echo", 0).await?,
            single: self.singly("/v1/tasks", 1).await?,
            batch: self.in_batches().await?,
            waiting: self.waiting,
        })
    }

    /// Every submission has a resource of its own, so that it is accepted: the echo's answer is as
    /// long.
    async fn singly(&mut self, path: &'static str, tasks: u64) -> anyhow::Result<Share> {
        let first = self.next;
        let request = move |n| post(path, &submission(first + n));
        self.share(tasks, request).await
    }

    async fn in_batches(&mut self) -> anyhow::Result<Share> {
        let first = self.next / BATCH;
        let request = move |n| batch(first + n, |number| number);
        let calls = self.share(BATCH, request).await?;
        Ok(Share {
            rate: calls.rate * BATCH as f64,
            micros: calls.micros / BATCH as f64,
        })
    }

    /// What the server does of such requests, of so many tasks each.
    async fn share(
        &mut self,
        tasks: u64,
        make: impl Fn(u64) -> Vec<u8> + Send + Sync + 'static,
    ) -> anyhow::Result<Share> {
        self.host.settle().await?;
        let before = self.host.cpu()?;
        let one_core = OneCore::keep_to()?;
        let (answered, took) = rate(self.host.address, CLIENTS, self.time, make).await?;
        drop(one_core);
        let cpu = self.host.cpu()?.saturating_sub(before);
        self.next += LOAD;
        self.waiting += answered * tasks;
        if self.line == Line::WorkedOff && self.waiting > 0 {
            let name = format!("load-{}", self.next / LOAD);
            work::off(self.host.address, &name, self.waiting).await?;
            self.waiting = 0;
        }
        Ok(Share {
            rate: answered as f64 / took.as_secs_f64(),
            micros: cpu.as_secs_f64() * 1e6 / answered as f64,
        })
    }
}

/// The figures of turns that are alike.
fn steady(turns: &[Turn]) -> Vec<Figure> {
    let of = |value: fn(&Turn) -> f64| median(turns.iter().map(value).collect());
    let at_a_time = |text: &str| format!("{text}, {CLIENTS} at a time");
    let rate = |text: &str, rate: f64| Figure::info(at_a_time(text), rate, Unit::PerSecond);
    let micros = |text: &str, micros: f64| {
        let text = format!("the server's CPU time per {text}");
        Figure::info(text, micros, Unit::Micros)
    };
    vec![
        rate("echo", of(|turn| turn.echo.rate)),
        rate("echo of what is kept", of(|turn| turn.kept.rate)),
        rate("single submissions", of(|turn| turn.single.rate)),
        Figure::at_least(
            "single submissions ÷ echo",
            of(single_by_echo),
            Unit::Ratio,
            0.7,
        ),
        Figure::info(
            "single submissions ÷ echo of what is kept",
            of(|turn| turn.single.rate / turn.kept.rate),
            Unit::Ratio,
        ),
        micros("echo", of(|turn| turn.echo.micros)),
        micros("echo of what is kept", of(|turn| turn.kept.micros)),
        micros("single submission", of(|turn| turn.single.micros)),
        Figure::info(
            at_a_time(&format!("tasks in batches of {BATCH}")),
            of(|turn| turn.batch.rate),
            Unit::PerSecond,
        ),
        Figure::at_least(
            "tasks in batches ÷ single",
            of(batch_by_single),
            Unit::Ratio,
            5.0,
        ),
        micros("task of a batch", of(|turn| turn.batch.micros)),
    ]
}

/// The same ratios while the line grows.
fn crowded(turns: &[Turn]) -> Vec<Figure> {
    let of = |value: fn(&Turn) -> f64| median(turns.iter().map(value).collect());
    let waiting = turns.last().map_or(0, |turn| turn.waiting) as f64 / 1e6;
    let while_growing = |text: &str| format!("{text}, a line that grows to {waiting:.1} million");
    let ratio = |text: &str, value: f64| Figure::info(while_growing(text), value, Unit::Ratio);
    vec![
        ratio("single submissions ÷ echo", of(single_by_echo)),
        ratio("tasks in batches ÷ single", of(batch_by_single)),
    ]
}

fn single_by_echo(turn: &Turn) -> f64 {
    turn.single.rate / turn.echo.rate
}

fn batch_by_single(turn: &Turn) -> f64 {
    turn.batch.rate / turn.single.rate
}

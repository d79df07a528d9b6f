//! Spreads seeds over threads. Each world lives in one thread; only its outcome crosses over.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// As many threads as there are cores.
pub fn jobs_default() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs `work` for every seed and gathers what it returns, in no particular order. `work` may say that
/// no more seeds are needed.
pub fn spread<T: Send>(
    seeds: std::ops::Range<u64>,
    jobs: usize,
    bar: &ProgressBar,
    work: impl Fn(u64, &AtomicBool) -> T + Sync,
) -> Vec<T> {
    let next = AtomicU64::new(seeds.start);
    let enough = AtomicBool::new(false);
    let loop_over = || {
        let mut done = Vec::new();
        while !enough.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                break;
            }
            done.push(work(seed, &enough));
            bar.inc(1);
        }
        done
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(loop_over)).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .flat_map(|done| done.expect("a world that panics ends the program"))
            .collect()
    })
}

/// A progress bar on a terminal, nothing elsewhere.
pub fn bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let style = "{bar:40} {pos}/{len} seeds {per_sec} {eta} {msg}";
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style);
    }
    bar
}

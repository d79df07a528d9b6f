//! What is loaded from a store is, row by row, the hard state that was there before: at every commit
//! point of random runs with checkpoints and restarts, on every store, and through the cell as well.
//!
//! `PROPTEST_CASES` raises the number of runs; a run that fails names its seed.

mod live;
mod scenario;
mod stores;
mod through_the_cell;

use std::time::{Duration, Instant};

/// Does something with one seed after another: as many as were asked for, or as time allows.
fn for_seeds(usual: u64, mut each: impl FnMut(u64)) {
    let asked = std::env::var("PROPTEST_CASES").ok();
    let asked: Option<u64> = asked.and_then(|text| text.parse().ok());
    let within = Duration::from_secs(if asked.is_some() { 600 } else { 60 });
    let seeds = asked.unwrap_or(0).max(usual);
    let begun = Instant::now();
    let mut done = 0;
    for seed in 0..seeds {
        each(seed);
        done += 1;
        if begun.elapsed() > within {
            break;
        }
    }
    println!("{done} of {seeds} runs in {:?}", begun.elapsed());
    assert!(done >= usual.min(3), "only {done} runs in {within:?}");
}

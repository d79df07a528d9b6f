//! What a person reads: the output of the real binary, against a real server, as snapshots.
#![allow(
    clippy::unwrap_used,
    reason = "the helpers of tests are tests, which clippy does not see"
)]

mod commands;
mod config;
mod help;
mod run;
mod serve;
mod waiting;

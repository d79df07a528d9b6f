//! What a person reads: the output of the real binary, against a real server, as snapshots.
#![allow(clippy::unwrap_used, reason = "lets tests unwrap in their helpers too")]

mod commands;
mod config;
mod help;
mod run;
mod serve;
mod waiting;
mod work;

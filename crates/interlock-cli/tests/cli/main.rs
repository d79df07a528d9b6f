//! What a person reads: the output of the real binary, against a real server, as snapshots.
#![allow(clippy::unwrap_used, reason = "lets tests unwrap in their helpers too")]

mod commands;
mod config;
mod demo;
mod help;
mod lost;
mod postgres;
mod run;
mod serve;
#[path = "../../../interlock-store/tests/crash/shim.rs"]
#[allow(dead_code, reason = "the store's tests use more of it")]
mod shim;
mod top;
mod waiting;
mod work;

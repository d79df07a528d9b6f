//! The `interlock` command: serves, submits, looks and steers.
//!
//! One file per command in `command`; the only crate of Interlock that prints.
#![allow(
    unreachable_pub,
    reason = "a binary: `pub` means for the other modules, nothing is reachable from outside"
)]

mod cli;
mod command;
mod config;
mod exit;
mod global;
mod input;
mod logs;
mod plain;
mod print;
mod style;
mod what;
mod when;
mod word;

use clap::Parser;
use std::process::ExitCode;

/// Requests are allocated on one thread and freed on another, which this one is made for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    style::start();
    match cli.run() {
        Ok(code) => code,
        Err(failure) => failure.print(),
    }
}

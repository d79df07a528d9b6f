//! The `interlock` command: serves, submits, looks and steers.
//!
//! One file per command in `command`; the only crate of Interlock that prints.
#![allow(
    unreachable_pub,
    reason = "a binary: `pub` means for the other modules, nothing is reachable from outside"
)]

mod cli;
mod command;
mod exit;
mod logs;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::Cli::parse().run() {
        Ok(code) => code,
        Err(failure) => failure.print(),
    }
}

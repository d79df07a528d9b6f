//! `interlock supervise`: stands between a worker and a command, so that the command never outlives
//! the worker, not even one that is killed with -9, nor the lease of its run, not even if the worker
//! stands still. Started by `interlock work`, not by people.
//!
//! Its standard input is the line to the worker: first the payload, then [`Word`]s. When the line ends
//! the worker is gone, or wants the command gone: everything in the process group is killed. Standard
//! output and error are the command's own.

use crate::exit::{Failure, Outcome};
use anyhow::Context;
use clap::Args;
use rustix::process::{Signal, getpid, kill_process, kill_process_group};
use rustix::time::{ClockId, clock_gettime};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What a shell says of a process that a signal ended, less its number.
const BY_SIGNAL: i32 = 128;
/// The command could not be begun.
const NOT_BEGUN: i32 = 127;
/// How often the clock is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);

const EXAMPLES: &str = "\
Examples:
  Not for people: `interlock work` starts it.";

/// Runs a command for a worker, and ends it with the worker.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Supervise {
    /// The command and its arguments
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// What a worker says to a supervisor.
pub enum Word {
    /// The command shall stop: it gets SIGTERM.
    Terminate,
    /// The command may go on until then, on the clock that includes sleep.
    Until(u64),
}

impl Word {
    /// As it goes over the line.
    pub fn bytes(&self) -> [u8; 9] {
        let mut bytes = [0; 9];
        match self {
            Word::Terminate => bytes[0] = b't',
            Word::Until(ms) => {
                bytes[0] = b'u';
                bytes[1..].copy_from_slice(&ms.to_le_bytes());
            }
        }
        bytes
    }

    fn read(line: &mut impl Read) -> std::io::Result<Self> {
        let mut bytes = [0; 9];
        line.read_exact(&mut bytes)?;
        let [word, ms @ ..] = bytes;
        Ok(match word {
            b't' => Word::Terminate,
            _ => Word::Until(u64::from_le_bytes(ms)),
        })
    }
}

/// Milliseconds since the machine was started, sleep included.
pub fn boot_ms() -> u64 {
    let time = clock_gettime(ClockId::Boottime);
    let (seconds, nanoseconds) = (time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs());
    seconds * 1_000 + nanoseconds / 1_000_000
}

impl Supervise {
    /// Runs the command; exits as it does.
    pub fn run(self) -> Outcome {
        // SIGTERM to the group is meant for the command.
        let _received = signals_received()?;
        let mut line = std::io::stdin();
        let mut length = [0; 8];
        line.read_exact(&mut length)?;
        let mut payload = vec![0; usize::try_from(u64::from_le_bytes(length))?];
        line.read_exact(&mut payload)?;
        let (program, args) = self.command.split_first().context("there is no command")?;
        let child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) => {
                eprintln!("cannot run {}: {error}", program.display());
                std::process::exit(NOT_BEGUN);
            }
        };
        if let Some(mut input) = child.stdin.take() {
            // One that does not read it all, or at all, is free not to.
            std::thread::spawn(move || input.write_all(&payload));
        }
        let until = Arc::new(AtomicU64::new(u64::MAX));
        let set = until.clone();
        std::thread::spawn(move || watch_line(&set));
        std::thread::spawn(move || watch_clock(&until));
        let status = child.wait()?;
        let code = status.code();
        let code = code.or_else(|| status.signal().map(|signal| BY_SIGNAL + signal));
        std::process::exit(code.unwrap_or(1));
    }
}

/// Passes on what the worker says, and ends everything when it is gone.
fn watch_line(until: &AtomicU64) {
    let mut line = std::io::stdin();
    while let Ok(word) = Word::read(&mut line) {
        match word {
            Word::Terminate => {
                let _gone = kill_process_group(getpid(), Signal::TERM);
            }
            Word::Until(ms) => until.store(ms, Ordering::Release),
        }
    }
    end_all();
}

/// Ends everything when the lease of the run does.
fn watch_clock(until: &AtomicU64) {
    while boot_ms() < until.load(Ordering::Acquire) {
        std::thread::sleep(LOOK_EVERY);
    }
    end_all();
}

fn end_all() {
    let _gone = kill_process_group(getpid(), Signal::KILL);
    let _gone = kill_process(getpid(), Signal::KILL);
}

/// Signals that ask a process to stop are received and not heeded, for as long as this is kept. (The
/// command does not inherit that, as it would if they were ignored.)
fn signals_received() -> Result<impl Sized, Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let kinds = [
        SignalKind::terminate(),
        SignalKind::interrupt(),
        SignalKind::hangup(),
        SignalKind::quit(),
    ];
    let entered = runtime.enter();
    let kept: Result<Vec<_>, _> = kinds.into_iter().map(signal).collect();
    let kept = kept?;
    drop(entered);
    Ok((runtime, kept))
}

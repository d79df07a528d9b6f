//! The real binary under `kill -9`, again and again, with a ledger outside of it: what was
//! acknowledged is never lost, and nothing runs twice at the same time.

mod ledger;

mod submitter;
mod worker;

use crate::host::Host;
use crate::progress::Progress;
use ledger::Ledger;
use rand::RngExt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long everything may take to drain in the end.
const DRAIN_WITHIN: Duration = Duration::from_secs(60);
const SUBMITTERS: u64 = 4;
const WORKERS: u64 = 3;

/// What to do.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How often the server is killed.
    #[arg(long, default_value_t = 40)]
    rounds: usize,
    /// The binary; beside this one by default.
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
}

/// Kills the server so many times and says what was found.
pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let ledger = runtime.block_on(rounds(options))?;
    let violations = ledger.violations();
    for violation in &violations {
        println!("VIOLATION: {violation}");
    }
    println!(
        "kills: {}, submissions acknowledged: {}, runs: {}, violations: {}",
        options.rounds,
        ledger.acknowledged(),
        ledger.runs(),
        violations.len()
    );
    Ok(ExitCode::from(u8::from(!violations.is_empty())))
}

async fn rounds(options: &Options) -> anyhow::Result<Arc<Ledger>> {
    let data = tempfile::tempdir()?;
    let mut server = Host::start(options.binary.as_deref(), &data.path().join("data")).await?;
    let ledger = Arc::new(Ledger::default());
    worker::register_kind(server.address).await?;
    let (submitting, working) = (
        Arc::new(AtomicBool::new(true)),
        Arc::new(AtomicBool::new(true)),
    );
    let submitters: Vec<_> = (0..SUBMITTERS)
        .map(|number| {
            let (ledger, go_on) = (ledger.clone(), submitting.clone());
            tokio::spawn(submitter::submit(number, server.address, ledger, go_on))
        })
        .collect();
    let workers: Vec<_> = (0..WORKERS)
        .map(|number| {
            let (ledger, go_on) = (ledger.clone(), working.clone());
            tokio::spawn(worker::work(number, server.address, ledger, go_on))
        })
        .collect();
    let progress = Progress::new(options.rounds);
    for _ in 0..options.rounds {
        progress.begin("kill");
        let while_it_works = rand::rng().random_range(20..400);
        tokio::time::sleep(Duration::from_millis(while_it_works)).await;
        server.kill_and_restart().await?;
        progress.end();
    }
    submitting.store(false, Ordering::Relaxed);
    for submitter in submitters {
        submitter.await??;
    }
    let begun = Instant::now();
    while begun.elapsed() < DRAIN_WITHIN && !ledger.is_drained() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    working.store(false, Ordering::Relaxed);
    for worker in workers {
        worker.await??;
    }
    ledger.compare(server.address).await?;
    server.stop()?;
    Ok(ledger)
}

//! Three nodes, workers and submitters, and one trouble after the other: nodes killed, stopped and
//! made to stand still, wires cut, the database killed. A ledger outside of it all says that nothing
//! acknowledged is lost, that nothing runs beside itself, and how long nobody answered.

mod ledger;
mod traffic;
mod trouble;

use crate::nodes::{Cluster, Wires};
use crate::progress::Progress;
use clap::ValueEnum;
use ledger::Ledger;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use traffic::Traffic;
use trouble::Trouble;

/// What to do.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many troubles there are, each kind in its turn.
    #[arg(long, default_value_t = 22)]
    rounds: usize,
    /// Only troubles of this kind.
    #[arg(long)]
    only: Option<Trouble>,
    /// The binary; beside this one by default.
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
}

/// Makes trouble and says what came of it.
pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let ledger = runtime.block_on(rounds(options))?;
    ledger.show();
    Ok(ExitCode::from(u8::from(!ledger.violations().is_empty())))
}

async fn rounds(options: &Options) -> anyhow::Result<Arc<Ledger>> {
    let mut cluster = Cluster::start(options.binary.as_deref(), 3, Wires::Between).await?;
    let ledger = Arc::new(Ledger::default());
    let traffic = Traffic::begin(&cluster, &ledger).await?;
    let progress = Progress::new(options.rounds);
    for round in 0..options.rounds {
        let all = Trouble::value_variants();
        let trouble = options.only.unwrap_or(all[round % all.len()]);
        progress.begin(trouble.words());
        tokio::time::sleep(Duration::from_millis(500)).await;
        let away = trouble.make(&mut cluster).await?;
        ledger.note(trouble.words(), away, trouble.back_within());
        cluster.until_alive(3).await?;
        progress.end();
    }
    traffic.end(&cluster, &ledger).await?;
    Ok(ledger)
}

//! `interlock demo`: a server, workers and traffic in one process, to see the system alive.

mod dice;
mod hosts;
mod repositories;
mod say;
mod scene;
mod shops;
mod stage;
mod status;
mod tally;

use crate::exit::{Failure, Outcome};
use crate::{logs, print};
use anyhow::{Context as _, anyhow};
use clap::Args;
use dice::Dice;
use interlock_api::Span;
use say::Summary;
use scene::Scene;
use stage::Stage;
use status::Status;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tally::Tally;
use tempfile::TempDir;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

const EXAMPLES: &str = "\
Examples:
  interlock demo
      Starts it on a free port and says what to try; Ctrl-C stops it.
  interlock demo --for 30s
      The same, and stops by itself.
  interlock demo --listen 127.0.0.1:7420
      Where every other command looks for a server by default.

Nothing is left behind: everything is kept in a temporary directory, which is removed at the end.";

/// What a shell says of a process that was interrupted.
const ENDED_AT_ONCE: i32 = 130;
/// How often the status is told.
const TOLD_EVERY: Duration = Duration::from_secs(1);

/// Starts a server with workers and traffic, to try things out: nothing is kept.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Demo {
    /// Where to listen, on this machine only [default: a free port of 127.0.0.1]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// Stop by itself after this long
    #[arg(long = "for", value_name = "DURATION")]
    length: Option<Span>,
    /// Makes the same choices again as another run with this number [default: other ones each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// What to log, such as `info` or `warn,interlock_server=debug` [default: error]
    #[arg(long, value_name = "FILTER")]
    log: Option<String>,
}

impl Demo {
    /// Runs until told to stop.
    pub fn run(self, json: bool) -> Outcome {
        let filter = logs::filter(self.log.as_deref().unwrap_or("error"))?;
        let listen = self.listen.unwrap_or(SocketAddr::from(([127, 0, 0, 1], 0)));
        if !listen.ip().is_loopback() {
            let error = anyhow!("the demo has no tokens, so {listen} would let everybody in");
            return Err(Failure::usage(error).hint("choose an address of 127.0.0.1"));
        }
        logs::start(filter, logs::Format::default());
        let dir = tempfile::Builder::new().prefix("interlock-demo-").tempdir();
        let dir = dir.context("cannot make a temporary directory")?;
        let runtime = tokio::runtime::Runtime::new()?;
        let summary = runtime.block_on(self.play(listen, &dir, json));
        // Also after a failure nothing is left behind.
        let removed = remove(dir);
        let summary = summary?;
        removed?;
        summary.print(json);
        match summary.is_good() {
            true => Ok(ExitCode::SUCCESS),
            false => Err(anyhow!("a promise was broken; this must not happen").into()),
        }
    }

    async fn play(self, listen: SocketAddr, dir: &TempDir, json: bool) -> Result<Summary, Failure> {
        let mut told = told_to_stop(dir.path().to_owned(), self.length)?;
        let begun = Instant::now();
        let mut stage = Stage::build(listen, &dir.path().join("data")).await?;
        let dice = Dice::new(self.seed.unwrap_or_else(dice::any_seed));
        let scene = Scene::new(stage.client().clone(), Tally::default());
        let played = tokio::select! {
            played = act(&scene, dice, json) => played,
            _ = &mut told => Ok(()),
            why = stage.lost() => Err(anyhow!("the store is lost: {why}").into()),
        };
        scene.clear().await;
        let totals = stage.totals().await;
        stage.strike().await?;
        played?;
        Ok(Summary::new(begun.elapsed(), totals?, scene.tally()))
    }
}

/// Everything that goes on until it is told to stop; ends by itself only if something is wrong.
async fn act(scene: &Scene, dice: Dice, json: bool) -> Result<(), Failure> {
    repositories::prepare(scene).await?;
    hosts::prepare(scene).await?;
    shops::prepare(scene).await?;
    let held = repositories::lock_the_vault(scene).await?;
    let mut going = JoinSet::new();
    let workers = repositories::workers(scene)
        .into_iter()
        .chain(hosts::workers(scene))
        .chain(shops::workers(scene));
    for worker in workers {
        scene.hire(worker);
    }
    let [first, second, third] = [dice.split(1), dice.split(2), dice.split(3)];
    going.spawn(repositories::traffic(scene.clone(), first));
    going.spawn(hosts::traffic(scene.clone(), second));
    going.spawn(shops::traffic(scene.clone(), third));
    match json {
        true => print::json(&serde_json::json!({ "server": scene.client().server() })),
        false => say::welcome(scene.client().server(), held),
    }
    let mut status = Status::new(json);
    let mut tick = tokio::time::interval(TOLD_EVERY);
    loop {
        tokio::select! {
            _ = tick.tick() => status.tell(scene).await?,
            Some(ended) = going.join_next() => ended??,
        }
    }
}

/// Fires at the first signal, or when the time is over. A second signal ends the process at once.
fn told_to_stop(dir: PathBuf, length: Option<Span>) -> std::io::Result<oneshot::Receiver<()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let (stop, stopped) = oneshot::channel();
    tokio::spawn(async move {
        let over = async {
            match length {
                Some(length) => tokio::time::sleep(Duration::from_millis(length.ms())).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            () = over => {}
        }
        let _gone = stop.send(());
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        let _best_effort = std::fs::remove_dir_all(dir);
        std::process::exit(ENDED_AT_ONCE);
    });
    Ok(stopped)
}

fn remove(dir: TempDir) -> Result<(), Failure> {
    let path = dir.path().to_owned();
    let closed = dir.close();
    Ok(closed.with_context(|| format!("cannot remove {}", path.display()))?)
}

//! `interlock serve`: the server.

use crate::exit::{Failure, Outcome};
use crate::logs;
use anyhow::anyhow;
use clap::{Args, ValueEnum};
use interlock_server::committer::{Commit, Watcher};
use interlock_server::door::{Door, DoorConfig, DoorError};
use interlock_server::server::Server;
use interlock_store::{MemoryStore, SqliteStore, Store, StoreError};
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tracing::{error, info};

const EXAMPLES: &str = "\
Examples:
  interlock serve
      Serves on 127.0.0.1:7420 and keeps everything in ./interlock-data.
  interlock serve --data /var/lib/interlock --config interlock.toml
      The same elsewhere, with namespaces, kinds, quotas and schedules from a file.
  interlock serve --listen 0.0.0.0:7420
      For other machines too; needs a token (`interlock tokens create`) or --no-tokens.
  interlock serve --store memory --listen 127.0.0.1:0
      For trying things out: keeps nothing, on a free port.

Flags win over environment variables, those over the configuration file.
SIGINT or SIGTERM stops it in order, a second one at once. It exits with 1 if the store fails.";

/// Starts the server.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Serve {
    /// Where everything is kept; made if it is not there [default: interlock-data]
    #[arg(long, value_name = "DIR", env = "INTERLOCK_DATA")]
    data: Option<PathBuf>,
    /// Where to listen [default: 127.0.0.1:7420]
    #[arg(long, value_name = "ADDRESS", env = "INTERLOCK_LISTEN")]
    listen: Option<SocketAddr>,
    /// Let everybody in without a token, from other machines too
    #[arg(long)]
    no_tokens: bool,
    /// The certificate chain for TLS, PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key for TLS, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// A configuration file; `interlock config check` checks it
    #[arg(long, value_name = "FILE", env = "INTERLOCK_CONFIG")]
    config: Option<PathBuf>,
    /// Where to keep things [default: sqlite]
    #[arg(long, value_enum)]
    store: Option<StoreKind>,
    /// What to log, such as `info` or `warn,interlock_server=debug` [default: info]
    #[arg(long, value_name = "FILTER", env = "INTERLOCK_LOG")]
    log: Option<String>,
    /// How log lines look [default: text]
    #[arg(long, value_enum, env = "INTERLOCK_LOG_FORMAT")]
    log_format: Option<logs::Format>,
}

/// Where to keep things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoreKind {
    /// In a file; survives everything that the disk survives.
    #[default]
    Sqlite,
    /// Nowhere: gone when the process ends.
    Memory,
}

impl Serve {
    /// Serves until told to stop.
    pub fn run(self) -> Outcome {
        if self.tls_cert.is_some() || self.tls_key.is_some() {
            return Err(no_tls());
        }
        let filter = logs::filter(self.log.as_deref().unwrap_or(logs::DEFAULT))?;
        logs::start(filter, self.log_format.unwrap_or_default());
        let (store, kind) = self.open()?;
        let runtime = tokio::runtime::Runtime::new()?;
        runtime.block_on(self.serve(store, kind))
    }

    fn open(&self) -> Result<(Box<dyn Store>, &'static str), Failure> {
        match self.store.unwrap_or_default() {
            StoreKind::Memory => Ok((Box::new(MemoryStore::default()), "memory")),
            StoreKind::Sqlite => {
                let data = self.data.as_deref();
                let data = data.unwrap_or(Path::new("interlock-data"));
                let store = SqliteStore::open(data).map_err(cannot_open)?;
                Ok((Box::new(store), "sqlite"))
            }
        }
    }

    async fn serve(self, store: Box<dyn Store>, kind: &'static str) -> Outcome {
        let (lost, mut losses) = mpsc::unbounded_channel();
        let server = Server::start(store, kind, Alarm(lost))?;
        let listen = self
            .listen
            .unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 7420)));
        let config = DoorConfig {
            listen,
            open: self.no_tokens,
        };
        let door = Door::open(server.clone(), &config).await;
        let door = match door {
            Ok(door) => door,
            Err(error) => {
                server.stop().await?;
                return Err(cannot_listen(error));
            }
        };
        welcome(door.address());
        let mut signals = Signals::new()?;
        let mut why_lost = None;
        let stop = async {
            tokio::select! {
                name = signals.next() => info!(signal = name, "stopping"),
                why = losses.recv() => why_lost = why,
            }
        };
        // After a loss nothing that is under way will be answered: no reason to wait for it.
        door.serve(stop).await;
        if let Some(why) = why_lost {
            return Err(Failure::from(anyhow!("the store is lost: {why}"))
                .hint("look at the disk, then start the server again: it recovers from what is on the disk"));
        }
        close(&server, signals).await
    }
}

/// Stops in order, or at once at a second signal.
async fn close(server: &Arc<Server>, mut signals: Signals) -> Outcome {
    tokio::select! {
        stopped = server.stop() => stopped?,
        name = signals.next() => {
            error!(signal = name, "ended at once");
            return Ok(ExitCode::from(130));
        }
    }
    info!("stopped");
    Ok(ExitCode::SUCCESS)
}

/// Hears from the committer that the store is lost.
struct Alarm(mpsc::UnboundedSender<String>);

impl Watcher for Alarm {
    fn committed(&mut self, _: Commit) {}

    fn lost(&mut self, error: &StoreError) {
        let _gone = self.0.send(error.to_string());
    }
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }
}

fn welcome(address: SocketAddr) {
    println!("Interlock listens on http://{address}");
    println!();
    println!("Try in another terminal:");
    let server = match address.port() {
        7420 => String::new(),
        _ => format!(" --server http://{address}"),
    };
    println!("  interlock{server} kinds set sync");
    println!("  interlock{server} submit sync repository:f16");
    println!("  interlock{server} tasks list");
}

fn cannot_open(error: StoreError) -> Failure {
    let hint = match &error {
        StoreError::Busy { .. } => Some(
            "a server on this directory is running already; talk to it, or give this one another \
             directory with --data",
        ),
        StoreError::Damaged { .. } => Some("`interlock verify DIR` lists everything that is wrong"),
        _ => None,
    };
    match hint {
        Some(hint) => Failure::from(error).hint(hint),
        None => error.into(),
    }
}

fn cannot_listen(error: DoorError) -> Failure {
    match &error {
        DoorError::Listen { source, .. } if source.kind() == std::io::ErrorKind::AddrInUse => {
            Failure::from(error).hint("something listens there already; choose another with --listen")
        }
        _ => error.into(),
    }
}

fn no_tls() -> Failure {
    Failure::from(anyhow!("this build of interlock has no TLS"))
        .hint("put a proxy that ends TLS before it, and let interlock listen on a loopback address")
}

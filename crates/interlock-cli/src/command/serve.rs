//! `interlock serve`: the server.

mod node;
mod store_kind;

pub use store_kind::StoreKind;

use crate::config::Config;
use crate::exit::{Failure, Outcome};
use crate::{config, logs};
use anyhow::anyhow;
use clap::Args;
use interlock_server::cluster::NodeConfig;
use interlock_server::door::{Door, DoorConfig, DoorError, Tls};
use interlock_server::server::Server;
use interlock_store::{MemoryStore, PostgresStore, SqliteStore, Store, StoreError};
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::ExitCode;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, oneshot};
use tracing::{error, info, warn};

const EXAMPLES: &str = "\
Examples:
  interlock serve
      Serves on 127.0.0.1:7420 and keeps everything in ./interlock-data.
  interlock serve --data /var/lib/interlock --config interlock.toml
      Elsewhere, with namespaces, kinds, quotas and schedules from a file.
  interlock serve --listen 0.0.0.0:7420
      For other machines too; needs a token (`interlock tokens create`)
      or --no-tokens.
  interlock serve --store memory --listen 127.0.0.1:0
      For trying things out: keeps nothing, on a free port.
  INTERLOCK_STORE=postgres://interlock:secret@db/interlock interlock serve
      Keeps everything in a PostgreSQL database; as a variable, others don't
      see the password. Start as many of these as you like: all are equal,
      and each answers everything.
  interlock serve --listen 0.0.0.0:7420 --node n1 --advertise http://n1:7420
      A node with a name, that others reach at an address of its own.

Flags win over environment variables, those over the configuration file.
SIGINT or SIGTERM stops it in order, a second one at once. It exits with 1 if the store fails.";

/// What a shell says of a process that was interrupted.
const ENDED_AT_ONCE: i32 = 130;

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
    /// Where to keep things: `sqlite`, `memory`, or the URL of a PostgreSQL database [default: sqlite]
    #[arg(
        long,
        value_name = "STORE",
        env = "INTERLOCK_STORE",
        hide_env_values = true
    )]
    store: Option<StoreKind>,
    /// With PostgreSQL: what this node is called, unlike all others [default: machine and port]
    #[arg(long, value_name = "NAME", env = "INTERLOCK_NODE")]
    node: Option<String>,
    /// With PostgreSQL: where other nodes reach this one [default: where it listens]
    #[arg(long, value_name = "URL", env = "INTERLOCK_ADVERTISE")]
    advertise: Option<String>,
    /// With PostgreSQL and TLS: who vouches for the other nodes, PEM [default: this machine's]
    #[arg(long, value_name = "FILE", env = "INTERLOCK_NODE_CA")]
    node_ca: Option<PathBuf>,
    /// What to log, such as `info` or `warn,interlock_server=debug` [default: info]
    #[arg(long, value_name = "FILTER", env = "INTERLOCK_LOG")]
    log: Option<String>,
    /// How log lines look [default: text]
    #[arg(long, value_enum, env = "INTERLOCK_LOG_FORMAT")]
    log_format: Option<logs::Format>,
    /// Answer `POST /v1/echo` and `/v1/echo/kept` too, which decide nothing: what benchmarks compare
    /// with
    #[arg(long, hide = true)]
    echo: bool,
}

/// Everything that was settled by flags, environment and file.
struct Settled {
    data: PathBuf,
    door: DoorConfig,
    store: StoreKind,
    node: node::Given,
    config: Config,
}

impl Serve {
    /// Serves until told to stop.
    pub fn run(self) -> Outcome {
        let mut settled = self.settle()?;
        if matches!(settled.store, StoreKind::Postgres(_)) {
            settled.door.listen = node::choose_port(settled.door.listen)?;
        }
        let opened = open(&settled)?;
        let runtime = tokio::runtime::Runtime::new()?;
        runtime.block_on(serve(settled, opened))
    }

    /// Flags win over the environment, that over the file; then come the defaults.
    fn settle(self) -> Result<Settled, Failure> {
        let config = match &self.config {
            Some(file) => Config::good(file)?,
            None => Config::default(),
        };
        let file = config.server.clone();
        let tls = match (
            self.tls_cert.or(file.tls_cert),
            self.tls_key.or(file.tls_key),
        ) {
            (Some(cert), Some(key)) => Some(Tls { cert, key }),
            (None, None) => None,
            _ => return Err(half_of_tls()),
        };
        let log = self.log.or(file.log);
        let filter = logs::filter(log.as_deref().unwrap_or(logs::DEFAULT))?;
        logs::start(
            filter,
            self.log_format.or(file.log_format).unwrap_or_default(),
        );
        let listen = self.listen.or(file.listen);
        let data = (self.data.or(file.data)).unwrap_or_else(|| PathBuf::from("interlock-data"));
        Ok(Settled {
            door: DoorConfig {
                open: self.no_tokens || file.no_tokens,
                echo: self.echo.then(|| data.join("echo")),
                tls,
                ..DoorConfig::at(listen.unwrap_or(SocketAddr::from(([127, 0, 0, 1], 7420))))
            },
            data,
            store: self.store.or(file.store).unwrap_or_default(),
            node: node::Given {
                name: self.node.or(file.node),
                advertise: self.advertise.or(file.advertise),
                ca: self.node_ca.or(file.node_ca),
            },
            config,
        })
    }
}

/// A store that is open, of one process or of several.
enum Opened {
    Own(Box<dyn Store>, &'static str),
    Shared(Box<PostgresStore>, NodeConfig),
}

fn open(settled: &Settled) -> Result<Opened, Failure> {
    match &settled.store {
        StoreKind::Memory => Ok(Opened::Own(Box::new(MemoryStore::default()), "memory")),
        StoreKind::Sqlite => {
            let store = SqliteStore::open(&settled.data).map_err(cannot_open)?;
            Ok(Opened::Own(Box::new(store), "sqlite"))
        }
        StoreKind::Postgres(url) => {
            let node = node::config(settled.node.clone(), &settled.door)?;
            let store = PostgresStore::open(url).map_err(cannot_open)?;
            Ok(Opened::Shared(Box::new(store), node))
        }
    }
}

async fn serve(settled: Settled, opened: Opened) -> Outcome {
    let stop = listen_for_signals()?;
    let (alarm, mut lost) = mpsc::unbounded_channel();
    let tell = move |error: &StoreError| {
        let _gone = alarm.send(match error {
            StoreError::Restored => End::Restored,
            error => End::Lost(error.to_string()),
        });
    };
    let server = match opened {
        Opened::Own(store, kind) => Server::start(store, kind, tell)?,
        Opened::Shared(store, node) => Server::start_node(*store, node, tell).await?,
    };
    for warning in &settled.config.warnings {
        warn!("configuration, {warning}");
    }
    if let Err(error) = config::apply(&settled.config, &server).await {
        server.stop().await?;
        return Err(error.into());
    }
    let door = match Door::open(server.clone(), &settled.door).await {
        Ok(door) => door,
        Err(error) => {
            server.stop().await?;
            return Err(cannot_listen(error));
        }
    };
    info!(address = %door.address(), "listening");
    welcome(door.address(), settled.door.tls.is_some());
    tokio::select! {
        () = door.serve(async { let _told = stop.await; }) => {}
        // Nothing that is under way will be answered: no reason to wait for it.
        Some(end) = lost.recv() => return end.outcome(),
    }
    tokio::select! {
        stopped = server.stop() => stopped?,
        Some(end) = lost.recv() => return end.outcome(),
    }
    info!("stopped");
    Ok(ExitCode::SUCCESS)
}

/// The first signal is passed on, the second ends the process at once: what was acknowledged is on
/// the disk already.
fn listen_for_signals() -> std::io::Result<oneshot::Receiver<()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let (stop, stopped) = oneshot::channel();
    tokio::spawn(async move {
        let name = next(&mut interrupt, &mut terminate).await;
        info!(signal = name, "stopping; a second signal ends it at once");
        let _gone = stop.send(());
        let name = next(&mut interrupt, &mut terminate).await;
        error!(signal = name, "ended at once");
        std::process::exit(ENDED_AT_ONCE);
    });
    Ok(stopped)
}

async fn next(interrupt: &mut Signal, terminate: &mut Signal) -> &'static str {
    tokio::select! {
        _ = interrupt.recv() => "SIGINT",
        _ = terminate.recv() => "SIGTERM",
    }
}

/// Why a server can't go on.
enum End {
    /// The database is another one, such as a standby that was promoted: everything begins anew.
    Restored,
    /// The store failed.
    Lost(String),
}

impl End {
    fn outcome(self) -> Outcome {
        match self {
            Self::Restored => {
                warn!("the database was restored, or a standby took its place: starting over");
                Err(start_over())
            }
            Self::Lost(why) => Err(store_lost(&why)),
        }
    }
}

/// Puts a new process in the place of this one, of which nothing stays but its number. Returns only
/// if that can't be done.
fn start_over() -> Failure {
    let mut arguments = std::env::args_os();
    let given = arguments.next().unwrap_or_default();
    let program = std::env::current_exe().unwrap_or_else(|_| given.into());
    let error = std::process::Command::new(program).args(arguments).exec();
    Failure::from(error).hint("start the server again: it recovers what was acknowledged")
}

fn store_lost(why: &str) -> Failure {
    let hint = "look at the disk, then start the server again: it recovers what was acknowledged";
    Failure::from(anyhow!("the store is lost: {why}")).hint(hint)
}

/// In one go, and whoever has stopped reading does not stop the server.
fn welcome(address: SocketAddr, tls: bool) {
    let text = match (tls, address.port()) {
        // The name that the certificate is for is not known here, so no command is suggested.
        (true, _) => format!("Interlock listens on https://{address}\n"),
        (false, 7420) => hello(address, ""),
        (false, _) => hello(address, &format!(" --server http://{address}")),
    };
    let _nobody_reads = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Where it listens, and what to try first.
fn hello(address: SocketAddr, server: &str) -> String {
    format!(
        "Interlock listens on http://{address}\n\n\
         Try in another terminal:\n  \
         interlock{server} kinds set sync\n  \
         interlock{server} submit sync repository:f16\n  \
         interlock{server} tasks list\n"
    )
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

pub(super) fn cannot_listen(error: DoorError) -> Failure {
    match &error {
        DoorError::Listen { source, .. } if source.kind() == std::io::ErrorKind::AddrInUse => {
            Failure::from(error)
                .hint("something listens there already; choose another with --listen")
        }
        _ => error.into(),
    }
}

fn half_of_tls() -> Failure {
    Failure::usage(anyhow!(
        "TLS needs a certificate and a key, and only one of them is given"
    ))
    .hint("give both --tls-cert and --tls-key, or both in the file")
}

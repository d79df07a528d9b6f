//! The server under test: this very program as a child process, so that its memory and its CPU time
//! are its own.

use anyhow::Context;
use interlock_server::door::{Door, DoorConfig};
use interlock_server::server::Server;
use interlock_store::SqliteStore;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

/// Serves until its standard input is closed.
#[derive(clap::Args)]
pub(crate) struct HostOptions {
    /// The data directory.
    data: PathBuf,
}

/// The child's side: serves, and says where.
pub(crate) fn host(options: &HostOptions) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let store = SqliteStore::open(&options.data)?;
        let server = Server::start(Box::new(store), "sqlite", |error| {
            eprintln!("error: {error}");
            std::process::exit(1);
        })?;
        let config = DoorConfig {
            echo: true,
            ..DoorConfig::at(SocketAddr::from(([127, 0, 0, 1], 0)))
        };
        let door = Door::open(server.clone(), &config).await?;
        println!("{}", door.address());
        let closed = async {
            let wait = || BufReader::new(std::io::stdin()).lines().for_each(drop);
            let _panicked = tokio::task::spawn_blocking(wait).await;
        };
        door.serve(closed).await;
        server.stop().await?;
        anyhow::Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The parent's side: a server that runs, and stops when this is dropped.
pub(crate) struct Host {
    child: Child,
    /// Where it listens.
    pub(crate) address: SocketAddr,
}

impl Host {
    /// Starts a server on a data directory and waits until it listens.
    pub(crate) fn start(data: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("host")
            .arg(data)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = child.stdout.take().context("the child has an output")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let address = line
            .trim()
            .parse()
            .context("the child says where it listens")?;
        Ok(Self { child, address })
    }

    /// Stops it in order.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        drop(self.child.stdin.take());
        let status = self.child.wait()?;
        anyhow::ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _waited = self.child.wait();
    }
}

//! The server: the real binary, on one port through all its lives.

use crate::server::Connection;
use anyhow::{Context, bail};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a start may take.
const START_WITHIN: Duration = Duration::from_secs(20);

pub(super) struct Server {
    binary: PathBuf,
    data: PathBuf,
    pub(super) address: SocketAddr,
    child: Child,
}

impl Server {
    pub(super) async fn start(binary: Option<&Path>, data: &Path) -> anyhow::Result<Self> {
        let beside = std::env::current_exe()?.with_file_name("interlock");
        let binary = binary.map_or(beside, Path::to_path_buf);
        if !binary.exists() {
            bail!(
                "{} is not there; build it: cargo build --release",
                binary.display()
            );
        }
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let child = spawn(&binary, data, address)?;
        let mut server = Self {
            binary,
            data: data.to_path_buf(),
            address,
            child,
        };
        server.wait_until_ready().await?;
        Ok(server)
    }

    /// Ends it without a warning, and starts it again.
    pub(super) async fn kill_and_restart(&mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        self.child = spawn(&self.binary, &self.data, self.address)?;
        self.wait_until_ready().await
    }

    async fn wait_until_ready(&mut self) -> anyhow::Result<()> {
        let begun = Instant::now();
        let request = b"GET /readyz HTTP/1.1\r\nhost: kill\r\n\r\n";
        while begun.elapsed() < START_WITHIN {
            if let Some(status) = self.child.try_wait()? {
                bail!("the server ended by itself: {status}");
            }
            if let Ok(mut connection) = Connection::open(self.address).await
                && let Ok((200, _)) = connection.ask(request).await
            {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        bail!("the server was not ready within {START_WITHIN:?}");
    }

    /// Asks it to stop, and sees that it does so in order.
    pub(super) async fn stop(mut self) -> anyhow::Result<()> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
        let status = self.child.wait().context("it can be waited for")?;
        anyhow::ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _waited = self.child.wait();
    }
}

fn spawn(binary: &Path, data: &Path, address: SocketAddr) -> anyhow::Result<Child> {
    let child = Command::new(binary)
        .args(["serve", "--listen", &address.to_string(), "--data"])
        .arg(data)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    child.with_context(|| format!("{} can be started", binary.display()))
}

//! The server under test: the real binary as a process of its own, so that its memory and its CPU
//! time are its own, on one port through all its lives.

use crate::wire::{Connection, get};
use anyhow::{Context, bail};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a start may take.
const START_WITHIN: Duration = Duration::from_secs(60);

/// A server that runs, and ends when this is dropped.
pub(crate) struct Host {
    binary: PathBuf,
    data: PathBuf,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    child: Child,
}

impl Host {
    /// Starts a server on a data directory and waits until it answers. The binary is the one beside
    /// this program unless another is given.
    pub(crate) async fn start(binary: Option<&Path>, data: &Path) -> anyhow::Result<Self> {
        let binary = binary_or_beside(binary)?;
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let child = spawn(&binary, data, address)?;
        let mut host = Self {
            binary,
            data: data.to_path_buf(),
            address,
            child,
        };
        host.wait_until_ready().await?;
        Ok(host)
    }

    /// Ends it without a warning, and starts it again.
    pub(crate) async fn kill_and_restart(&mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        self.start_again().await
    }

    /// Stops it in order, and starts it again. Says how long the start took.
    pub(crate) async fn restart(&mut self) -> anyhow::Result<Duration> {
        self.terminate()?;
        let begun = Instant::now();
        self.start_again().await?;
        Ok(begun.elapsed())
    }

    async fn start_again(&mut self) -> anyhow::Result<()> {
        self.child = spawn(&self.binary, &self.data, self.address)?;
        self.wait_until_ready().await
    }

    async fn wait_until_ready(&mut self) -> anyhow::Result<()> {
        let begun = Instant::now();
        let request = get("/readyz");
        while begun.elapsed() < START_WITHIN {
            if let Some(status) = self.child.try_wait()? {
                bail!("the server ended by itself: {status}");
            }
            if let Ok(mut connection) = Connection::open(self.address).await
                && let Ok((200, _)) = connection.ask(&request).await
            {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        bail!("the server was not ready within {START_WITHIN:?}");
    }

    /// Asks it to stop, and sees that it does so in order.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        self.terminate()
    }

    fn terminate(&mut self) -> anyhow::Result<()> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
        let status = self.child.wait().context("it can be waited for")?;
        anyhow::ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }

    /// Waits until it has written everything that others left to it.
    pub(crate) async fn settle(&self) -> anyhow::Result<()> {
        const LOOKS: u32 = 300;
        for _ in 0..LOOKS {
            let before = self.cpu()?;
            tokio::time::sleep(Duration::from_millis(200)).await;
            if self.cpu()?.saturating_sub(before) <= Duration::from_millis(20) {
                return Ok(());
            }
        }
        bail!("the server is not idle although nobody asks for anything")
    }

    /// How many bytes of memory it has.
    pub(crate) fn memory(&self) -> anyhow::Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().next());
        Ok(kib.context("a resident size")?.parse::<u64>()? << 10)
    }

    /// How much CPU time it has used so far.
    pub(crate) fn cpu(&self) -> anyhow::Result<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let (_, after_name) = stat.rsplit_once(')').context("a process name")?;
        // The 14th and 15th field; the name was the second.
        let mut fields = after_name.split_whitespace().skip(11);
        let mut ticks = || -> anyhow::Result<u64> { Ok(fields.next().context("times")?.parse()?) };
        let ticks = ticks()? + ticks()?;
        let per_second = rustix::param::clock_ticks_per_second();
        Ok(Duration::from_millis(ticks * 1_000 / per_second))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _waited = self.child.wait();
    }
}

/// The binary that was named, or the one beside this program.
pub(crate) fn binary_or_beside(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    let beside = std::env::current_exe()?.with_file_name("interlock");
    let binary = named.map_or(beside, Path::to_path_buf);
    if !binary.exists() {
        bail!(
            "{} is not there; build it: cargo build --release",
            binary.display()
        );
    }
    Ok(binary)
}

fn spawn(binary: &Path, data: &Path, address: SocketAddr) -> anyhow::Result<Child> {
    let child = Command::new(binary)
        .args([
            "serve",
            "--echo",
            "--log",
            "warn",
            "--listen",
            &address.to_string(),
            "--data",
        ])
        .arg(data)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn();
    child.with_context(|| format!("{} can be started", binary.display()))
}

//! Several nodes of the real binary on one database, each with a port that it keeps, a wire to the
//! database, and a wire by which the others reach it.

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::{fs, process};

use crate::wire::Proxy;

/// Whether there is something in between that can be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wires {
    /// A wire from each node to the database, and one from the others to each node.
    Between,
    /// Nothing: for figures.
    None,
}

/// Nodes, gone with the test.
pub struct Nodes {
    binary: PathBuf,
    database: u16,
    wires: Wires,
    url: Box<dyn Fn(u16) -> String + Send + Sync>,
    dir: PathBuf,
    seats: Vec<Seat>,
}

/// Where a node is when it runs.
struct Seat {
    port: u16,
    to_database: Proxy,
    to_it: Proxy,
    child: Option<Child>,
}

impl Nodes {
    /// So many nodes of this binary, on the database at a port; its URL by way of another port is told.
    pub fn start(
        binary: &Path,
        count: usize,
        database: u16,
        wires: Wires,
        url: impl Fn(u16) -> String + Send + Sync + 'static,
    ) -> Self {
        static MADE: AtomicU16 = AtomicU16::new(0);
        let number = MADE.fetch_add(1, Ordering::SeqCst);
        let name = format!("interlock-nodes-{}-{number}", process::id());
        let dir = std::env::temp_dir().join(name);
        fs::create_dir(&dir).expect("a directory for what they say");
        let seat = || {
            let port = quiet_port();
            Seat {
                port,
                to_database: Proxy::to(database),
                to_it: Proxy::to(port),
                child: None,
            }
        };
        let mut nodes = Self {
            binary: binary.to_owned(),
            database,
            wires,
            url: Box::new(url),
            dir,
            seats: std::iter::repeat_with(seat).take(count).collect(),
        };
        for at in 0..count {
            nodes.begin(at);
        }
        nodes
    }

    /// How many there are, running or not.
    pub fn count(&self) -> usize {
        self.seats.len()
    }

    /// The name of a node.
    pub fn name(at: usize) -> String {
        format!("n{}", at + 1)
    }

    /// Where clients reach a node.
    pub fn address(&self, at: usize) -> String {
        format!("http://127.0.0.1:{}", self.seats[at].port)
    }

    /// Starts a node.
    pub fn begin(&mut self, at: usize) {
        let said = File::options()
            .append(true)
            .create(true)
            .open(self.file(at))
            .expect("the directory can be written to");
        let seat = &mut self.seats[at];
        let (database, advertised) = match self.wires {
            Wires::Between => (seat.to_database.port(), seat.to_it.port()),
            Wires::None => (self.database, seat.port),
        };
        let child = Command::new(&self.binary)
            .env_clear()
            .env("INTERLOCK_STORE", (self.url)(database))
            .args(["serve", "--log", "info", "--node", &Self::name(at)])
            .arg("--listen")
            .arg(format!("127.0.0.1:{}", seat.port))
            .arg("--advertise")
            .arg(format!("http://127.0.0.1:{advertised}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said)
            .spawn();
        seat.child = Some(child.expect("the binary can be started"));
    }

    /// Its wire to the database.
    pub fn to_database(&self, at: usize) -> &Proxy {
        &self.seats[at].to_database
    }

    /// The wire by which the other nodes reach it.
    pub fn to_it(&self, at: usize) -> &Proxy {
        &self.seats[at].to_it
    }

    /// Its process, if it runs.
    pub fn pid(&self, at: usize) -> Option<u32> {
        self.seats[at].child.as_ref().map(Child::id)
    }

    /// Sends a signal to a node, by its name without `SIG`.
    pub fn signal(&self, at: usize, signal: &str) {
        let pid = self.pid(at).expect("it runs").to_string();
        let sent = Command::new("kill").args(["-s", signal, &pid]).status();
        assert!(sent.expect("kill runs").success(), "{signal} was not sent");
    }

    /// Ends a node by a signal, and says how it ended.
    pub fn end(&mut self, at: usize, signal: &str) -> ExitStatus {
        self.signal(at, signal);
        let mut child = self.seats[at].child.take().expect("it runs");
        child.wait().expect("it is our child")
    }

    /// What the nodes said last, for whoever wants to know what went wrong.
    pub fn said(&self) -> String {
        let tail = |at: usize| {
            let said = fs::read_to_string(self.file(at)).unwrap_or_default();
            let lines: Vec<&str> = said.lines().collect();
            let last = lines[lines.len().saturating_sub(40)..].join("\n");
            format!("--- {} said last:\n{last}\n", Self::name(at))
        };
        (0..self.count()).map(tail).collect()
    }

    fn file(&self, at: usize) -> PathBuf {
        self.dir.join(Self::name(at))
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        for seat in &mut self.seats {
            if let Some(child) = &mut seat.child {
                let _gone = child.kill();
                let _reaped = child.wait();
            }
        }
        if std::thread::panicking() {
            eprintln!("{}", self.said());
        }
        let _left = fs::remove_dir_all(&self.dir);
    }
}

/// A free port below those that the system gives to connections, so that it is still free when the
/// node is started again.
pub fn quiet_port() -> u16 {
    const FIRST: u16 = 12_000;
    const COUNT: u16 = 19_000;
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let own = u16::try_from(process::id() % u32::from(COUNT / 50)).expect("it is small") * 50;
    loop {
        let next = NEXT.fetch_add(1, Ordering::SeqCst);
        let port = FIRST + own.wrapping_add(next) % COUNT;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

//! The server: started, stopped, killed, started again.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, process};

use crate::binaries;
use crate::database::Database;
use crate::supervisor::Supervisor;

/// The role that owns the databases; no superuser.
pub(crate) const ROLE: &str = "interlock";
/// What a standby calls itself.
const STANDBY: &str = "standby";

/// A server of this process's own.
pub struct Server {
    bin: PathBuf,
    dir: PathBuf,
    port: u16,
    databases: AtomicU32,
    _supervisor: Supervisor,
}

impl Server {
    /// The one that all tests of a process share.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Server> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(&[]))
    }

    /// A new one, with lines for its configuration such as `fsync = off`.
    pub fn start(settings: &[&str]) -> Self {
        let server = Self::prepare();
        server.initialise(settings);
        server.up();
        server.sql("postgres", &format!("CREATE ROLE {ROLE} LOGIN"));
        server
    }

    /// A standby of another one, which has everything that it has. From now on the other one
    /// acknowledges no commit before this one has it too.
    pub fn standby_of(primary: &Self) -> Self {
        let server = Self::prepare();
        let mut copy = binaries::unprivileged(&server.bin.join("pg_basebackup"));
        copy.arg("-d")
            .arg(format!(
                "host=127.0.0.1 port={} user=postgres application_name={STANDBY}",
                primary.port
            ))
            .arg("-D")
            .arg(server.data())
            .args(["-R", "-X", "stream", "--checkpoint=fast", "--no-sync"])
            .current_dir("/");
        run(&mut copy);
        server.configure(&[]);
        server.up();
        primary.reload(&[&format!("synchronous_standby_names = '{STANDBY}'")]);
        server
    }

    fn prepare() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let bin = binaries::directory();
        let number = MADE.fetch_add(1, Ordering::SeqCst);
        let name = format!("interlock-pgtest-{}-{number}", process::id());
        let dir = std::env::temp_dir().join(name);
        fs::create_dir(&dir).expect("a directory for the server");
        if let Some((user, group)) = binaries::owner() {
            std::os::unix::fs::chown(&dir, Some(user), Some(group)).expect("root may do that");
        }
        let supervisor = Supervisor::start(&dir, &bin);
        Self {
            port: free_port(),
            databases: AtomicU32::new(0),
            _supervisor: supervisor,
            bin,
            dir,
        }
    }

    fn initialise(&self, settings: &[&str]) {
        let mut initdb = binaries::unprivileged(&self.bin.join("initdb"));
        initdb
            .arg("-D")
            .arg(self.data())
            .args(["-U", "postgres", "-E", "UTF8", "--no-locale", "--no-sync"])
            .arg("--auth=trust")
            .current_dir("/");
        run(&mut initdb);
        self.configure(settings);
    }

    /// Adds our own lines to its configuration, and these.
    fn configure(&self, settings: &[&str]) {
        let file = self.data().join("postgresql.conf");
        let mut text = fs::read_to_string(&file).expect("initdb made it");
        let ours = [
            format!("port = {}", self.port),
            "listen_addresses = '127.0.0.1'".to_owned(),
            format!("unix_socket_directories = '{}'", self.dir.display()),
            "max_connections = 200".to_owned(),
            "shared_buffers = 64MB".to_owned(),
        ];
        for line in ours
            .iter()
            .map(String::as_str)
            .chain(settings.iter().copied())
        {
            text.push_str(line);
            text.push('\n');
        }
        fs::write(&file, text).expect("the configuration can be written");
    }

    /// Its data directory, for files such as certificates.
    pub fn data(&self) -> PathBuf {
        self.dir.join("data")
    }

    /// Its port on the loopback interface.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Starts it again after [`down`](Self::down).
    pub fn up(&self) {
        let mut start = self.pg_ctl();
        start
            .arg("-l")
            .arg(self.dir.join("log"))
            .args(["-w", "-s", "start"]);
        if !start.status().expect("pg_ctl runs").success() {
            let log = fs::read_to_string(self.dir.join("log")).unwrap_or_default();
            panic!("PostgreSQL does not start:\n{log}");
        }
    }

    /// Ends it as if it had crashed: it recovers from its log when it is started again.
    pub fn down(&self) {
        run(self.pg_ctl().args(["-m", "immediate", "-w", "-s", "stop"]));
    }

    /// Ends it at once, by an order that it can't refuse.
    pub fn kill(&self) {
        let file = self.data().join("postmaster.pid");
        let text = fs::read_to_string(file).expect("it runs");
        let pid = text.lines().next().expect("its first line is the process");
        run(Command::new("kill").args(["-s", "KILL", pid]));
    }

    /// Has it read its configuration again, with these lines added.
    pub fn reload(&self, settings: &[&str]) {
        let file = self.data().join("postgresql.conf");
        let mut text = fs::read_to_string(&file).expect("it is there");
        for line in settings {
            text.push_str(line);
            text.push('\n');
        }
        fs::write(&file, text).expect("the configuration can be written");
        run(self.pg_ctl().args(["-s", "reload"]));
    }

    /// Makes a standby out of this, which refuses writes. It is started again by that.
    pub fn stand_by(&self) {
        run(self.pg_ctl().args(["-m", "fast", "-w", "-s", "stop"]));
        let signal = self.data().join("standby.signal");
        fs::write(&signal, "").expect("the data directory can be written to");
        self.up();
    }

    /// Makes a standby a primary, on another timeline.
    pub fn promote(&self) {
        run(self.pg_ctl().args(["-w", "-s", "promote"]));
    }

    fn pg_ctl(&self) -> Command {
        let mut command = binaries::unprivileged(&self.bin.join("pg_ctl"));
        command.arg("-D").arg(self.data()).current_dir("/");
        command
    }

    /// A program of PostgreSQL's, such as `pg_dump`.
    pub fn program(&self, name: &str) -> Command {
        Command::new(self.bin.join(name))
    }

    /// A new, empty database that an ordinary role owns.
    pub fn database(&self) -> Database<'_> {
        let number = self.databases.fetch_add(1, Ordering::SeqCst);
        let name = format!("test_{number}");
        self.sql("postgres", &format!("CREATE DATABASE {name} OWNER {ROLE}"));
        Database::new(self, name)
    }

    /// Runs statements as the superuser, and returns what they print: columns with `|` in between.
    pub fn sql(&self, database: &str, sql: &str) -> String {
        let said = self
            .try_sql(database, sql)
            .unwrap_or_else(|said| panic!("{sql}: {said}"));
        said.trim_end().to_owned()
    }

    /// The same, if it may fail.
    pub fn try_sql(&self, database: &str, sql: &str) -> Result<String, String> {
        let said = Command::new(self.bin.join("psql"))
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"])
            .args(["-h", "127.0.0.1", "-U", "postgres", "-d", database])
            .arg("-p")
            .arg(self.port.to_string())
            .arg("-c")
            .arg(sql)
            .output()
            .expect("psql runs");
        match said.status.success() {
            true => Ok(String::from_utf8_lossy(&said.stdout).into_owned()),
            false => Err(String::from_utf8_lossy(&said.stderr).into_owned()),
        }
    }

    /// Its directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("it is bound").port()
}

fn run(command: &mut Command) {
    let said = command.output().expect("the program runs");
    assert!(
        said.status.success(),
        "{command:?} failed:\n{}{}",
        String::from_utf8_lossy(&said.stdout),
        String::from_utf8_lossy(&said.stderr)
    );
}

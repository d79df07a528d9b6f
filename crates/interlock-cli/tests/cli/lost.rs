//! Writes and syncs that fail under the real server: nothing is acknowledged, the process ends rather
//! than trust the page cache, and the next start has everything that was acknowledged.

use crate::run::interlock;
use crate::shim;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long an end may take on a busy machine.
const AT_MOST: Duration = Duration::from_secs(60);

/// A server that is under the shim if there is one.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(dir: &Path, library: Option<&Path>) -> Self {
        let mut command = interlock(dir);
        if let Some(library) = library {
            command.env("LD_PRELOAD", library);
            command.env(shim::ORDER, dir.join("order"));
        }
        let log = std::fs::File::create(dir.join("log")).unwrap();
        let mut child = command
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut first = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut first).unwrap();
        let address = first.trim().rsplit(' ').next().unwrap().to_owned();
        Self { child, address }
    }

    /// Runs a command, and says whether it went well and what it printed.
    fn run(&self, dir: &Path, args: &[&str]) -> (bool, String) {
        let mut command = interlock(dir);
        let command = command.env("INTERLOCK_SERVER", &self.address).args(args);
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.success(), text)
    }

    /// Waits until it has ended by itself.
    fn ended(&mut self) -> ExitStatus {
        let begun = Instant::now();
        while begun.elapsed() < AT_MOST {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the server goes on with a store that it can't trust");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn submit(server: &Server, dir: &Path, number: u32) -> bool {
    let resource = format!("shop:{number}");
    server.run(dir, &["submit", "sync", &resource]).0
}

/// The resources of all tasks.
fn resources(server: &Server, dir: &Path) -> BTreeSet<String> {
    let (listed, json) = server.run(dir, &["tasks", "list", "--limit", "200", "--json"]);
    assert!(listed, "{json}");
    let words = json.split('"').filter(|word| word.starts_with("shop:"));
    words.map(str::to_owned).collect()
}

fn lose(operation: &str, suffix: &str) {
    let dir = TempDir::new().unwrap();
    let dir = dir.path();
    let library = shim::compile(dir);
    let mut server = Server::start(dir, Some(&library));
    assert!(server.run(dir, &["kinds", "set", "sync"]).0);
    let acknowledged: BTreeSet<String> = (0..10)
        .filter(|number| submit(&server, dir, *number))
        .map(|number| format!("shop:{number}"))
        .collect();
    assert_eq!(acknowledged.len(), 10);
    shim::order_in(&dir.join("order"), operation, shim::EIO, suffix);
    assert!(!submit(&server, dir, 99), "{operation} to {suffix} failed");
    let status = server.ended();
    let log = std::fs::read_to_string(dir.join("log")).unwrap();
    assert_eq!(status.code(), Some(1), "{log}");
    assert!(log.contains("the store is lost"), "{log}");
    std::fs::remove_file(dir.join("order")).unwrap();

    let server = Server::start(dir, None);
    let mut found = resources(&server, dir);
    // Nobody was told what became of the last one.
    found.remove("shop:99");
    assert_eq!(found, acknowledged, "after {operation} to {suffix} failed");
    assert!(submit(&server, dir, 100), "it goes on");
    drop(server);
    let verified = interlock(dir).args(["verify", "interlock-data"]).output();
    let verified = verified.unwrap();
    let said = String::from_utf8_lossy(&verified.stdout);
    assert!(verified.status.success(), "{said}");
}

#[test]
fn a_write_that_fails_ends_the_server_and_loses_nothing() {
    lose("write", "-wal");
}

#[test]
fn a_sync_that_fails_ends_the_server_and_loses_nothing() {
    lose("sync", "-wal");
}

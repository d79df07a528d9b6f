//! `interlock demo`: alive soon, true to its word, and gone without a trace.

use crate::run::interlock;
use crate::serve::signal;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// A demo with a directory for temporary things of its own; gone with the test.
pub(crate) struct Demo {
    pub(crate) server: String,
    temporary: TempDir,
    child: Child,
    out: BufReader<ChildStdout>,
    /// The commands that it suggests, with their arguments.
    suggested: Vec<Vec<String>>,
}

impl Demo {
    pub(crate) fn start() -> Self {
        let temporary = TempDir::new().unwrap();
        let mut child = demo(&temporary, &["--seed", "7"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let mut demo = Self {
            server: String::new(),
            temporary,
            child,
            out,
            suggested: Vec::new(),
        };
        demo.read_welcome();
        demo
    }

    fn read_welcome(&mut self) {
        let first = self.line();
        self.server = first.trim().rsplit(' ').next().unwrap().to_owned();
        assert!(self.server.starts_with("http://127.0.0.1:"), "{first:?}");
        let program = env!("CARGO_BIN_EXE_interlock");
        loop {
            let line = self.line();
            if line.starts_with("Ctrl-C") {
                return;
            }
            if let Some(arguments) = line.trim().strip_prefix(program) {
                let arguments = arguments.split_whitespace().map(ToOwned::to_owned);
                self.suggested.push(arguments.collect());
            }
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        let read = self.out.read_line(&mut line).unwrap();
        assert!(read > 0, "it has ended");
        line
    }

    /// Waits until runs have ended; gives back after how many seconds by its own clock.
    pub(crate) fn alive(&mut self) -> u64 {
        loop {
            let line = self.line();
            let words: Vec<&str> = line.split_whitespace().collect();
            let ended = words.iter().position(|word| *word == "ended");
            if ended.is_some_and(|at| words[at + 1] != "0") {
                return words[0].parse().unwrap();
            }
        }
    }

    fn command(&self, arguments: &[String]) -> Command {
        let mut command = interlock(self.temporary.path());
        command.args(arguments);
        command
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn demo(temporary: &TempDir, arguments: &[&str]) -> Command {
    let mut command = interlock(temporary.path());
    command
        .env("TMPDIR", temporary.path())
        .arg("demo")
        .args(arguments);
    command
}

fn is_empty(temporary: &TempDir) -> bool {
    temporary.path().read_dir().unwrap().next().is_none()
}

#[test]
fn it_stops_by_itself_and_leaves_nothing_behind() {
    let temporary = TempDir::new().unwrap();
    let ended = demo(&temporary, &["--for", "6s", "--json"])
        .output()
        .unwrap();
    let said = String::from_utf8(ended.stdout).unwrap();
    assert!(ended.status.success(), "{said}{:?}", ended.stderr);
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
    let said: Vec<Value> = serde_json::Deserializer::from_str(&said)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let [server, summary] = &said[..] else {
        panic!("{said:?}");
    };
    for story in ["repositories", "hosts", "shops"] {
        assert!(
            summary["runs"][story].as_u64() > Some(0),
            "{story}: {summary}"
        );
    }
    for count in ["accepted", "postponed", "coalesced", "succeeded", "failed"] {
        assert!(
            summary["totals"][count].as_u64() > Some(0),
            "{count}: {summary}"
        );
    }
    assert_eq!(summary["conflicts"], 0);
    assert_eq!(summary["too_many_calls"], 0);
    assert!(is_empty(&temporary));
    let server = server["server"].as_str().unwrap();
    let mut status = interlock(temporary.path());
    let status = status
        .args(["--server", server, "status"])
        .output()
        .unwrap();
    assert!(!status.status.success(), "nobody listens any more");
}

#[test]
fn an_interrupt_stops_it_in_order() {
    let mut demo = Demo::start();
    let seconds = demo.alive();
    assert!(seconds <= 10, "alive only after {seconds} s");
    assert!(!is_empty(&demo.temporary), "its store is there");
    signal("-INT", demo.child.id());
    let rest: Vec<String> = (&mut demo.out).lines().map(Result::unwrap).collect();
    assert_eq!(demo.child.wait().unwrap().code(), Some(0));
    let rest = rest.join("\n");
    assert!(rest.contains("Stopped after "), "{rest}");
    assert!(rest.contains("no two conflicting runs ever met"), "{rest}");
    assert!(is_empty(&demo.temporary));
}

#[test]
fn every_command_that_it_suggests_works() {
    let mut demo = Demo::start();
    demo.alive();
    assert!(demo.suggested.len() >= 6, "{:?}", demo.suggested);
    for arguments in &demo.suggested {
        let mut command = demo.command(arguments);
        if arguments.iter().any(|argument| argument == "top") {
            command.arg("--once");
        }
        let output = command.output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{arguments:?}: {error}");
        let said = String::from_utf8(output.stdout).unwrap();
        let tells = match arguments[2..].join(" ") {
            words if words.starts_with("tasks explain") => "somebody holds repository:vault",
            words if words.starts_with("submit") => "succeeded",
            words if words.starts_with("resources show") => "shop-calls",
            _ => "",
        };
        assert!(said.contains(tells), "{arguments:?}: {said}");
    }
}

#[test]
fn it_lets_nobody_in_from_other_machines() {
    let temporary = TempDir::new().unwrap();
    let refused = demo(&temporary, &["--listen", "0.0.0.0:0"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(is_empty(&temporary));
}

#[test]
fn an_address_that_is_taken_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let temporary = TempDir::new().unwrap();
    let refused = demo(&temporary, &["--listen", &address]).output().unwrap();
    let error = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{error}");
    assert!(error.contains("something listens there already"), "{error}");
    assert!(is_empty(&temporary));
}

//! Workers as processes of their own, and what their journal must look like.

use crate::server::Running;
use interlock_api::claim::Op;
use interlock_client::worker::NOT_STOPPED;
use interlock_examples::journal::{Entry, Note};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often a worker is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A program of a story, set up for the server of a test.
pub(crate) struct Story<'a> {
    pub(crate) program: &'a str,
    pub(crate) speed: u64,
    pub(crate) more: Vec<String>,
}

impl Story<'_> {
    fn command(&self, server: &Running) -> Command {
        let mut command = Command::new(self.program);
        command.env_clear().args(["--server", &server.address()]);
        command.arg("--dir").arg(server.dir.path().join("story"));
        command.args(["--speed", &self.speed.to_string()]);
        command.args(&self.more);
        command
    }

    /// A worker of this name, as a process.
    pub(crate) fn worker(&self, server: &Running, name: &str, concurrency: usize) -> Process {
        let mut command = self.command(server);
        command.args(["--work", name, "--concurrency", &concurrency.to_string()]);
        command.stdin(Stdio::null());
        Process::begin(command)
    }

    /// The whole story in one process.
    pub(crate) async fn show(&self, server: &Running) -> Output {
        let mut command = self.command(server);
        let output = tokio::task::spawn_blocking(move || command.output());
        output.await.unwrap().unwrap()
    }
}

/// A worker; gone with the test. One that ends itself since it could not stop a handler in time, as
/// happens on a machine that is too busy, is started again, as whoever runs workers in earnest does.
pub(crate) struct Process {
    child: Arc<Mutex<Option<Child>>>,
    watching: Option<JoinHandle<()>>,
}

impl Process {
    fn begin(mut command: Command) -> Self {
        let child = Arc::new(Mutex::new(Some(command.spawn().unwrap())));
        let watched = child.clone();
        let watching = std::thread::spawn(move || {
            while look_after(&mut watched.lock().unwrap(), &mut command) {
                std::thread::park_timeout(LOOK_EVERY);
            }
        });
        Self {
            child,
            watching: Some(watching),
        }
    }

    /// `kill -9`.
    pub(crate) fn kill(self) {
        drop(self);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.lock().unwrap().take() {
            let _gone = child.kill();
            let _reaped = child.wait();
        }
        if let Some(watching) = self.watching.take() {
            watching.thread().unpark();
            let _ended = watching.join();
        }
    }
}

/// Starts a worker again that has ended itself. Says whether there is one to look after.
fn look_after(child: &mut Option<Child>, command: &mut Command) -> bool {
    let Some(child) = child else { return false };
    let ended = child.try_wait().unwrap();
    if ended.and_then(|status| status.code()) == Some(NOT_STOPPED) {
        *child = command.spawn().unwrap();
    }
    true
}

/// Fails if two runs that conflict were ever at work at the same time. Those of a worker that was
/// killed end with it, before the next one on their resources begins.
pub(crate) fn assert_exclusion(entries: &[Entry], killed: &[&str]) {
    let mut live: Vec<&Entry> = Vec::new();
    for entry in entries {
        live.retain(|other| match entry.note {
            Note::Gone => other.worker != entry.worker,
            _ => other.fence != entry.fence,
        });
        if entry.note == Note::Over || entry.note == Note::Gone {
            continue;
        }
        for other in &live {
            let meet = conflict(entry, other) && !killed.contains(&&*other.worker);
            assert!(!meet, "{entry:?} began during {other:?}");
        }
        live.push(entry);
    }
    live.retain(|entry| !killed.contains(&&*entry.worker));
    assert!(live.is_empty(), "never over: {live:?}");
}

fn conflict(one: &Entry, other: &Entry) -> bool {
    let mut pairs = one
        .resources
        .iter()
        .flat_map(|a| other.resources.iter().map(move |b| (a, b)));
    pairs.any(|(a, b)| {
        let reading = a.op == Some(Op::Read) && b.op == Some(Op::Read);
        a.resource == b.resource && !reading
    })
}

#[test]
#[should_panic(expected = "began during")]
fn two_writers_at_once_are_seen() {
    let entry = |position: u64, op: Op| Entry {
        at_ms: 0,
        worker: format!("w{position}"),
        task: position,
        kind: "sync".to_owned(),
        resources: vec![interlock_examples::ask::claim("repository:1", op)],
        fence: (1, position),
        note: Note::Began(serde_json::Value::Null),
    };
    assert_exclusion(&[entry(1, Op::Read), entry(2, Op::Update)], &[]);
}

//! `interlock work`: commands as workers, with everything that can become of them.

use crate::run::{Server, interlock};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A worker at work; gone with the test.
struct Worker(Child);

impl Worker {
    fn begin(server: &Server, more: &[&str], command: &[&str]) -> Self {
        let mut worker = server.command(&["work", "--kind", "job"]);
        worker.env("PATH", "/usr/bin:/bin");
        worker.args(more).arg("--").args(command);
        worker.stdout(Stdio::null()).stderr(Stdio::null());
        Self(worker.spawn().unwrap())
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.0)
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _reaped = self.0.wait();
    }
}

/// What a command prints as JSON.
fn json(server: &Server, args: &[&str]) -> Value {
    let output = server.command(args).arg("--json").output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&output.stderr));
    })
}

fn submit(server: &Server, resource: &str, more: &[&str]) -> String {
    let args = [&["submit", "job", resource], more].concat();
    json(server, &args)["task"].to_string()
}

fn ended(server: &Server, task: &str) -> Value {
    json(server, &["tasks", "wait", task])
}

/// Waits until something is so.
fn until(what: &str, mut is: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is() {
        assert!(began.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn running(server: &Server, task: &str) -> bool {
    json(server, &["tasks", "show", task])["state"] == "running"
}

fn kind(server: &Server, more: &[&str]) {
    let args = [&["kinds", "set", "job"], more].concat();
    assert!(server.command(&args).output().unwrap().status.success());
}

#[test]
fn payload_facts_progress_and_result_go_through() {
    let server = Server::start(&["--store", "memory"]);
    kind(&server, &[]);
    let script = r#"
        payload=$(cat)
        echo "progress 3/10 half way"
        echo "this is output"
        echo "result {\"payload\": $payload, \"facts\": \"$INTERLOCK_KIND $INTERLOCK_RESOURCES $INTERLOCK_ATTEMPT $INTERLOCK_WORKER\", \"run\": \"$INTERLOCK_RUN $INTERLOCK_GENERATION.$INTERLOCK_POSITION\", \"task\": $INTERLOCK_TASK}"
        while [ ! -e go ]; do sleep 0.02; done
    "#;
    let _worker = Worker::begin(&server, &["--name", "w1"], &["sh", "-c", script]);
    let task = submit(&server, "a:1", &["--payload", "{\"x\": [1, 2]}"]);
    until("progress is seen", || {
        let shown = json(&server, &["tasks", "show", &task]);
        let progress = &shown["run"]["progress"];
        progress["done"] == 3 && progress["total"] == 10 && progress["message"] == "half way"
    });
    std::fs::write(server.dir.path().join("go"), "").unwrap();
    let result = ended(&server, &task)["result"].clone();
    assert_eq!(result["payload"]["x"][1], 2);
    assert_eq!(result["facts"], "job a:1 1 w1");
    assert_eq!(result["task"].to_string(), task);
    let run = result["run"].as_str().unwrap().split_once(' ').unwrap();
    assert_eq!(run.0, run.1);
}

#[test]
fn exit_codes_say_what_follows() {
    let server = Server::start(&["--store", "memory"]);
    kind(&server, &["--waits", "50ms", "--tries", "2"]);
    let script = r#"
        code=$(cat)
        echo "some output"
        echo "and an error" >&2
        case $INTERLOCK_ATTEMPT.$code in
            1.75) echo "retry-in 50ms"; echo "error not yet"; exit 75 ;;
            *.75) exit 0 ;;
            *.9) kill -9 $$ ;;
            *) exit $code ;;
        esac
    "#;
    let _worker = Worker::begin(&server, &["--concurrency", "4"], &["sh", "-c", script]);
    let ok = submit(&server, "a:1", &["--payload", "0"]);
    let again = submit(&server, "a:2", &["--payload", "75"]);
    let never = submit(&server, "a:3", &["--payload", "65"]);
    let fails = submit(&server, "a:4", &["--payload", "3"]);
    let killed = submit(&server, "a:5", &["--payload", "9"]);
    let task = ended(&server, &ok);
    assert_eq!(task["state"], "succeeded");
    let log = task["result"]["log"].as_str().unwrap();
    assert!(
        log.contains("some output") && log.contains("and an error"),
        "{log}"
    );
    assert_eq!(ended(&server, &again)["state"], "succeeded");
    let task = ended(&server, &never);
    assert_eq!(
        (&task["state"], &task["tries"]),
        (&"failed".into(), &1.into())
    );
    assert!(task.to_string().contains("some output"), "{task}");
    for (task, message) in [(&fails, "exit code 3"), (&killed, "a signal ended it (9)")] {
        let task = ended(&server, task);
        assert_eq!(task["state"], "failed");
        assert_eq!(task["tries"], 2);
        assert!(task.to_string().contains(message), "{task}");
    }
}

#[test]
fn words_may_come_over_a_descriptor_of_their_own() {
    let server = Server::start(&["--store", "memory"]);
    kind(&server, &[]);
    let script = r#"
        cat > /dev/null
        echo "result 1"
        eval "echo 'result 2' >&$INTERLOCK_PROGRESS_FD"
    "#;
    let _worker = Worker::begin(&server, &["--progress-fd"], &["bash", "-c", script]);
    let task = submit(&server, "a:1", &[]);
    assert_eq!(ended(&server, &task)["result"], 2);
}

/// The numbers that a command wrote into a file, one for itself and one for its child.
fn pids(file: &Path) -> Vec<Pid> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let pids = text.split_whitespace().map(|pid| pid.parse().unwrap());
    pids.filter_map(Pid::from_raw).collect()
}

fn is_alive(pid: Pid) -> bool {
    // A process that nobody has waited for yet is dead all the same.
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    test_kill_process(pid).is_ok() && stat.is_ok_and(|stat| !stat.contains(") Z "))
}

/// A command with a child in the background, which both heed no SIGTERM.
const STUBBORN: &str = r#"
    trap '' TERM
    sleep 300 &
    echo "$$ $!" > pids.new
    mv pids.new pids
    while true; do sleep 300 & wait $!; done
"#;

fn begin_stubborn(more: &[&str], kind_options: &[&str]) -> (Server, Worker, String, Vec<Pid>) {
    let server = Server::start(&["--store", "memory"]);
    kind(&server, kind_options);
    let worker = Worker::begin(&server, more, &["sh", "-c", STUBBORN]);
    let task = submit(&server, "a:1", &[]);
    let file = server.dir.path().join("pids");
    until("the command has begun", || pids(&file).len() == 2);
    let pids = pids(&file);
    assert!(pids.iter().all(|pid| is_alive(*pid)));
    (server, worker, task, pids)
}

#[test]
fn a_command_dies_with_a_worker_that_is_killed() {
    let (_server, worker, _, pids) = begin_stubborn(&[], &[]);
    worker.signal(Signal::KILL);
    until("they are dead", || !pids.iter().any(|pid| is_alive(*pid)));
}

#[test]
fn a_second_signal_stops_at_once_and_gives_back() {
    let (server, mut worker, task, pids) = begin_stubborn(&[], &[]);
    worker.signal(Signal::TERM);
    std::thread::sleep(Duration::from_millis(300));
    assert!(pids.iter().all(|pid| is_alive(*pid)));
    assert!(running(&server, &task));
    worker.signal(Signal::TERM);
    assert!(worker.0.wait().unwrap().success());
    assert!(!pids.iter().any(|pid| is_alive(*pid)));
    assert_eq!(json(&server, &["tasks", "show", &task])["state"], "waiting");
}

#[test]
fn a_cancelled_command_is_killed_in_the_end_and_only_then_is_the_resource_free() {
    let (server, _worker, task, pids) =
        begin_stubborn(&["--kill-after", "300ms"], &["--lease", "2s"]);
    let next = submit(&server, "a:1", &[]);
    let cancel = server
        .command(&["tasks", "cancel", &task])
        .output()
        .unwrap();
    assert!(cancel.status.success());
    until("the next one runs", || {
        let free = running(&server, &next);
        let shown = json(&server, &["tasks", "show", &task])["state"] != "running";
        if free || shown {
            assert!(!pids.iter().any(|pid| is_alive(*pid)));
        }
        free
    });
    assert_eq!(ended(&server, &task)["state"], "cancelled");
}

#[test]
fn a_worker_that_stands_still_loses_its_run_and_its_command_is_gone_before() {
    for tenths in [11_u64, 25, 100] {
        let (server, worker, task, pids) = begin_stubborn(&["--name", "w1"], &["--lease", "1s"]);
        worker.signal(Signal::STOP);
        let began = Instant::now();
        let other = Worker::begin(
            &server,
            &["--name", "w2"],
            &["sh", "-c", "sleep 4; echo 'result \"second\"'"],
        );
        until("another worker has it", || {
            let shown = json(&server, &["tasks", "show", &task]);
            let moved = shown["run"]["worker"] == "w2";
            if moved {
                assert!(!pids.iter().any(|pid| is_alive(*pid)), "exclusion");
            }
            moved
        });
        let asleep = Duration::from_millis(tenths * 100);
        std::thread::sleep(asleep.saturating_sub(began.elapsed()));
        // What the first one says now is refused, and the newer run goes on.
        worker.signal(Signal::CONT);
        let task = ended(&server, &task);
        assert_eq!(task["state"], "succeeded");
        assert_eq!(task["result"], "second");
        drop(other);
    }
}

#[test]
fn two_workers_of_one_name_are_not_at_work_at_once() {
    let (server, worker, task, pids) = begin_stubborn(&["--name", "w1"], &["--lease", "2s"]);
    let refused = server
        .command(&[
            "work",
            "--kind",
            "job",
            "--name",
            "w1",
            "--no-wait",
            "--",
            "true",
        ])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(
        said.contains("another process works as \"w1\"") && said.contains("--takeover"),
        "{said}"
    );
    assert!(running(&server, &task));
    // Whoever takes over vouches that the other is dead; that one finds out with its next beat.
    worker.signal(Signal::STOP);
    until("the lease has ended the command", || {
        !pids.iter().any(|pid| is_alive(*pid))
    });
    let _second = Worker::begin(&server, &["--name", "w1", "--takeover"], &["true"]);
    assert_eq!(ended(&server, &task)["state"], "succeeded");
    let mut worker = worker;
    worker.signal(Signal::CONT);
    assert_eq!(worker.0.wait().unwrap().code(), Some(1));
}

#[test]
fn a_worker_registers_its_kinds_with_the_policy_that_its_flags_say() {
    let server = Server::start(&["--store", "memory"]);
    let flags = [
        "--register",
        "--lease",
        "7s",
        "--op",
        "read",
        "--waits",
        "50ms",
        "--tries",
        "2",
        "--on-loss",
        "cancel",
    ];
    let more = [&["--name", "w1", "--kind", "other"], &flags[..]].concat();
    let _worker = Worker::begin(&server, &more, &["false"]);
    until("the kinds are registered", || {
        let listed = json(&server, &["kinds", "list"]);
        listed["items"]
            .as_array()
            .is_some_and(|kinds| kinds.len() == 2)
    });
    for kind in ["job", "other"] {
        let policy = json(&server, &["kinds", "show", kind])["policy"].clone();
        assert_eq!(policy["lease"], "7s");
        assert_eq!(policy["op"], "read");
        assert_eq!(policy["on_loss"], "cancel");
        assert_eq!(policy["retry"]["tries"], 2);
    }
    let task = submit(&server, "a:1", &[]);
    assert_eq!(ended(&server, &task)["tries"], 2);
    // Without the word they would change nothing, and nobody would notice.
    let refused = server
        .command(&["work", "--kind", "job", "--lease", "9s", "--", "true"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("--register"), "{said}");
    let policy = json(&server, &["kinds", "show", "job"])["policy"].clone();
    assert_eq!(policy["lease"], "7s");
}

#[test]
fn a_task_that_is_tried_again_shows_its_last_failure() {
    let server = Server::start(&["--store", "memory"]);
    kind(&server, &["--waits", "1h"]);
    let script = "echo 'error the mirror is gone'; echo 'some output'; exit 1";
    let _worker = Worker::begin(&server, &["--name", "w1"], &["sh", "-c", script]);
    let task = submit(&server, "a:1", &[]);
    until("it has failed", || {
        json(&server, &["tasks", "show", &task])["tries"] == 1
    });
    let shown = server.command(&["tasks", "show", &task]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    let said = "the mirror is gone (on w1, after ";
    assert!(
        shown.contains(said) && shown.contains("some output"),
        "{shown}"
    );
}

#[test]
fn a_kind_that_nobody_registered_is_named() {
    let server = Server::start(&["--store", "memory"]);
    let worker = server
        .command(&["work", "--kind", "nothing", "--", "true"])
        .output()
        .unwrap();
    assert_eq!(worker.status.code(), Some(1));
    let said = String::from_utf8(worker.stderr).unwrap();
    assert!(
        said.contains("nothing") && said.contains("kinds set"),
        "{said}"
    );
    let nowhere = interlock(server.dir.path())
        .args(["work", "--", "true"])
        .output()
        .unwrap();
    assert_eq!(nowhere.status.code(), Some(2));
}

//! `interlock serve`: starts, stops, and says what is wrong.

use crate::run::{Server, interlock, shown};
use std::process::Command;
use tempfile::TempDir;

pub(crate) fn signal(name: &str, pid: u32) {
    let sent = Command::new("kill").args([name, &pid.to_string()]).status();
    assert!(sent.unwrap().success());
}

#[test]
fn a_signal_stops_it_in_order_and_nothing_is_lost() {
    let mut server = Server::start(&[]);
    server.talk(&[&["kinds", "set", "sync"], &["submit", "sync", "a:1"]]);
    signal("-TERM", server.pid());
    assert_eq!(server.wait(), Some(0));
    let args = ["verify", "interlock-data"];
    let mut verify = interlock(server.dir.path());
    verify.args(args);
    let text = shown(&args, verify);
    assert!(text.contains("The store is whole."), "{text}");
    let dir = std::mem::replace(&mut server.dir, TempDir::new().unwrap());
    let again = Server::start_in(dir, &[]);
    let text = again.talk(&[&["tasks", "show", "1"]]);
    assert!(text.contains("Task 1 (sync) waiting"), "{text}");
}

#[test]
fn a_second_server_on_the_same_directory_is_refused() {
    let server = Server::start(&[]);
    let args = ["serve", "--listen", "127.0.0.1:0"];
    let mut second = interlock(server.dir.path());
    second.args(args);
    let text = shown(&args, second).replace(&format!("pid {}", server.pid()), "pid PID");
    insta::assert_snapshot!(text);
}

#[test]
fn it_listens_to_other_machines_only_with_tokens() {
    let dir = TempDir::new().unwrap();
    let args = [
        "serve",
        "--listen",
        "0.0.0.0:0",
        "--store",
        "memory",
        "--log",
        "error",
    ];
    let mut open = interlock(dir.path());
    open.args(args);
    insta::assert_snapshot!(shown(&args, open));
}

#[test]
fn what_the_file_declares_is_in_force_and_stays_so() {
    let dir = TempDir::new().unwrap();
    let file = r#"
[[namespaces]]
name = "shops"
step = "10m"

[[quotas]]
namespace = "shops"
name = "calls"
per = "shop"
limits = ["10/1s"]

[[kinds]]
namespace = "shops"
name = "sync"
priority = 6
quotas = [{ quota = "calls", cost = 2 }]

[[schedules]]
namespace = "shops"
name = "often"
every = "5m"
submission = { kind = "sync", resources = ["shop:42"] }
"#;
    std::fs::write(dir.path().join("interlock.toml"), file).unwrap();
    let looks: &[&[&str]] = &[
        &["--namespace", "shops", "kinds", "show", "sync"],
        &["--namespace", "shops", "quotas", "list"],
        &["namespaces", "show", "shops"],
    ];
    let mut server = Server::start_in(dir, &["--config", "interlock.toml"]);
    let text = server.talk(looks);
    insta::assert_snapshot!(text);
    signal("-INT", server.pid());
    assert_eq!(server.wait(), Some(0));
    let dir = std::mem::replace(&mut server.dir, TempDir::new().unwrap());
    let again = Server::start_in(dir, &["--config", "interlock.toml"]);
    assert_eq!(again.talk(looks), text);
}

#[test]
fn a_file_with_mistakes_is_refused() {
    let dir = TempDir::new().unwrap();
    std::fs::write(dir.path().join("interlock.toml"), "[[kinds]]\nprio = 3\n").unwrap();
    let args = ["serve", "--config", "interlock.toml"];
    let mut serve = interlock(dir.path());
    serve.args(args);
    insta::assert_snapshot!(shown(&args, serve));
}

#[test]
fn a_reader_that_goes_away_does_not_stop_it() {
    let dir = TempDir::new().unwrap();
    let mut serve = interlock(dir.path());
    serve.args(["serve", "--listen", "127.0.0.1:0", "--store", "memory"]);
    let mut child = serve
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let log = std::io::BufReader::new(child.stderr.take().unwrap());
    let opened = |line: &String| line.contains("listening");
    assert!(
        std::io::BufRead::lines(log)
            .map_while(Result::ok)
            .any(|line| opened(&line))
    );
    signal("-TERM", child.id());
    // It is the signal that ended it.
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

//! `interlock serve` on PostgreSQL, as the only node.

use crate::run::{Server, interlock, shown};
use interlock_pgtest::Server as Postgres;
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn signal(name: &str, pid: u32) {
    let sent = Command::new("kill").args([name, &pid.to_string()]).status();
    assert!(sent.unwrap().success());
}

/// Submits until it is accepted: while the database is away, and until the cell is back, it is not.
fn submit_in_the_end(server: &Server, resource: &str) {
    let begun = Instant::now();
    loop {
        let text = server.talk(&[&["submit", "sync", resource]]);
        if text.contains("Accepted") {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{text}");
    }
}

#[test]
fn it_keeps_everything_through_a_stop_and_a_kill() {
    let database = Postgres::shared().database();
    let url = database.url();
    let mut server = Server::start(&["--store", &url]);
    server.talk(&[&["kinds", "set", "sync"]]);
    server.talk(&[&["submit", "sync", "a:1"]]);
    signal("-TERM", server.pid());
    assert_eq!(server.wait(), Some(0));
    assert_eq!(
        database.sql("SELECT count(*) FROM interlock.nodes WHERE NOT ended"),
        "0"
    );
    // It has left, so that the next one need not wait.
    let mut server = Server::start(&["--store", &url]);
    server.talk(&[&["submit", "sync", "a:2"]]);
    signal("-KILL", server.pid());
    server.wait();
    // This one waits for the lease of the one that was killed.
    let server = Server::start(&["--store", &url]);
    let text = server.talk(&[&["tasks", "list"]]);
    assert!(text.contains("a:1") && text.contains("a:2"), "{text}");
    let text = server.talk(&[&["status"]]);
    assert!(text.contains("postgres"), "{text}");
    let nodes = database.sql("SELECT count(*) FROM interlock.nodes WHERE NOT ended");
    assert_eq!(nodes, "1");
}

#[test]
fn it_goes_on_when_the_database_comes_back() {
    let postgres = Postgres::start(&[]);
    let database = postgres.database();
    let server = Server::start(&["--store", &database.url()]);
    server.talk(&[&["kinds", "set", "sync"]]);
    for round in 0..2 {
        submit_in_the_end(&server, &format!("before:{round}"));
        postgres.down();
        let text = server.talk(&[&["submit", "sync", "lost:1"]]);
        assert!(!text.contains("Accepted"), "{text}");
        postgres.up();
        submit_in_the_end(&server, &format!("after:{round}"));
    }
    let text = server.talk(&[&["tasks", "list"]]);
    for resource in ["before:0", "after:0", "before:1", "after:1"] {
        assert!(text.contains(resource), "{text}");
    }
}

#[test]
fn bad_ground_and_bad_urls_are_told() {
    let dir = TempDir::new().unwrap();
    let database = Postgres::shared().database();
    let say = |store: &str| {
        let args = ["serve", "--listen", "127.0.0.1:0", "--store", store];
        let mut command = interlock(dir.path());
        command.args(args);
        shown(&args, command)
    };
    assert!(say("mysql://x").contains("postgres://"));
    let text = say(&format!("{}_nowhere", database.url()));
    assert!(text.contains("create the database"), "{text}");
    database.sql(&format!(
        "ALTER DATABASE {} SET synchronous_commit = off",
        database.name()
    ));
    let text = say(&database.url());
    assert!(text.contains("synchronous_commit is off"), "{text}");
}

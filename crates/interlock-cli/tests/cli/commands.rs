//! Every command against a real server. Kinds have a long lease, since a kind without a worker for a
//! lease is shown as such, however slow the machine is.

use crate::run::{Server, interlock, shown};
use tempfile::TempDir;

#[test]
fn submit_says_which_verdict_it_was() {
    let server = Server::start(&[]);
    insta::assert_snapshot!(server.talk(&[
        &["submit", "sync", "repository:f16"],
        &["kinds", "set", "sync", "--lease", "5m"],
        &["kinds", "set", "flurry", "--coalesce", "--lease", "5m"],
        &["submit", "snyc", "repository:f16"],
        &["submit", "sync", "repository:f16", "--dry-run"],
        &[
            "submit",
            "sync",
            "repository:f16",
            "--payload",
            "{\"full\": true}",
            "--tag",
            "x"
        ],
        &["submit", "sync", "repository:f16", "--priority", "7"],
        &["submit", "sync", "repository:f16", "--if-busy", "reject"],
        &["submit", "flurry", "host:1"],
        &["submit", "flurry", "host:1"],
        &["submit", "sync", "host:2", "--idempotency-key", "k"],
        &["submit", "sync", "host:2", "--idempotency-key", "k"],
        &["submit", "sync", "host:3", "--due", "10h"],
        &["submit", "sync", "host:4", "--hold"],
        &["submit", "sync", "--after", "1"],
        &["submit", "sync", "repository:f16", "--op", "delete"],
        &["submit", "sync", "repository:f16"],
        &["submit", "sync", "repository:f16", "--payload", "{"],
        &["submit", "sync", "repository:f16", "--due", "10"],
        &["submit", "sync", "nonsense"],
        &["submit", "sync", "host:5", "--json"],
    ]));
}

#[test]
fn tasks_are_listed_shown_explained_and_steered() {
    let server = Server::start(&[]);
    insta::assert_snapshot!(server.talk(&[
        &["tasks", "list"],
        &["kinds", "set", "sync", "--lease", "5m"],
        &["submit", "sync", "repository:f16", "--tag", "nightly"],
        &["submit", "sync", "repository:f16"],
        &["tasks", "list", "--resource", "repository:f16"],
        &["tasks", "list", "--tag", "nightly"],
        &["tasks", "list", "--limit", "1"],
        &["tasks", "list", "--state", "sleeping"],
        &["tasks", "show", "1"],
        &["tasks", "explain", "2"],
        &["tasks", "hold", "2"],
        &["tasks", "explain", "2"],
        &["tasks", "release", "2"],
        &["tasks", "bump", "2", "9"],
        &["tasks", "bump", "2", "3"],
        &["tasks", "cancel", "1"],
        &["tasks", "cancel", "1"],
        &["tasks", "explain", "1"],
        &["tasks", "retry", "2"],
        &["tasks", "retry", "1"],
        &["tasks", "wait", "1"],
        &["tasks", "show", "99"],
        &["tasks", "purge", "--outcome", "cancelled"],
        &["tasks", "purge"],
        &["tasks", "show", "2", "--json"],
    ]));
}

#[test]
fn settings_are_made_shown_and_removed() {
    let server = Server::start(&[]);
    insta::assert_snapshot!(server.talk(&[
        &["quotas", "list"],
        &[
            "quotas",
            "set",
            "calls",
            "10/1s",
            "--at-once",
            "4",
            "--per",
            "shop"
        ],
        &["quotas", "show", "calls"],
        &["quotas", "show", "calls", "--resource", "shop:42"],
        &["quotas", "set", "calls", "ten"],
        &["kinds", "list"],
        &[
            "kinds",
            "set",
            "sync",
            "--quota",
            "calls=2",
            "--waits",
            "3m,20m",
            "--retry-for",
            "1d",
            "--coalesce",
            "append",
            "--gather",
            "3s",
            "--lease",
            "5m",
            "--on-loss",
            "cancel",
        ],
        &["kinds", "show", "sync"],
        &["kinds", "list"],
        &["kinds", "set", "sync", "--lease", "1h"],
        &["kinds", "set", "sync", "--policy", "{\"prio\": 1}"],
        &["kinds", "hold", "sync"],
        &["kinds", "release", "sync"],
        &["schedules", "list"],
        &[
            "schedules",
            "set",
            "n",
            "--cron",
            "30 3 1 1 *",
            "sync",
            "shop:42"
        ],
        &["schedules", "show", "n"],
        &["schedules", "pause", "n"],
        &["schedules", "list"],
        &["schedules", "resume", "n"],
        &["schedules", "remove", "n"],
        &["quotas", "pause", "calls", "30s", "--resource", "shop:42"],
        &["resources", "show", "shop:42"],
        &["quotas", "pause", "calls", "0s", "--resource", "shop:42"],
        &["quotas", "remove", "calls"],
        &["kinds", "remove", "sync"],
        &["quotas", "remove", "calls"],
        &["namespaces", "set", "shops", "--step", "10m"],
        &["namespaces", "list"],
        &["namespaces", "show", "shops"],
        &["namespaces", "hold", "shops"],
        &["namespaces", "release", "shops"],
        &["--namespace", "shops", "kinds", "list"],
        &["namespaces", "remove", "shops"],
        &["--namespace", "shops", "kinds", "list"],
        &["status"],
    ]));
}

#[test]
fn resources_groups_workers_and_failures_are_shown() {
    let server = Server::start(&[]);
    let group =
        r#"[{"kind": "sync", "resources": ["a:1"]}, {"kind": "sync", "after": [{"item": 0}]}]"#;
    let bad = r#"[{"kind": "sync"}, {"kind": "unknown"}]"#;
    insta::assert_snapshot!(server.talk(&[
        &["kinds", "set", "sync", "--lease", "5m"],
        &["resources", "list"],
        &["groups", "list"],
        &["groups", "submit", group],
        &["groups", "submit", bad],
        &["resources", "list"],
        &["resources", "list", "--prefix", "b:"],
        &["resources", "show", "a:1"],
        &["resources", "hold", "a:1"],
        &["resources", "show", "a:1"],
        &["resources", "release", "a:1"],
        &["groups", "show", "99"],
        &["workers", "list"],
        &["workers", "drain", "w1"],
        &["failures", "list"],
        &["failures", "retry", "sync"],
    ]));
}

#[test]
fn tokens_are_needed_as_soon_as_there_are_any() {
    let server = Server::start(&[]);
    let create = [
        "tokens",
        "create",
        "all",
        "--scope",
        "submit,work,read,operate,admin",
    ];
    let created = server.command(&create).output().unwrap();
    assert!(created.status.success());
    let secret = String::from_utf8(created.stdout).unwrap();
    std::fs::write(server.dir.path().join("token"), &secret).unwrap();
    let text = server.talk(&[
        &["tokens", "list"],
        &["--token", "wrong", "tokens", "list"],
        &["--token-file", "token", "tokens", "list"],
        &["--token-file", "token", "tokens", "revoke", "1"],
        &["--token-file", "missing", "tokens", "list"],
    ]);
    assert!(!text.contains(secret.trim()));
    insta::assert_snapshot!(text);
}

#[test]
fn a_store_is_copied_while_it_is_in_use_and_the_copy_is_whole() {
    let server = Server::start(&[]);
    let (server_pid, text) = (
        format!("pid {}", server.pid()),
        server.talk(&[
            &["kinds", "set", "sync", "--lease", "5m"],
            &["submit", "sync", "a:1"],
            &["backup", "copy"],
            &["backup", "copy"],
            &["verify", "copy"],
            &["verify", "interlock-data"],
            &["backup", "--data", "nowhere", "copy2"],
        ]),
    );
    insta::assert_snapshot!(text.replace(&server_pid, "pid PID"));
}

#[test]
fn a_server_that_is_not_there_is_said_to_be_so() {
    let dir = TempDir::new().unwrap();
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let mut text = String::new();
    for args in [&["status"][..], &["--server", "nonsense", "status"]] {
        let mut command = interlock(dir.path());
        command.env("INTERLOCK_SERVER", &address).args(args);
        text += &shown(args, command).replace(&address, "http://SERVER");
    }
    insta::assert_snapshot!(text);
}

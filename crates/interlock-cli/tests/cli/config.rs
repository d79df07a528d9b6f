//! `interlock config check`: every mistake with its place.

use crate::run::{Server, interlock, shown};
use tempfile::TempDir;

fn check(text: &str) -> String {
    let dir = TempDir::new().unwrap();
    std::fs::write(dir.path().join("interlock.toml"), text).unwrap();
    let args = ["config", "check", "interlock.toml"];
    let mut command = interlock(dir.path());
    command.args(args);
    shown(&args, command)
}

#[test]
fn a_good_file_is_counted() {
    insta::assert_snapshot!(check(
        r#"
[server]
listen = "127.0.0.1:7420"

[[namespaces]]
name = "shops"

[[quotas]]
namespace = "shops"
name = "shop-calls"
per = "shop"
limits = ["10/1s", { at_once = 4 }]

[[kinds]]
namespace = "shops"
name = "sync"
quotas = [{ quota = "shop-calls" }]

[[schedules]]
namespace = "shops"
name = "nightly"
cron = "30 3 * * *"
submission = { kind = "sync", resources = ["shop:42"], payload = { full = true } }
"#
    ));
}

#[test]
fn every_mistake_is_named_with_its_place() {
    insta::assert_snapshot!(check(
        r#"
[server]
listen = "nowhere"
colour = true

[[kinds]]
name = "sync"
priority = 12
lease = "90"
retry = { waits = ["3m", "x"], tries = 0 }

[[kinds]]
name = "sync"
coalesce = { gathers = "3s" }

[[kinds]]
priority = 3

[[quotas]]
name = "calls"
limits = ["10 per second"]

[[schedules]]
name = "n"
cron = "61 * * * *"
submission = { kind = "sync" }

[[schedules]]
name = "m"
submission = { kind = "sync", resources = ["no-type"] }

[other]
"#
    ));
}

#[test]
fn how_clients_reach_the_server_is_checked_too() {
    let good = "[client]\nserver = \"https://a:1,https://b:2\"\nca = \"ca.pem\"\n";
    assert!(check(good).contains("is fine"), "{}", check(good));
    insta::assert_snapshot!(check(
        r#"
[client]
server = "ftp://a"
namespace = "a\nb"
ca = 7
cert = "x"
"#
    ));
}

#[test]
fn commands_find_the_server_by_the_file_that_the_environment_names() {
    let server = Server::start(&["--store", "memory"]);
    let dir = server.dir.path();
    let ask = |file: &str, more: &[&str]| {
        std::fs::write(dir.join("client.toml"), file).unwrap();
        let mut command = interlock(dir);
        command.env("INTERLOCK_CONFIG", "client.toml");
        let output = command.args(["status"]).args(more).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), said)
    };
    let address = &server.address;
    let here = format!("[client]\nserver = {address:?}\n");
    assert_eq!(ask(&here, &[]).0, Some(0));
    // A flag wins over the file.
    let away = "[client]\nserver = \"http://127.0.0.1:1\"\n";
    assert_ne!(ask(away, &[]).0, Some(0));
    assert_eq!(ask(away, &["--server", address]).0, Some(0));
    let (code, said) = ask(&format!("{here}ca = \"nothing.pem\"\n"), &[]);
    assert_ne!(code, Some(0));
    assert!(said.contains("nothing.pem"), "{said}");
    let (code, said) = ask(&format!("{here}colour = 1\n"), &[]);
    assert_eq!(code, Some(2));
    assert!(said.contains("client.toml has 1 mistake"), "{said}");
}

#[test]
fn what_is_no_toml_is_told_where() {
    insta::assert_snapshot!(check("[[kinds]]\nname = sync\n\n[kinds\n"));
}

#[test]
fn retries_that_cannot_be_reached_are_warned_of() {
    insta::assert_snapshot!(check(
        r#"
[[kinds]]
name = "sync"
retry = { waits = ["3m", "20m", "3h", "24h"], for = "4h" }

[[kinds]]
name = "import"
retry = { waits = ["1s", "2s", "3s"], tries = 2 }

[[schedules]]
name = "elsewhere"
namespace = "shops"
every = "5m"
submission = { kind = "unknown" }
"#
    ));
}

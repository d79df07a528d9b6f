//! `interlock config check`: every mistake with its place.

use crate::run::{interlock, shown};
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

//! `interlock top` against a live demo.

use crate::demo::Demo;
use crate::run::interlock;
use serde_json::Value;
use std::path::Path;

#[test]
fn one_frame_shows_what_goes_on() {
    let mut demo = Demo::start();
    demo.alive();
    let top = |more: &[&str]| {
        let mut command = interlock(Path::new("."));
        command
            .env("COLUMNS", "140")
            .env("INTERLOCK_SERVER", &demo.server);
        let output = command.args(["top", "--once"]).args(more).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{error}");
        String::from_utf8(output.stdout).unwrap()
    };
    let text = top(&[]);
    for part in [
        demo.server.as_str(),
        "per second: ",
        "Tasks running",
        "Waiting (",
        "Busiest lines",
        "Workers (6)",
        "mirror-1",
        "shops-2",
        "pushes",
        "12/10s",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "no colours for a pipe");
    let held = top(&["--filter", "waiting repository:vault"]);
    assert!(held.contains("publish") && held.contains("sync"), "{held}");
    let json: Value = serde_json::from_str(&top(&["--json"])).unwrap();
    assert!(json["overview"]["totals"]["started"].as_u64() > Some(0));
    assert!(json["workers"].as_array().unwrap().len() == 6);
}

#[test]
fn the_live_view_needs_a_terminal_and_a_server() {
    let mut top = interlock(Path::new("."));
    let output = top
        .args(["--server", "http://127.0.0.1:1", "top"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "nobody is there");
    let server = crate::run::Server::start(&["--store", "memory"]);
    let output = server.command(&["top"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("interlock top --once"), "{error}");
    let output = server
        .command(&["top", "--interval", "1ms"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}

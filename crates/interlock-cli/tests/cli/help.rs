//! The help of every command. Each has examples.

use crate::run::{interlock, shown};
use std::path::Path;

const COMMANDS: &[(&str, &[&str])] = &[
    ("serve", &[]),
    ("demo", &[]),
    ("top", &[]),
    ("submit", &[]),
    ("work", &[]),
    (
        "tasks",
        &[
            "list", "show", "explain", "cancel", "retry", "bump", "hold", "release", "purge",
            "wait",
        ],
    ),
    ("resources", &["list", "show", "hold", "release"]),
    (
        "kinds",
        &["list", "show", "set", "remove", "hold", "release"],
    ),
    (
        "schedules",
        &["list", "show", "set", "remove", "pause", "resume"],
    ),
    ("quotas", &["list", "show", "set", "remove", "pause"]),
    ("groups", &["list", "show", "submit", "cancel"]),
    ("workers", &["list", "show", "drain"]),
    ("failures", &["list", "retry"]),
    (
        "namespaces",
        &["list", "show", "set", "remove", "hold", "release", "move"],
    ),
    ("nodes", &["list", "drain", "undrain"]),
    ("tokens", &["list", "create", "revoke"]),
    ("status", &[]),
    ("verify", &[]),
    ("backup", &[]),
    ("config", &["check"]),
    ("completions", &[]),
    ("man", &[]),
];

fn help(args: &[&str]) -> String {
    let args: Vec<&str> = args.iter().copied().chain(["--help"]).collect();
    let mut command = interlock(Path::new("."));
    command.args(&args);
    let text = shown(&args, command);
    assert!(text.contains("Examples:"), "{text}");
    text
}

#[test]
fn every_command_has_help_with_examples() {
    insta::assert_snapshot!("help", help(&[]));
    for (command, verbs) in COMMANDS {
        let verbs = verbs.iter().map(|verb| help(&[command, verb]));
        let text: String = [help(&[command])].into_iter().chain(verbs).collect();
        insta::assert_snapshot!(format!("help_{command}"), text);
    }
}

#[test]
fn no_command_is_left_out_here() {
    let text = help(&[]);
    let listed = text.split("Commands:\n").nth(1).unwrap();
    let listed = listed.split("\n\n").next().unwrap().lines();
    let listed: Vec<&str> = listed
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    let known: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
    assert_eq!(listed, known);
}

#[test]
fn completions_and_manual_pages_are_made() {
    for shell in ["bash", "zsh", "fish"] {
        let output = interlock(Path::new("."))
            .args(["completions", shell])
            .output()
            .unwrap();
        assert!(output.status.success());
        assert!(
            String::from_utf8(output.stdout)
                .unwrap()
                .contains("interlock")
        );
    }
    let dir = tempfile::TempDir::new().unwrap();
    let made = interlock(dir.path())
        .args(["man", "--dir", "made/man1"])
        .status();
    assert!(made.unwrap().success());
    let page = dir.path().join("made/man1/interlock-tasks-explain.1");
    assert!(page.exists());
}

#[test]
fn what_is_missing_is_named_with_what_would_do_instead() {
    for (args, expected) in [
        (
            &["schedules", "set", "x", "sync"][..],
            "<--cron <EXPRESSION>|--every <DURATION>>",
        ),
        (
            &["quotas", "set", "x"][..],
            "<UNITS/DURATION|--at-once <UNITS>>",
        ),
    ] {
        let output = interlock(Path::new(".")).args(args).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

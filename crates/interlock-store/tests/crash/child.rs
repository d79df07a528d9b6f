//! A part of a test that runs in a process of its own: the same program, told by its environment to
//! be the child.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const DIR: &str = "INTERLOCK_TEST_CHILD_DIR";

/// In the child, the data directory to work on.
pub(crate) fn dir() -> Option<PathBuf> {
    std::env::var_os(DIR).map(PathBuf::from)
}

/// A command that runs one test of this program as a child.
pub(crate) fn command(test: &str, dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(DIR, dir)
        .env_remove("LD_PRELOAD")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Says something that the parent reads.
pub(crate) fn say(what: &str, number: u64) {
    println!("\n{what} {number}");
}

/// The highest number that the child said under a word.
pub(crate) fn highest(output: &str, what: &str) -> Option<u64> {
    let said = output
        .lines()
        .filter_map(|line| line.strip_prefix(what)?.trim().parse().ok());
    said.max()
}

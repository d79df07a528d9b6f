//! Where PostgreSQL's programs are, and as whom they run.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Overrides where to look.
const VARIABLE: &str = "INTERLOCK_POSTGRES_BIN";
/// Where Debian and its kin put each version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// The directory of the newest version.
pub(crate) fn directory() -> PathBuf {
    if let Some(set) = std::env::var_os(VARIABLE) {
        return PathBuf::from(set);
    }
    let versions = std::fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let newest = versions
        .filter_map(|version| {
            let number: u32 = version.file_name().to_str()?.parse().ok()?;
            let bin = version.path().join("bin");
            bin.join("initdb").exists().then_some((number, bin))
        })
        .max();
    if let Some((_, bin)) = newest {
        return bin;
    }
    let asked = Command::new("pg_config").arg("--bindir").output();
    let bin = asked
        .ok()
        .filter(|said| said.status.success())
        .map(|said| PathBuf::from(String::from_utf8_lossy(&said.stdout).trim_end()));
    match bin.filter(|bin| bin.join("initdb").exists()) {
        Some(bin) => bin,
        None => panic!(
            "PostgreSQL is not installed (looked in {DEBIAN} and asked pg_config): run \
             tools/postgres, or name the directory of its programs in {VARIABLE}"
        ),
    }
}

/// A program of PostgreSQL's that refuses to run as root, as whoever it will run as.
pub(crate) fn unprivileged(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=postgres", "--regid=postgres", "--clear-groups"])
        .arg(program);
    command
}

/// The ids of the user that the package made for it, if they are needed.
pub(crate) fn owner() -> Option<(u32, u32)> {
    let id = |flag: &str| -> u32 {
        let said = Command::new("id").args([flag, "postgres"]).output();
        let said = said.expect("id runs");
        let text = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        text.parse()
            .unwrap_or_else(|_| panic!("there is no user named postgres: run tools/postgres"))
    };
    is_root().then(|| (id("-u"), id("-g")))
}

fn is_root() -> bool {
    let said = Command::new("id").arg("-u").output().expect("id runs");
    said.stdout == b"0\n"
}

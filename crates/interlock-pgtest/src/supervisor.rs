//! Cleans up behind this process: stops the server and deletes its directory, also if the process was
//! killed.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::binaries;

/// Waits until nobody can write to it any more, in a session of its own, so that whoever ends the
/// process and all of its group does not end this too.
const SCRIPT: &str = r#"
cat >/dev/null
dir=$1
shift
[ -e "$dir/data/postmaster.pid" ] && "$@" -D "$dir/data" -m immediate -w stop >/dev/null 2>&1
rm -rf "$dir"
"#;

/// Held for as long as the server is wanted.
pub(crate) struct Supervisor(Child);

impl Supervisor {
    pub(crate) fn start(dir: &Path, bin: &Path) -> Self {
        let stop = binaries::unprivileged(&bin.join("pg_ctl"));
        let child = Command::new("setsid")
            .args(["sh", "-c", SCRIPT, "supervisor"])
            .arg(dir)
            .arg(stop.get_program())
            .args(stop.get_args())
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("setsid and sh run");
        Self(child)
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ended = self.0.wait();
    }
}

//! A small file system that goes away again, also when the test fails.

use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) struct SmallDisk {
    pub(crate) at: PathBuf,
}

impl SmallDisk {
    pub(crate) fn mount(at: &Path, megabytes: u32) -> Self {
        std::fs::create_dir(at).expect("a directory to mount on");
        let size = format!("size={megabytes}m");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(at)
            .output()
            .expect("there is a mount");
        let said = String::from_utf8_lossy(&mounted.stderr);
        assert!(
            mounted.status.success(),
            "a full disk can only be tested where a small one can be mounted, as root: {said}"
        );
        Self { at: at.to_owned() }
    }

    /// Takes up all the room that is left.
    pub(crate) fn fill(&self) -> PathBuf {
        let ballast = self.at.join("ballast");
        let full = std::fs::write(&ballast, vec![0; 64 << 20]);
        full.expect_err("it is a small disk");
        ballast
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(&self.at).status();
        assert!(
            unmounted.is_ok_and(|status| status.success()) || std::thread::panicking(),
            "{:?} stays mounted",
            self.at
        );
    }
}

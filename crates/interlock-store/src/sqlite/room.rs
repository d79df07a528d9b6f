//! Room in the write-ahead file, made ahead in large pieces.
//!
//! SQLite lets the file grow with every commit. Then the file system has to note each time where the
//! new blocks are and how long the file is, two more writes for each sync, and the blocks lie where
//! there was room at that moment. So as soon as the file is more than small it is made longer by a
//! piece of zeros, which SQLite takes for what it is: nothing that was committed.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::limits::{WAL_ROOM_FROM, WAL_ROOM_SHARE, WAL_ROOM_STEP};

/// Keeps room in a write-ahead file.
pub(super) struct Room {
    file: Option<File>,
    /// How long the file may become before there is something to do.
    enough: u64,
}

impl Room {
    /// For the file of a database that is open.
    pub(super) fn of(db: &Path) -> Self {
        let mut name = db.as_os_str().to_owned();
        name.push("-wal");
        Self {
            // Without it everything goes on as SQLite does it.
            file: File::options().write(true).open(name).ok(),
            enough: WAL_ROOM_FROM,
        }
    }

    /// Whether the room is used up.
    pub(super) fn is_wanted(&self) -> bool {
        let length = self.file.as_ref().map(length);
        matches!(length, Some(Ok(length)) if length > self.enough)
    }

    /// Makes some. Only while nobody writes to the file. If it can't be made the file stays as it is;
    /// the commits that follow are as safe as they were, and slower.
    pub(super) fn make(&mut self) {
        let Some(file) = &self.file else { return };
        let Ok(before) = length(file) else { return };
        let end = before.next_multiple_of(WAL_ROOM_STEP) + WAL_ROOM_STEP;
        self.enough = end;
        if lengthen(file, before, end).is_err() {
            // What is not used is given back at once: there may be little left.
            let _still_longer = file.set_len(before);
        }
    }
}

/// Not asked of the file's metadata: whoever has seen the time of a change is to see the next one
/// too, so that the file system would have to write it with each commit.
fn length(mut file: &File) -> io::Result<u64> {
    file.seek(SeekFrom::End(0))
}

fn lengthen(file: &File, from: u64, to: u64) -> io::Result<()> {
    const PIECE: usize = 1 << 20;
    let disk = rustix::fs::fstatvfs(file)?;
    if disk.f_bavail.saturating_mul(disk.f_frsize) / WAL_ROOM_SHARE < to - from {
        return Err(io::ErrorKind::StorageFull.into());
    }
    let zeros = vec![0; PIECE];
    let mut at = from;
    while at < to {
        let piece = zeros.len().min((to - at) as usize);
        file.write_all_at(&zeros[..piece], at)?;
        at += piece as u64;
    }
    Ok(())
}

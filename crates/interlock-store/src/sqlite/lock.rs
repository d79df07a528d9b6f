//! The lock against a second process. The system drops it with the process, however that ends.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use crate::error::StoreError;
use crate::store::Result;

/// Held as long as it lives.
pub(super) struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file would do, unless a process that is just being started has a copy of it.
        let _ = self.file.unlock();
    }
}

/// Takes the lock of a data directory, and leaves the number of this process in it for whoever
/// comes second.
pub(super) fn take(dir: &Path) -> Result<Lock> {
    let path = dir.join("lock");
    let failed = |doing| {
        let path = path.clone();
        move |source| StoreError::Io {
            doing,
            path,
            source,
        }
    };
    let options = &mut File::options();
    let opened = options
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path);
    let mut file = opened.map_err(failed("open"))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let read = file.read_to_string(&mut holder).ok();
            return Err(StoreError::Busy {
                path: dir.to_owned(),
                pid: read.and_then(|_| holder.trim().parse().ok()),
            });
        }
        Err(TryLockError::Error(source)) => return Err(failed("lock")(source)),
    }
    let written = file
        .rewind()
        .and_then(|()| file.set_len(0))
        .and_then(|()| writeln!(file, "{}", std::process::id()));
    // On a full disk the lock holds without the number.
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::StorageFull => {
            Err(failed("write")(error))
        }
        _ => Ok(Lock { file }),
    }
}

//! A consistent copy of a store that goes on being written to.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use super::fault::{Tried, transaction};
use super::ledger::Ledger;
use super::{DATABASE, open, settings, side_file};
use crate::error::StoreError;
use crate::store::Result;

/// A copy that is not finished has this name, which makes its directory unfit to be opened.
pub(super) const UNFINISHED: &str = "interlock.db.unfinished";

/// Copies the store in a data directory, as of one moment, to a data directory that must not exist.
/// A server may have the store open and go on writing to it meanwhile.
pub fn backup_of(dir: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<()> {
    let db = dir.as_ref().join(DATABASE);
    if let Err(source) = db.metadata() {
        return Err(StoreError::Io {
            doing: "make a backup of",
            path: dir.as_ref().to_owned(),
            source,
        });
    }
    let from = settings::reader(&db).map_err(|fault| fault.of_reading(&db))?;
    backup(&from, to.as_ref())
}

/// Copies a database, as of one moment, to a data directory that must not exist.
pub(super) fn backup(from: &Connection, to: &Path) -> Result<()> {
    let failed = |source| StoreError::Io {
        doing: "make a backup in",
        path: to.to_owned(),
        source,
    };
    if let Err(error) = fs::create_dir(to) {
        return Err(match error.kind() {
            io::ErrorKind::AlreadyExists => StoreError::Exists(to.to_owned()),
            _ => failed(error),
        });
    }
    let unfinished = to.join(UNFINISHED);
    let copied = copy(from, &unfinished)
        .map_err(|fault| match fault.of_writing("the backup") {
            // It is the copy that failed, not the store.
            (StoreError::Poisoned(why), _) => failed(io::Error::other(why)),
            (error, _) => error,
        })
        .and_then(|bounds| finish(to, &unfinished, &bounds).map_err(failed));
    if copied.is_err() {
        // Nothing in there but what was just made. The error to report is that of the copy.
        let _ = fs::remove_dir_all(to);
    }
    copied
}

fn copy(from: &Connection, unfinished: &Path) -> Tried<side_file::Bounds> {
    let mut to = Connection::open(unfinished)?;
    let backup = Backup::new(from, &mut to)?;
    // In one step, so that it is all of one moment. The writer appends to its write-ahead file
    // meanwhile.
    match backup.step(-1)? {
        StepResult::Done => {}
        _ => return Err(StoreError::Contended.into()),
    }
    drop(backup);
    drop(to);
    let to = settings::writer(unfinished)?;
    let mut ledger = Ledger::load(&to)?;
    transaction(&to, |to| {
        ledger.card.is_copy = true;
        ledger.write_card(to)
    })?;
    let bounds = open::bounds(&to, &ledger)?;
    settings::fold_on_close(&to, true)?;
    Ok(bounds)
}

/// Gives a finished copy its name, when all of it is on the disk.
fn finish(to: &Path, unfinished: &Path, bounds: &side_file::Bounds) -> io::Result<()> {
    File::open(unfinished)?.sync_all()?;
    side_file::write(to, bounds)?;
    fs::rename(unfinished, to.join(DATABASE))?;
    side_file::sync_dir(to)?;
    to.parent()
        .map_or(Ok(()), |parent| match parent.as_os_str().is_empty() {
            true => side_file::sync_dir(Path::new(".")),
            false => side_file::sync_dir(parent),
        })
}

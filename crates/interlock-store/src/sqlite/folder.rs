//! Moving the write-ahead file into the database beside the commits that go on meanwhile.
//!
//! A thread of its own, with a connection of its own, moves pages again and again until few are left.
//! The rest is for the writer, who alone can see to it that the file begins anew. The thread is
//! started when there is something to move for the first time; a store that sees little has none.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvError, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use super::fault::Tried;
use super::settings;
use crate::limits::{FOLD_PASSES_MAX, WAL_PAGES_FEW};

/// From this version of SQLite on (3.51.3) one connection may move the file while another one begins
/// it anew. Before that a commit could be lost: <https://sqlite.org/wal.html#the_wal_reset_bug>.
const SAFE_FROM: i32 = 3_051_003;

/// Has the write-ahead file moved. Its thread ends before this is gone.
pub(super) struct Folder {
    db: PathBuf,
    hands: Option<Hands>,
    is_at_work: bool,
}

/// The thread, and the way to it and back.
struct Hands {
    orders: Sender<()>,
    reports: Receiver<Tried<()>>,
    thread: JoinHandle<()>,
}

impl Folder {
    /// For the database at this path.
    pub(super) fn of(db: &Path) -> Self {
        Self {
            db: db.to_owned(),
            hands: None,
            is_at_work: false,
        }
    }

    /// Whether it was asked for something that it has not reported yet.
    pub(super) fn is_at_work(&self) -> bool {
        self.is_at_work
    }

    /// Begins to move pages. Says whether it could.
    pub(super) fn begin(&mut self) -> bool {
        if self.hands.is_none() && rusqlite::version_number() >= SAFE_FROM {
            self.hands = start(&self.db).ok();
        }
        let asked = self.hands.as_ref().map(|hands| hands.orders.send(()));
        self.is_at_work = matches!(asked, Some(Ok(())));
        self.is_at_work
    }

    /// How it went, if it was asked and has come to an end since it was looked at last.
    pub(super) fn report(&mut self) -> Option<Tried<()>> {
        self.heard(|reports| match reports.try_recv() {
            Err(TryRecvError::Empty) => None,
            Ok(report) => Some(report),
            Err(TryRecvError::Disconnected) => Some(Ok(())),
        })
    }

    /// The same, but waits for it.
    pub(super) fn wait(&mut self) -> Option<Tried<()>> {
        // A thread that is gone has left everything to the writer.
        self.heard(|reports| Some(reports.recv().unwrap_or_else(|RecvError| Ok(()))))
    }

    fn heard(
        &mut self,
        hear: impl FnOnce(&Receiver<Tried<()>>) -> Option<Tried<()>>,
    ) -> Option<Tried<()>> {
        let hands = self.hands.as_ref().filter(|_| self.is_at_work)?;
        let report = hear(&hands.reports)?;
        self.is_at_work = false;
        Some(report)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Some(Hands { orders, thread, .. }) = self.hands.take() {
            drop(orders);
            let _panicked = thread.join();
        }
    }
}

fn start(db: &Path) -> Tried<Hands> {
    let conn = settings::folder(db)?;
    let (orders, inbox) = channel();
    let (outbox, reports) = channel();
    let work = move || {
        while let Ok(()) = inbox.recv() {
            let _nobody = outbox.send(fold(&conn));
        }
    };
    let thread = thread::Builder::new().name("folder".to_owned());
    let thread = thread.spawn(work).map_err(|error| {
        let why = format!("no thread could be started: {error}");
        rusqlite::Error::ToSqlConversionFailure(why.into())
    })?;
    Ok(Hands {
        orders,
        reports,
        thread,
    })
}

/// Moves what is there, and then what came meanwhile, until that is little.
fn fold(conn: &Connection) -> Tried<()> {
    let mut fold = conn.prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?;
    let mut moved = 0;
    for _ in 0..FOLD_PASSES_MAX {
        // Somebody else may be at it, or reading what has to stay.
        let (is_busy, pages): (bool, i64) =
            fold.query_one([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if is_busy || pages - moved < WAL_PAGES_FEW {
            break;
        }
        moved = pages;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sqlite_in_here_loses_nothing_when_its_file_is_moved_beside_commits() {
        let version = rusqlite::version_number();
        assert!(version >= SAFE_FROM, "{version}");
    }

    #[test]
    fn without_a_database_everything_is_left_to_the_writer() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut folder = Folder::of(&dir.path().join("none"));
        assert!(!folder.begin());
        assert!(!folder.is_at_work() && folder.wait().is_none());
    }

    #[test]
    fn it_reports_once_for_each_time_that_it_was_asked() {
        let dir = tempfile::tempdir().expect("a directory");
        let db = dir.path().join("db");
        let writer = settings::writer(&db).expect("a database");
        writer.execute_batch("CREATE TABLE t (a)").expect("a table");
        let mut folder = Folder::of(&db);
        assert!(folder.report().is_none());
        for _ in 0..3 {
            assert!(folder.begin() && folder.is_at_work());
            assert!(matches!(folder.wait(), Some(Ok(()))));
            assert!(!folder.is_at_work() && folder.report().is_none());
        }
        let moved = "PRAGMA wal_checkpoint(NOOP)";
        let (pages, moved): (i64, i64) = writer
            .query_one(moved, [], |row| Ok((row.get(1)?, row.get(2)?)))
            .expect("a count");
        assert!(pages > 0 && moved == pages, "{moved} of {pages}");
    }
}

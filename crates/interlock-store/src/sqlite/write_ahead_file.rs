//! What a store does about its write-ahead file between two commits: room ahead, and moving what is in
//! it into the database, by [the folder](super::folder) or by itself.

use super::SqliteStore;
use super::fault::{Fault, Tried, transaction};
use crate::limits::{WAL_PAGES_BUSY, WAL_PAGES_STOP};

impl SqliteStore {
    /// Sees to it that there is room in the write-ahead file, between two commits.
    pub(super) fn keep_room(&mut self) {
        if self.room.is_wanted() {
            let room = &mut self.room;
            // Nobody else writes meanwhile either. If somebody does, there is another time.
            let _busy = transaction(&self.conn, |_| {
                room.make();
                Ok(())
            });
        }
    }

    /// Moves what it can of the write-ahead file into the database. That this failed changes nothing
    /// about what was committed, but after a failed sync nothing more is trusted.
    fn fold_some(&mut self) {
        let sql = "PRAGMA wal_checkpoint(PASSIVE)";
        let folded = self
            .conn
            .prepare_cached(sql)
            .and_then(|mut fold| fold.query_one([], |_| Ok(())));
        match folded.map_err(Fault::from) {
            Ok(()) => self.wal_pages = 0,
            Err(fault) => self.folding_failed(fault),
        }
    }

    fn folding_failed(&mut self, fault: Fault) {
        match fault.of_writing("folding the write-ahead file") {
            (error, true) => self.poison(error.to_string()),
            // No room, or somebody is looking: another time.
            (_, false) => self.wal_pages = self.fold_after / 2,
        }
    }

    /// Takes in what was moved beside the commits, and moves what came meanwhile.
    fn folded_beside(&mut self, report: Tried<()>) {
        match report {
            Ok(()) => self.fold_some(),
            Err(fault) => self.folding_failed(fault),
        }
    }

    /// Has pages moved beside the commits if there are many, and sees to what has come of it.
    pub(super) fn fold_beside(&mut self) {
        let report = match self.wal_pages >= self.fold_after * WAL_PAGES_STOP {
            true => self.folder.wait(),
            false => self.folder.report(),
        };
        let is_due = self.wal_pages >= self.fold_after * WAL_PAGES_BUSY;
        if let Some(report) = report {
            self.folded_beside(report);
        } else if is_due && !self.folder.is_at_work() && !self.folder.begin() {
            self.fold_some();
        }
    }

    /// Moves pages if it is worth it while nobody waits.
    pub(super) fn fold_if_much(&mut self) {
        if !self.await_folder() && self.wal_pages >= self.fold_after {
            self.fold_some();
        }
    }

    /// Waits until nobody else moves anything. Says whether somebody did.
    pub(super) fn await_folder(&mut self) -> bool {
        let report = self.folder.wait();
        let was_at_work = report.is_some();
        if let Some(report) = report {
            self.folded_beside(report);
        }
        was_at_work
    }
}
